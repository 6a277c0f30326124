#include "loss/objective.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <vector>

#include "base/index.hpp"
#include "loss/pointwise_kernel.hpp"
#include "loss/softmax_kernel.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"

namespace gramian::loss {
namespace {

constexpr std::int64_t kBlockRows = SoftmaxRows::kMostRows;
constexpr double kCost = 4.0;  // nanoseconds for a row and group

// The losses with exponentials have kernels, eight rows at a time.
std::optional<PointwiseLoss> kernel_of(Kind kind) {
  switch (kind) {
    case Kind::logistic:
      return PointwiseLoss::logistic;
    case Kind::poisson:
      return PointwiseLoss::poisson;
    case Kind::gamma:
      return PointwiseLoss::gamma;
    case Kind::tweedie:
      return PointwiseLoss::tweedie;
    default:
      return std::nullopt;
  }
}

// The rows from `begin` on, at most kBlockRows.
struct Block {
  std::int64_t begin, size;
};

template <class T>
struct Derivatives {
  std::span<T> gradient, hessian;
};

template <class T>
T to(double value) {
  return static_cast<T>(value);
}

template <class T>
void differentiate_by_kernel(PointwiseLoss kernel, double parameter, const double* y,
                             const double* scores, Block block, const Derivatives<T>& out) {
  std::array<double, kBlockRows> first, second;
  const LossBlock rows{
      scores + block.begin, y + block.begin, nullptr,
      block.size,           first.data(),    out.hessian.empty() ? nullptr : second.data()};
  GRAMIAN_DISPATCH(differentiate_losses, kernel, parameter, rows);
  T* gradient = out.gradient.data() + block.begin;
  std::transform(first.begin(), first.begin() + block.size, gradient, to<T>);
  if (out.hessian.empty()) return;
  T* hessian = out.hessian.data() + block.begin;
  std::transform(second.begin(), second.begin() + block.size, hessian, to<T>);
}

template <class Loss, class T>
void differentiate_plainly(const Loss loss, std::span<const double> y,
                           std::span<const double> scores, Block block, const Derivatives<T>& out) {
  const std::int64_t end = block.begin + block.size;
  for (std::int64_t i = block.begin; i < end; ++i)
    out.gradient[at(i)] = to<T>(loss.derivative(scores[at(i)], y[at(i)]));
  if (out.hessian.empty()) return;
  for (std::int64_t i = block.begin; i < end; ++i)
    out.hessian[at(i)] = to<T>(loss.curvature(scores[at(i)], y[at(i)]));
}

template <class T>
void differentiate_all(const Objective& objective, std::span<const double> y,
                       std::span<const double> scores, const Derivatives<T>& out,
                       const Context& ctx) {
  const auto n = static_cast<std::int64_t>(y.size());
  const Chunks chunks = Chunks::of_rows(n, kBlockRows);
  const double cost = kCost * static_cast<double>(n * objective.n_groups);
  const auto differentiate_block = [&](std::int64_t chunk) {
    const Block block{chunks.begin(chunk), chunks.end(chunk) - chunks.begin(chunk)};
    if (objective.kind == Kind::softmax) {
      std::vector<double> scratch(at(objective.n_groups * kBlockRows));
      const SoftmaxRows rows{scores.data() + block.begin,
                             n,
                             block.size,
                             objective.n_groups,
                             y.data() + block.begin,
                             scratch.data()};
      GRAMIAN_DISPATCH(differentiate_softmax, rows, out.gradient.data() + block.begin,
                       out.hessian.empty() ? nullptr : out.hessian.data() + block.begin);
    } else if (const auto kernel = kernel_of(objective.kind)) {
      differentiate_by_kernel(*kernel, objective.parameter, y.data(), scores.data(), block, out);
    } else {
      with_loss(objective,
                [&](const auto& loss) { differentiate_plainly(loss, y, scores, block, out); });
    }
  };
  parallel_for(ctx, chunks.count(), cost, differentiate_block, Claims::by_place);
}

// The rows of softmax side by side, as its kernel of values wants them.
double sum_softmax(std::span<const double> scores, std::int64_t n_groups, Block block,
                   const double* y, const double* w) {
  const std::int64_t ld = (n_groups + 7) / 8 * 8;
  const auto n_rows = static_cast<std::int64_t>(scores.size()) / n_groups;
  std::vector<double> z(at(kBlockRows * ld)), scratch(at(8 * ld));
  for (std::int64_t c = 0; c < n_groups; ++c)
    for (std::int64_t i = 0; i < block.size; ++i)
      z[at(i * ld + c)] = scores[at(c * n_rows + block.begin + i)];
  return GRAMIAN_DISPATCH(evaluate_softmax, SoftmaxBlock{z.data(), ld, block.size, n_groups, y, w,
                                                         nullptr, scratch.data()});
}

}  // namespace

void Objective::differentiate(std::span<const double> y, std::span<const double> scores,
                              std::span<float> gradient, std::span<float> hessian,
                              const Context& ctx) const {
  differentiate_all<float>(*this, y, scores, {gradient, hessian}, ctx);
}

void Objective::differentiate(std::span<const double> y, std::span<const double> scores,
                              std::span<double> gradient, std::span<double> hessian,
                              const Context& ctx) const {
  differentiate_all<double>(*this, y, scores, {gradient, hessian}, ctx);
}

LossSum Objective::sum(std::span<const double> y, std::span<const double> weight,
                       std::span<const double> scores, const Context& ctx) const {
  const auto n = static_cast<std::int64_t>(y.size());
  const auto sum_tile = [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t m = end - begin;
    const double *targets = y.data() + begin, *z = scores.data() + begin;
    const double* w = weight.empty() ? nullptr : weight.data() + begin;
    LossSum part;
    part.weight = w != nullptr ? std::accumulate(w, w + m, 0.0) : static_cast<double>(m);
    if (kind == Kind::softmax) {
      part.loss = sum_softmax(scores, n_groups, {begin, m}, targets, w);
    } else if (const auto kernel = kernel_of(kind)) {
      part.loss = GRAMIAN_DISPATCH(evaluate_losses, *kernel, parameter,
                                   LossBlock{z, targets, w, m, nullptr, nullptr});
    } else {
      part.loss = with_loss(*this, [=](const auto& loss) {
        double sum = 0.0;
        for (std::int64_t i = 0; i < m; ++i)
          sum += (w != nullptr ? w[i] : 1.0) * loss.value(z[i], targets[i]);
        return sum;
      });
    }
    return part;
  };
  return parallel_reduce(ctx, Tiles::of_rows(n, kBlockRows),
                         kCost * static_cast<double>(n * n_groups), sum_tile,
                         [](LossSum& total, const LossSum& part) {
                           total.loss += part.loss;
                           total.weight += part.weight;
                         });
}

}  // namespace gramian::loss
