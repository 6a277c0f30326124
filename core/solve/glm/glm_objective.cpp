#include "solve/glm/glm_objective.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/index.hpp"
#include "linalg/panels_kernel.hpp"
#include "linalg/product_kernel.hpp"
#include "loss/softmax_kernel.hpp"
#include "parallel/tiles.hpp"
#include "solve/glm/far_losses.hpp"
#include "solve/glm/row_sums.hpp"

namespace gramian::solve {
GlmObjective::GlmObjective(const Rows& rows, const GlmProblem& problem)
    : rows_(rows), problem_(problem) {
  for (std::int64_t i = 0; i < rows.n_rows(); ++i) total_weight_ += weight_of(i);
}

double write_losses(const GlmProblem& problem, const ScoreBlock& block, std::int64_t n_scored,
                    Kept which, double* scores, double* kept) {
  const std::int64_t n = block.end - block.begin, k = problem.n_outputs;
  if (scores != nullptr) {
    for (std::int64_t i = 0; i < n; ++i) {
      std::copy_n(block.z + i * block.ld, n_scored, scores + i * k);
      if (n_scored < k) scores[i * k + n_scored] = 0.0;
    }
  }
  const double* y = problem.y.data() + block.begin;
  const double* w = problem.weight.empty() ? nullptr : problem.weight.data() + block.begin;
  if (problem.pointwise) {
    const LossBlock losses{block.z, y, w, n, block.z, kept, which == Kept::expected};
    return GRAMIAN_DISPATCH(evaluate_losses, *problem.pointwise, problem.power, losses);
  }
  std::vector<double> scratch(at(kLanes * block.ld));
  const SoftmaxBlock losses{block.z, block.ld, n, k, y, w, kept, scratch.data()};
  return GRAMIAN_DISPATCH(evaluate_softmax, losses);
}

const std::vector<double>& GlmObjective::scores(const Context&) const {
  const RowBlocks* far = rows_.elsewhere();
  if (far != nullptr && scores_.empty()) {
    scores_.resize(at(rows_.n_rows() * n_outputs()));
    far_losses(*far, rows_.shift(), problem_, scored_point(last_point_), Kept::nothing,
               {scores_, {}});
  }
  return scores_;
}

void GlmObjective::add_penalty(std::span<const double> x, std::span<double> out) const {
  for (std::int64_t c = 0; c < n_outputs(); ++c)
    for (std::int64_t j = 0; j < stride(); ++j) {
      const std::int64_t k = c * stride() + j;
      const bool is_constant = j == stride() - 1;
      out[at(k)] += (is_constant ? problem_.l2_intercept : problem_.l2) * x[at(k)];
      if (is_constant && !problem_.fit_intercept) out[at(k)] = 0.0;
    }
}

// Differences from the last class: its score is then zero, and one vector of lanes less does.
std::vector<double> GlmObjective::without_last_class(std::span<const double> x) const {
  const std::span<const double> last = x.last(at(stride()));
  std::vector<double> out(x.begin(), x.end() - stride());
  for (std::size_t k = 0; k < out.size(); ++k) out[k] -= last[k % at(stride())];
  return out;
}

// The derivatives of a row add up to zero over the classes.
void GlmObjective::add_last_class(PassSums& sums) const {
  sums.products.resize(at(n_params()));
  sums.values.resize(at(n_outputs()));
  double* last = sums.products.data() + n_params() - stride();
  for (std::int64_t k = 0; k < n_params() - stride(); ++k)
    last[k % stride()] -= sums.products[at(k)];
}

std::int64_t GlmObjective::n_scored() const {
  const bool is_reduced = n_outputs() > kLanes && n_outputs() % kLanes == 1;
  return n_outputs() - (is_reduced ? 1 : 0);
}

std::vector<double> GlmObjective::scored_point(std::span<const double> x) const {
  if (n_scored() < n_outputs()) return without_last_class(x);
  return {x.begin(), x.end()};
}

PassSums GlmObjective::pass_over_rows(std::span<const double> x, Kept kept, const Context& ctx) {
  const std::int64_t width = problem_.pointwise ? 1 : n_outputs();
  if (kept != Kept::nothing) kept_.resize(at(rows_.n_rows() * width));
  const RowBlocks* far = rows_.elsewhere();  // scores of such rows come where they are asked for
  const bool wants_scores = wants_scores_ || kept != Kept::nothing || problem_.pointwise;
  last_point_.clear();
  if (far != nullptr) scores_.clear();
  if (wants_scores || far != nullptr) last_point_.assign(x.begin(), x.end());
  if (wants_scores && far == nullptr) scores_.resize(at(rows_.n_rows() * n_outputs()));
  const auto each = [&](const ScoreBlock& block) {
    double* scores = wants_scores ? scores_.data() + block.begin * n_outputs() : nullptr;
    double* own = kept == Kept::nothing ? nullptr : kept_.data() + block.begin * width;
    return write_losses(problem_, block, n_scored(), kept, scores, own);
  };
  const std::vector<double> point = scored_point(x);
  const std::span<double> wanted = kept == Kept::nothing ? std::span<double>{} : kept_;
  PassSums sums = far != nullptr
                      ? far_losses(*far, rows_.shift(), problem_, point, kept, {{}, wanted})
                      : rows_.pass(point, n_scored(), each, ctx);
  if (n_scored() < n_outputs()) add_last_class(sums);
  return sums;
}

double GlmObjective::derivative_scale(const Context& ctx) const {
  if (!problem_.pointwise || *problem_.pointwise == PointwiseLoss::logistic) return 1.0;
  // Derivatives are a(z) - y b(z). With a log link the curvature is as large as those terms, else
  // it is their change with the mean.
  const bool has_identity = *problem_.pointwise == PointwiseLoss::squared ||
                            *problem_.pointwise == PointwiseLoss::tweedie_identity ||
                            is_squared_excess(*problem_.pointwise);
  const std::span<const double> z = has_identity ? scores(ctx) : std::span<const double>{};
  const auto row = [&](std::size_t i, std::array<double, 1>& sum) {
    const double unit = has_identity ? std::abs(z[i]) + std::abs(problem_.y[i]) : 1.0;
    sum[0] += std::abs(kept_[i]) * unit;
  };
  return sum_rows<1>(rows_.n_rows(), row, ctx)[0] / total_weight_;
}

void GlmObjective::keep_expected(std::span<const double> x, const Context& ctx) {
  pass_over_rows(x, Kept::expected, ctx);
}

double GlmObjective::evaluate(std::span<const double> x, std::span<double> gradient, bool keep,
                              const Context& ctx) {
  const PassSums sums = pass_over_rows(x, keep ? Kept::observed : Kept::nothing, ctx);
  double f = sums.value / total_weight_;
  for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] = sums.products[k] / total_weight_;
  add_penalty(x, gradient);
  for (std::int64_t c = 0; c < n_outputs(); ++c)
    for (std::int64_t j = 0; j < stride(); ++j) {
      const double value = x[at(c * stride() + j)];
      f += 0.5 * (j == stride() - 1 ? problem_.l2_intercept : problem_.l2) * value * value;
    }
  return f;
}

void GlmObjective::hessian_times(std::span<const double> v, std::span<double> out,
                                 const Context& ctx) const {
  const std::int64_t k = n_outputs();
  const auto on_block = [&](const ScoreBlock& block) {
    for (std::int64_t i = block.begin; i < block.end; ++i) {
      double* z = block.z + (i - block.begin) * block.ld;
      if (problem_.pointwise) {
        z[0] *= kept_[at(i)];
        continue;
      }
      const double* p = kept_.data() + i * k;
      double mean = 0.0;
      for (std::int64_t c = 0; c < k; ++c) mean += p[c] * z[c];
      for (std::int64_t c = 0; c < k; ++c) z[c] = weight_of(i) * p[c] * (z[c] - mean);
    }
    return 0.0;
  };
  const PassSums sums = rows_.pass(v, k, on_block, ctx);
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = sums.products[j] / total_weight_;
  add_penalty(v, out);
}

// block += scale [gram, sum_x; sum_x', weight].
void GlmObjective::add_to_block(const linalg::Moments& m, double scale, double* block,
                                std::int64_t ld) const {
  for (std::int64_t i = 0; i < m.p; ++i) {
    for (std::int64_t j = 0; j < m.p; ++j) block[i * ld + j] += scale * m.gram[i * m.p + j];
    block[i * ld + m.p] += scale * m.sum_x[at(i)];
    block[m.p * ld + i] += scale * m.sum_x[at(i)];
  }
  block[m.p * ld + m.p] += scale * m.weight;
}

// The penalty, and ones where a constant is not fitted.
void GlmObjective::finish_hessian(Buffer<double>& H, std::int64_t n, std::int64_t stride) const {
  for (std::int64_t k = 0; k < n; ++k) {
    const bool is_constant = k % stride == stride - 1;
    H[k * n + k] += is_constant ? problem_.l2_intercept : problem_.l2;
    if (!is_constant || problem_.fit_intercept) continue;
    for (std::int64_t j = 0; j < n; ++j) H[k * n + j] = H[j * n + k] = 0.0;
    H[k * n + k] = 1.0;
  }
}

Buffer<double> GlmObjective::hessian_of(const Rows& columns, bool full_gauge,
                                        const Context& ctx) const {
  if (!problem_.pointwise) return multinomial_hessian(columns, full_gauge, ctx);
  if (is_convex()) return hessian_from(columns.moments(kept_, ctx));
  const std::int64_t s = columns.n_features() + 1;
  auto H = Buffer<double>::zeros(s * s);
  add_signed_moments(columns, H.data(), s, ctx);
  finish_hessian(H, s, s);
  return H;
}

Buffer<double> GlmObjective::hessian_from(const linalg::Moments& moments) const {
  const std::int64_t s = moments.p + 1;
  auto H = Buffer<double>::zeros(s * s);
  add_to_block(moments, 1.0 / total_weight_, H.data(), s);
  finish_hessian(H, s, s);
  return H;
}

// Moments are made of square roots of the weights: curvatures of both signs need two of them.
void GlmObjective::add_signed_moments(const Rows& columns, double* block, std::int64_t ld,
                                      const Context& ctx) const {
  for (const double sign : {1.0, -1.0}) {
    std::vector<double> d(kept_.size());
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = std::max(sign * kept_[i], 0.0);
    if (std::any_of(d.begin(), d.end(), [](double value) { return value > 0.0; }))
      add_to_block(columns.moments(d, ctx), sign / total_weight_, block, ld);
  }
}

// H = diag(q) - P' diag(w) P / W without columns, plus a curvature along the equal changes.
void GlmObjective::add_constants_hessian(double* H, const Context& ctx) const {
  const std::int64_t k = n_outputs(), ld = n_panels(k) * kLanes;
  const auto of_tile = [&](std::int64_t first, std::int64_t last) {
    auto sum = Buffer<double>::zeros(k * ld), weighted = Buffer<double>::zeros(kBlockRows * ld);
    for (std::int64_t begin = first; begin < last; begin += kBlockRows) {
      const std::int64_t count = std::min<std::int64_t>(kBlockRows, last - begin);
      const double* p = kept_.data() + begin * k;
      for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t c = 0; c < k; ++c)
          weighted[i * ld + c] = weight_of(begin + i) * p[i * k + c];
      const StridedProduct<double> squares{p, 1, k, k, count, weighted.data(), sum.data(), ld};
      GRAMIAN_DISPATCH(add_strided_product, squares);
    }
    return sum;
  };
  const auto combine = [](Buffer<double>& total, const Buffer<double>& next) {
    add_each(total, next);
  };
  const double cost_ns = 0.1 * static_cast<double>(rows_.n_rows() * k * ld);
  const Buffer<double> sum =
      parallel_reduce(ctx, Tiles::of_rows(rows_.n_rows(), kFoldRows), cost_ns, of_tile, combine);
  double mean = 0.0;
  for (std::int64_t a = 0; a < k; ++a)
    for (std::int64_t b = 0; b < a; ++b) {
      const double both = sum[a * ld + b] / total_weight_;
      for (const auto [i, j] : {std::array{a, b}, std::array{b, a}}) {
        H[i * k + j] -= both;
        H[i * k + i] += both;
      }
      mean += 2.0 * both / static_cast<double>(k * k);
    }
  for (std::int64_t e = 0; e < k * k; ++e) H[e] += mean;
}

// Blocks off the diagonal are -X' diag(w p_k p_l) X; those of a row add up to zero.
Buffer<double> GlmObjective::multinomial_hessian(const Rows& columns, bool full_gauge,
                                                 const Context& ctx) const {
  const std::int64_t k = n_outputs();
  const std::int64_t s = columns.n_features() + 1;
  const std::int64_t n = k * s;
  auto H = Buffer<double>::zeros(n * n);
  if (columns.n_features() == 0) {
    add_constants_hessian(H.data(), ctx);
    finish_hessian(H, n, s);
    return H;
  }
  const auto block = [&](std::int64_t a, std::int64_t b) { return H.data() + a * s * n + b * s; };
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (std::int64_t a = 0; a < k; ++a)
    for (std::int64_t b = 0; b < a; ++b) pairs.emplace_back(a, b);
  const auto weights = [&](std::int64_t pair, std::int64_t begin, std::int64_t end, double* d) {
    const auto [a, b] = pairs[at(pair)];
    for (std::int64_t i = begin; i < end; ++i)
      d[i - begin] = weight_of(i) * kept_[at(i * k + a)] * kept_[at(i * k + b)];
  };
  const std::vector<linalg::Moments> moments = columns.moments_of(std::ssize(pairs), weights, ctx);
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    const auto [a, b] = pairs[pair];
    add_to_block(moments[pair], -1.0 / total_weight_, block(a, b), n);
    add_to_block(moments[pair], -1.0 / total_weight_, block(b, a), n);
    add_to_block(moments[pair], 1.0 / total_weight_, block(a, a), n);
    add_to_block(moments[pair], 1.0 / total_weight_, block(b, b), n);
  }
  // The gradient has no part along equal changes of all classes: any curvature there will do.
  for (std::int64_t j = full_gauge ? 0 : s - 1; j < s; ++j) {
    double mean = 0.0;
    for (std::int64_t c = 0; c < k; ++c) mean += H[(c * s + j) * n + c * s + j];
    mean /= static_cast<double>(k * k);
    for (std::int64_t a = 0; a < k; ++a)
      for (std::int64_t b = 0; b < k; ++b) H[(a * s + j) * n + b * s + j] += mean;
  }
  finish_hessian(H, n, s);
  return H;
}

std::vector<double> GlmObjective::row_weights(double factor) const {
  std::vector<double> d(at(rows_.n_rows()));
  for (std::int64_t i = 0; i < rows_.n_rows(); ++i) d[at(i)] = factor * weight_of(i);
  return d;
}

std::vector<double> GlmObjective::diagonal(const Context& ctx) const {
  const auto k = static_cast<double>(n_outputs());
  const std::vector<double> d = problem_.pointwise ? kept_ : row_weights((1.0 - 1.0 / k) / k);
  const std::vector<double> squares = rows_.squares(d, ctx);
  const double sum = sum_of_rows(d);
  std::vector<double> out;
  for (std::int64_t c = 0; c < n_outputs(); ++c) {
    for (const double value : squares) out.push_back(value / total_weight_ + problem_.l2);
    out.push_back(problem_.fit_intercept ? sum / total_weight_ + problem_.l2_intercept : 1.0);
  }
  return out;
}

Buffer<double> GlmObjective::class_hessian(const Context& ctx) const {
  const std::vector<double> d = row_weights(1.0 / static_cast<double>(n_outputs()));
  auto H = Buffer<double>::zeros(stride() * stride());
  add_to_block(rows_.moments(d, ctx), 1.0 / total_weight_, H.data(), stride());
  finish_hessian(H, stride(), stride());
  return H;
}

}  // namespace gramian::solve
