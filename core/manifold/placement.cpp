#include "manifold/placement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "base/index.hpp"
#include "manifold/forces_kernel.hpp"
#include "manifold/point_tree.hpp"
#include "parallel/parallel_for.hpp"
#include "random/philox.hpp"

namespace gramian::manifold {
namespace {

constexpr int kStarts = 8;
constexpr int kMostSteps = 100;
constexpr int kMostHalvings = 10;
constexpr float kLeastStep = 1e-3f;  // the scale of the embedding is that of w, which is 1
constexpr double kNanosecondsOfRow = 1e5;

// One new point among copies of its neighbours, at the place behind them.
class NewPoint {
 public:
  NewPoint(const Planes& all, const PointTree* tree, double angle, std::int64_t n_neighbours)
      : all_(all),
        tree_(tree),
        angle_(angle),
        last_(n_neighbours),
        n_planes_(all.n_planes()),
        local_(n_neighbours + 1, n_planes_),
        pull_(n_neighbours + 1, n_planes_),
        push_(n_neighbours + 1, n_planes_),
        before_(at(n_planes_)),
        step_(at(n_planes_)),
        acting_(n_planes_) {}

  void place(std::span<const std::int64_t> neighbours, const float* p) {
    for (int k = 0; k < n_planes_; ++k)
      for (std::int64_t j = 0; j < last_; ++j)
        local_.plane(k)[j] = all_.plane(k)[neighbours[at(j)]];
    row_ = {p, nullptr, last_};
    start();
    double value = energy();
    for (int step = 0; step < kMostSteps; ++step) {
      set_step();
      const double next = search(value);
      if (!(next < value)) break;
      value = next;
      float longest = 0.0f;
      for (int k = 0; k < n_planes_; ++k)
        longest = std::max(longest, std::fabs(local_.plane(k)[last_] - before_[at(k)]));
      if (longest <= kLeastStep) break;
    }
  }

  float coordinate(int k) const { return local_.plane(k)[last_]; }

 private:
  PointPlanes view() const { return {local_.data(), local_.stride(), n_planes_}; }
  void go_to(const float* place, std::int64_t stride) {
    for (int k = 0; k < n_planes_; ++k) local_.plane(k)[last_] = place[k * stride];
  }

  // The first neighbour to which the others are nearest.
  void start() {
    double best = std::numeric_limits<double>::infinity();
    std::int64_t chosen = 0;
    for (std::int64_t j = 0; j < std::min<std::int64_t>(kStarts, last_); ++j) {
      go_to(local_.data() + j, local_.stride());
      const double value = GRAMIAN_DISPATCH(attraction_energy, view(), last_, row_);
      if (value < best) {
        best = value;
        chosen = j;
      }
    }
    go_to(local_.data() + chosen, local_.stride());
  }

  double energy() {
    const double attraction = GRAMIAN_DISPATCH(attraction_energy, view(), last_, row_);
    sum_ = repulsion();
    return attraction + portable_log(std::max(sum_, 1e-300));
  }

  double repulsion() {
    const PointRun target{view(), last_, last_ + 1};
    const ForcePlanes forces{push_.data(), push_.stride()};
    if (tree_ == nullptr) {
      const PointRun sources{{all_.data(), all_.stride(), n_planes_}, 0, all_.size()};
      return GRAMIAN_DISPATCH(repel, target, sources, nullptr, forces);
    }
    std::array<float, kMostTreePlanes> here{};
    for (int k = 0; k < n_planes_; ++k) here[at(k)] = local_.plane(k)[last_];
    acting_.gather(*tree_, here.data(), here.data(), angle_);
    const PointRun sources{{acting_.values(), acting_.stride(), n_planes_}, 0, acting_.size()};
    return GRAMIAN_DISPATCH(repel, target, sources, acting_.masses(), forces);
  }

  // The step to the least of a parabola that lies above the attraction, log(1 + d^2 / f) being
  // concave in d^2, with the repulsion as it is here.
  void set_step() {
    GRAMIAN_DISPATCH(attract, view(), last_, row_, {pull_.data(), pull_.stride()});
    const float freedom = static_cast<float>(std::max(n_planes_ - 1, 1));
    float strength = 0.0f;
    for (std::int64_t j = 0; j < last_; ++j) {
      float squared = 0.0f;
      for (int k = 0; k < n_planes_; ++k) {
        const float offset = local_.plane(k)[last_] - local_.plane(k)[j];
        squared += offset * offset;
      }
      strength += row_.values[j] * freedom / (freedom + squared);
    }
    const auto pushed = static_cast<float>(1.0 / std::max(sum_, 1e-300));
    for (int k = 0; k < n_planes_; ++k)
      step_[at(k)] =
          (pushed * push_.plane(k)[last_] - pull_.plane(k)[last_]) / std::max(strength, 1e-30f);
  }

  // Goes along the step, or half of it, until the energy falls; stays where it does not.
  double search(double value) {
    for (int k = 0; k < n_planes_; ++k) before_[at(k)] = local_.plane(k)[last_];
    float share = 1.0f;
    for (int halving = 0; halving < kMostHalvings; ++halving, share *= 0.5f) {
      for (int k = 0; k < n_planes_; ++k)
        local_.plane(k)[last_] = before_[at(k)] + share * step_[at(k)];
      const double next = energy();
      if (next < value) return next;
    }
    go_to(before_.data(), 1);
    return value;
  }

  const Planes& all_;
  const PointTree* tree_;
  double angle_;
  std::int64_t last_;
  int n_planes_;
  Planes local_;
  Planes pull_;
  Planes push_;
  AffinityRow row_{};
  std::vector<float> before_;
  std::vector<float> step_;
  ActingPoints acting_;
  double sum_ = 1.0;
};

}  // namespace

void place(MatrixView<const float> points, MatrixView<const std::int64_t> index,
           MatrixView<const float> p, double angle, MatrixView<float> placed, const Context& ctx) {
  Planes all(points.n_rows, static_cast<int>(points.n_cols));
  all.take(points);
  std::optional<PointTree> tree;
  if (points.n_cols <= kMostTreePlanes) tree.emplace(all, ctx);
  const Chunks chunks = Chunks::of_rows(index.n_rows, 16);
  const double cost_ns = kNanosecondsOfRow * static_cast<double>(index.n_rows);
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t chunk) {
    NewPoint point(all, tree ? &*tree : nullptr, angle, index.n_cols);
    for (std::int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
      ctx.check();
      point.place(index.row(i), p.row(i).data());
      for (std::int64_t k = 0; k < points.n_cols; ++k)
        placed(i, k) = point.coordinate(static_cast<int>(k));
    }
  });
}

}  // namespace gramian::manifold
