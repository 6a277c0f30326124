#include "ensemble/gradient_booster.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "ensemble/pruned.hpp"
#include "parallel/tiles.hpp"
#include "tree/grow/grow.hpp"
#include "tree/predict/predict.hpp"

namespace gramian::ensemble {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Calls visit(leaf, rows) for the rows of each leaf.
template <class Visit>
void visit_leaves(const tree::GrownTrees& grown, std::span<const std::uint32_t> rows_by_leaf,
                  const Visit& visit) {
  std::size_t begin = 0;
  for (std::size_t leaf = 0; leaf < grown.leaf_count.size(); ++leaf) {
    const auto count = static_cast<std::size_t>(grown.leaf_count[leaf]);
    visit(leaf, rows_by_leaf.subspan(begin, count));
    begin += count;
  }
}

// The zero of a function that falls and is positive at 0, found by halving and false position; at
// most kLargest.
template <class Slope>
double zero_of(const Slope& slope) {
  constexpr double kLargest = 1024.0;
  double low = 0.0, high = 1.0, at_low = slope(low), at_high = slope(high);
  if (!(at_low > 0.0)) return 0.0;
  while (at_high > 0.0 && high < kLargest) {
    low = std::exchange(high, 2.0 * high);
    at_low = std::exchange(at_high, slope(high));
  }
  if (!(at_high < 0.0)) return high;
  for (int i = 0; i < 100 && high - low > 1e-14 * high; ++i) {
    // The Illinois rule every other time; halving also finds the jump of a slope that has steps.
    const double guess = (low * at_high - high * at_low) / (at_high - at_low);
    const double middle = i % 2 == 0 && guess > low && guess < high ? guess : 0.5 * (low + high);
    const double found = slope(middle);
    if (found == 0.0) return middle;
    (found > 0.0 ? low : high) = middle;
    (found > 0.0 ? at_low : at_high) = found;
  }
  return 0.5 * (low + high);
}

// Weights of the rows with is_in equal to `side`; zero for the others.
std::vector<double> weights_where(std::span<const std::uint8_t> is_in, bool side,
                                  std::span<const double> weight) {
  std::vector<double> out(is_in.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    if ((is_in[i] != 0) == side) out[i] = weight.empty() ? 1.0 : weight[i];
  return out;
}

}  // namespace

GradientBooster::GradientBooster(const tree::Columns& columns, ScoredRows rows, BoostingLoss loss,
                                 const tree::Options& options, const BoosterOptions& how)
    : columns_(columns),
      rows_(std::move(rows)),
      loss_(loss),
      options_(options),
      how_(how),
      residuals_(rows_.scores.size()) {
  // Leaves that are not the mean residuals do not tell the values of inner nodes.
  options_.keeps_nodes =
      loss.kind() != loss::Kind::squared || how.has_global_step || how.ccp_alpha > 0.0;
  for (std::int64_t f = 0; f < columns.n_features(); ++f) {
    n_levels_.push_back(columns[f].n_levels);
    is_double_.push_back(columns[f].is_double);
  }
}

std::span<const double> GradientBooster::scores_of(std::int64_t output) const {
  const std::size_t n = rows_.y.size();
  return std::span(rows_.scores).subspan(static_cast<std::size_t>(output) * n, n);
}

RoundLosses GradientBooster::add_round(std::span<const std::uint8_t> is_in,
                                       std::span<const std::uint64_t> seeds, const Context& ctx) {
  const std::span<const double> weight = rows_.weight;
  tree::Sample sample;
  sample.weight = weight;
  for (std::uint32_t i = 0; i < rows_.y.size(); ++i) {
    const double w = weight.empty() ? 1.0 : weight[i];
    if (!(w > 0.0) || (!is_in.empty() && is_in[i] == 0)) continue;
    sample.rows.push_back(i);
  }
  if (sample.rows.empty()) throw InvalidArgument("a round needs a row of positive weight");
  loss_.set_delta(rows_.y, rows_.scores, weight);
  RoundLosses losses{0.0, kNone, kNone, kNone};
  std::vector<double> out_weight;
  if (!is_in.empty()) {
    out_weight = weights_where(is_in, false, weight);
    losses.out_before = loss_.mean(rows_.y, rows_.scores, out_weight, ctx);
  }
  sample.total_weight = weight.empty()  ? static_cast<double>(sample.rows.size())
                        : is_in.empty() ? sum_of_rows(weight)
                                        : sum_of_rows(weights_where(is_in, true, weight));
  loss_.residuals(rows_.y, rows_.scores, residuals_, ctx);
  for (std::int64_t k = 0; k < loss_.n_outputs(); ++k)
    add_tree(k, sample, seeds[static_cast<std::size_t>(k)], ctx);
  if (is_in.empty()) {
    losses.train = loss_.mean(rows_.y, rows_.scores, weight, ctx);
  } else {
    losses.train = loss_.mean(rows_.y, rows_.scores, weights_where(is_in, true, weight), ctx);
    losses.out = loss_.mean(rows_.y, rows_.scores, out_weight, ctx);
  }
  if (watched_)
    losses.validation = loss_.mean(watched_->y, watched_->scores, watched_->weight, ctx);
  return losses;
}

void GradientBooster::add_tree(std::int64_t output, const tree::Sample& sample, std::uint64_t seed,
                               const Context& ctx) {
  const std::size_t n = rows_.y.size();
  const auto residual =
      std::span<const double>(residuals_).subspan(static_cast<std::size_t>(output) * n, n);
  const tree::Target target{{}, residual, {}, static_cast<std::int64_t>(n), 1};
  tree::Options limited = options_;
  limited.limits.min_weight_leaf = options_.limits.min_weight_leaf * sample.total_weight;
  tree::GrownTrees grown;
  tree::grow_tree({columns_, target, limited, sample, seed, ctx, &rows_by_leaf_}, grown);
  if (how_.ccp_alpha > 0.0) grown = pruned(grown, how_.ccp_alpha, ctx);
  set_leaves(output, grown);
  steps_.push_back(1.0);
  if (how_.has_global_step) {
    steps_.back() = global_step(output, grown);
    for (double& value : grown.leaf_value) value *= steps_.back();
  }
  std::size_t leaf = 0;
  for (std::size_t i = 0; i < grown.node_value.size(); ++i)
    if (grown.feature[i] < 0) grown.node_value[i] = grown.leaf_value[leaf++];
  move_scores(output, grown, static_cast<std::int64_t>(sample.rows.size()), ctx);
  trees_.append(grown);
}

// The leaves of the tree have the mean residuals.
void GradientBooster::set_leaves(std::int64_t output, tree::GrownTrees& grown) const {
  if (loss_.kind() == loss::Kind::squared || how_.has_global_step) return;
  const std::size_t n = rows_.y.size();
  const auto residual =
      std::span<const double>(residuals_).subspan(static_cast<std::size_t>(output) * n, n);
  visit_leaves(grown, rows_by_leaf_, [&](std::size_t leaf, std::span<const std::uint32_t> rows) {
    grown.leaf_value[leaf] =
        loss_.best_step(rows_.y, scores_of(output), rows_.weight, residual, rows, output);
  });
}

double GradientBooster::global_step(std::int64_t output, const tree::GrownTrees& grown) const {
  const auto z = scores_of(output);
  const std::size_t n = rows_.y.size();
  std::vector<double> others;  // of softmax: log sum exp of the other scores
  if (loss_.kind() == loss::Kind::softmax) {
    others.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0.0;
      for (std::int64_t k = 0; k < loss_.n_outputs(); ++k)
        if (k != output) sum += std::exp(scores_of(k)[i]);
      others[i] = std::log(sum);
    }
  }
  const auto descent = [&](const auto& derivative, double step) {
    double slope = 0.0;
    visit_leaves(grown, rows_by_leaf_, [&](std::size_t leaf, std::span<const std::uint32_t> rows) {
      const double value = grown.leaf_value[leaf];
      for (const std::uint32_t row : rows) {
        const double w = rows_.weight.empty() ? 1.0 : rows_.weight[row];
        slope -= w * value * derivative(row, z[row] + step * value, rows_.y[row]);
      }
    });
    return slope;
  };
  return loss_.with_derivative(output, others, [&](const auto& derivative) {
    return zero_of([&](double step) { return descent(derivative, step); });
  });
}

void GradientBooster::move_scores(std::int64_t output, const tree::GrownTrees& grown,
                                  std::int64_t n_in, const Context& ctx) {
  const std::size_t n = rows_.y.size();
  const bool has_all = n_in == static_cast<std::int64_t>(n);
  std::vector<std::uint8_t> is_done(has_all ? 0 : n);
  double* scores = rows_.scores.data() + static_cast<std::size_t>(output) * n;
  visit_leaves(grown, rows_by_leaf_, [&](std::size_t leaf, std::span<const std::uint32_t> rows) {
    const double move = how_.rate * grown.leaf_value[leaf];
    for (const std::uint32_t row : rows) {
      scores[row] += move;
      if (!has_all) is_done[row] = 1;
    }
  });
  if (!has_all) add_predictions(grown, output, rows_, is_done, ctx);
  if (watched_) add_predictions(grown, output, *watched_, {}, ctx);
}

void GradientBooster::add_predictions(const tree::GrownTrees& grown, std::int64_t output,
                                      ScoredRows& rows, const std::vector<std::uint8_t>& is_done,
                                      const Context& ctx) const {
  tree::TreesView view;
  view.node_offsets = grown.node_offsets;
  view.feature = grown.feature;
  view.threshold = grown.threshold;
  view.flags = grown.flags;
  view.category_words = grown.category_words;
  view.n_levels = n_levels_;
  view.is_double = is_double_;
  view.width = 1;
  view.leaf_value = std::span<const double>(grown.leaf_value);
  view.leaf_count = grown.leaf_count;
  const std::size_t n = rows.y.size();
  std::vector<double> found(n);
  tree::Predictor(view, {}, ctx)
      .mean(rows.X, {found.data(), static_cast<std::int64_t>(n), 1, 1, 1}, ctx);
  double* scores = rows.scores.data() + static_cast<std::size_t>(output) * n;
  for (std::size_t i = 0; i < n; ++i)
    if (is_done.empty() || is_done[i] == 0) scores[i] += how_.rate * found[i];
}

}  // namespace gramian::ensemble
