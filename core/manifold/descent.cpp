#include "manifold/descent.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "parallel/tiles.hpp"
#include "random/philox.hpp"

namespace gramian::manifold {
namespace {

constexpr float kMostDistance = 1e12f;  // squares of more leave the range of single precision
constexpr std::int64_t kTilePoints = 4096;
constexpr std::uint16_t kSampledPoints = 0x7A5E;  // purpose of a stream of random numbers

// 2 (f + 1) / f with f degrees of freedom: what the gradient's sums are multiplied by.
double gradient_factor(int n_planes) {
  const double freedom = std::max(n_planes - 1, 1);
  return 2.0 * (freedom + 1.0) / freedom;
}

class Descent {
 public:
  Descent(const Affinities& affinities, Repulsion& repulsion, const DescentState& state,
          const DescentOptions& options, const Context& ctx)
      : affinities_(affinities),
        repulsion_(repulsion),
        options_(options),
        ctx_(ctx),
        points_(state.points.n_rows, static_cast<int>(state.points.n_cols)),
        updates_(points_.size(), points_.n_planes()),
        gains_(points_.size(), points_.n_planes()),
        pull_(points_.size(), points_.n_planes()),
        push_(points_.size(), points_.n_planes()) {
    points_.take(state.points);
    updates_.take(state.updates);
    gains_.take(state.gains);
  }

  DescentResult run() {
    std::int64_t step = 0;
    for (; step < options_.n_steps && !ctx_.expired(); ++step) {
      evaluate();
      move();
    }
    evaluate();
    const double divergence = negative_entropy_of(affinities_, ctx_) +
                              energy_of(affinities_, points_, ctx_) + std::log(sum_);
    return {step, divergence, norm(options_.exaggeration, 1.0 / sum_),
            norm(options_.exaggeration, 0.0)};
  }

  void give(const DescentState& state) const {
    points_.give(state.points);
    updates_.give(state.updates);
    gains_.give(state.gains);
  }

 private:
  void evaluate() {
    sum_ = std::max(repulsion_(points_, push_, ctx_), 1e-300);
    attract_points(affinities_, points_, pull_, ctx_);
  }

  // Gains grow while the gradient keeps its direction, and fall when it turns.
  void move() {
    const double factor = gradient_factor(points_.n_planes());
    const auto pulled = static_cast<float>(factor * options_.exaggeration);
    const auto pushed = static_cast<float>(factor / sum_);
    const auto rate = static_cast<float>(options_.learning_rate);
    const auto momentum = static_cast<float>(options_.momentum);
    const auto least = static_cast<float>(options_.least_gain);
    const Chunks chunks = Chunks::of_rows(points_.size(), kTilePoints);
    const float farthest = parallel_reduce_exact(
        ctx_, chunks, 4.0 * static_cast<double>(points_.size()),
        [&](std::int64_t begin, std::int64_t end) {
          float far = 0.0f;
          for (int k = 0; k < points_.n_planes(); ++k) {
            float *y = points_.plane(k), *update = updates_.plane(k), *gain = gains_.plane(k);
            const float *pull = pull_.plane(k), *push = push_.plane(k);
            for (std::int64_t i = begin; i < end; ++i) {
              const float gradient = pulled * pull[i] - pushed * push[i];
              const float grown = update[i] * gradient < 0.0f ? gain[i] + 0.2f : gain[i] * 0.8f;
              gain[i] = grown > least ? grown : least;
              update[i] = momentum * update[i] - rate * (gain[i] * gradient);
              y[i] += update[i];
              far = std::fabs(y[i]) <= far ? far : std::fabs(y[i]);  // NaN is kept
            }
          }
          return far;
        },
        [](float& most, float next) { most = next <= most ? most : next; });
    if (!(farthest <= kMostDistance))
      throw InvalidArgument(
          "the points of the embedding have moved out of the range of single precision: lower "
          "learning_rate");
  }

  // Of factor * (pull_share * pull - push_share * push).
  double norm(double pull_share, double push_share) const {
    const double factor = gradient_factor(points_.n_planes());
    const double squares = parallel_reduce(
        ctx_, Tiles::of_rows(points_.size(), kTilePoints),
        4.0 * static_cast<double>(points_.size()),
        [&](std::int64_t begin, std::int64_t end) {
          double sum = 0.0;
          for (int k = 0; k < points_.n_planes(); ++k)
            for (std::int64_t i = begin; i < end; ++i) {
              const double part = pull_share * static_cast<double>(pull_.plane(k)[i]) -
                                  push_share * static_cast<double>(push_.plane(k)[i]);
              sum += part * part;
            }
          return sum;
        },
        [](double& total, double next) { total += next; });
    return factor * std::sqrt(squares);
  }

  const Affinities& affinities_;
  Repulsion& repulsion_;
  const DescentOptions& options_;
  const Context& ctx_;
  Planes points_;
  Planes updates_;
  Planes gains_;
  Planes pull_;
  Planes push_;
  double sum_ = 1.0;
};

// Estimates the sum over all pairs from that of some points with all.
Divergence sampled_log_sum(const Planes& points, std::int64_t n_sampled, const Context& ctx) {
  const std::int64_t n = points.size();
  Planes chosen(n_sampled, points.n_planes()), forces(n_sampled, points.n_planes());
  Stream stream(0, 0, kSampledPoints);
  for (std::int64_t i = 0; i < n_sampled; ++i) {
    const auto row = static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(n)));
    for (int k = 0; k < points.n_planes(); ++k) chosen.plane(k)[i] = points.plane(k)[row];
  }
  std::vector<double> sums(at(n_sampled));
  const PointPlanes all{points.data(), points.stride(), points.n_planes()};
  const PointPlanes some{chosen.data(), chosen.stride(), chosen.n_planes()};
  parallel_for(ctx, n_sampled, static_cast<double>(n * n_sampled), [&](std::int64_t i) {
    sums[at(i)] = GRAMIAN_DISPATCH(repel, {some, i, i + 1}, {all, 0, n}, nullptr,
                                   {forces.data(), forces.stride()}) -
                  1.0;
  });
  const double mean = sum_of_rows(sums) / static_cast<double>(n_sampled);
  double squares = 0.0;
  for (const double sum : sums) squares += (sum - mean) * (sum - mean);
  const double deviation = std::sqrt(squares) / static_cast<double>(n_sampled);
  return {std::log(mean * static_cast<double>(n)), deviation / mean};
}

}  // namespace

DescentResult descend(const Affinities& affinities, Repulsion& repulsion, const DescentState& state,
                      const DescentOptions& options, const Context& ctx) {
  Descent descent(affinities, repulsion, state, options, ctx);
  const DescentResult result = descent.run();
  descent.give(state);
  return result;
}

Divergence divergence(const Affinities& affinities, MatrixView<const float> points,
                      std::int64_t n_sampled, const Context& ctx) {
  Planes planes(points.n_rows, static_cast<int>(points.n_cols));
  planes.take(points);
  const double without_sum =
      negative_entropy_of(affinities, ctx) + energy_of(affinities, planes, ctx);
  if (n_sampled < points.n_rows) {
    const Divergence log_sum = sampled_log_sum(planes, n_sampled, ctx);
    return {without_sum + log_sum.value, log_sum.error};
  }
  Planes forces(points.n_rows, planes.n_planes());
  const double sum = (*exact_repulsion())(planes, forces, ctx);
  return {without_sum + std::log(std::max(sum, 1e-300)), 0.0};
}

}  // namespace gramian::manifold
