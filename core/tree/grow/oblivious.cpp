#include "tree/grow/oblivious.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <variant>

#include "base/arg_max.hpp"
#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/spare_buffers.hpp"
#include "parallel/parallel_for.hpp"
#include "tree/columns/bins.hpp"
#include "tree/criterion/entropy_table.hpp"
#include "tree/criterion/impurity_terms.hpp"
#include "tree/grow/oblivious_statistics.hpp"

namespace gramian::tree {
namespace {

constexpr double kNoise = 1e-12;  // relative: scores that differ by less are equal
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Score = std::variant<ClassScore<GiniTerms>, ClassScore<EntropyTerms>,
                           MomentScore<SquaredError>, MomentScore<PoissonError>>;

Score score_of(const ObliviousTask& task, std::span<const double> table) {
  const auto k = static_cast<std::size_t>(task.target.width());
  switch (task.criterion) {
    case CriterionKind::gini:
      return ClassScore<GiniTerms>{{}, k};
    case CriterionKind::entropy:
      return ClassScore<EntropyTerms>{{{table}}, k};
    case CriterionKind::poisson:
      return MomentScore<PoissonError>{};
    default:
      return MomentScore<SquaredError>{};
  }
}

// A leaf that has rows.
struct Leaf {
  std::int64_t number;
  std::int64_t begin, end;
};

struct Condition {
  double score = -kInfinity;
  std::int64_t feature = -1;
  std::uint32_t cut = 0;  // to be at most this bin, or this level
  int missing_side = 1;

  bool is_found() const { return feature >= 0; }
};

// How good each condition on a column is for all leaves together, missing values on one side.
class ConditionScores {
 public:
  ConditionScores(const Bins& bins, bool takes_missing, std::int64_t min_samples_leaf)
      : bins_(bins),
        takes_missing_(takes_missing),
        min_rows_(static_cast<double>(min_samples_leaf)),
        scores_(bins.are_levels ? bins.n_bins : bins.n_bins - 1, 0.0),
        parts_(scores_.size(), 0),
        is_small_(scores_.size(), 0) {}

  // One more leaf, given the sums of its bins and of all of them.
  template <class AnyScore>
  void add(const AnyScore& score, const RowStatistics& rows, const double* sums,
           std::span<const double> total) {
    const std::size_t width = total.size();
    none_.assign(width, 0.0);
    if (takes_missing_) std::copy_n(sums + bins_.n_bins * width, width, none_.begin());
    met_ = none_;
    const Judged of_none = judge(score, rows, total);
    Judged judged = of_none;
    for (std::size_t cut = 0; cut < scores_.size(); ++cut) {
      const double* cell = sums + cut * width;
      if (bins_.are_levels) {
        met_ = none_;
        judged = of_none;
      }
      if (rows.n_rows(score, cell) > 0.0) {
        for (std::size_t k = 0; k < width; ++k) met_[k] += cell[k];
        judged = judge(score, rows, total);
      }
      scores_[cut] += judged.score;
      parts_[cut] |= judged.parts;
      is_small_[cut] |= judged.is_small;
    }
  }

  // The first of the best conditions if it is clearly better than a given one.
  void improve(std::int64_t feature, Condition& best) const {
    const auto score = [&](std::int64_t cut) {
      return is_allowed(at(cut)) ? scores_[at(cut)] : -kInfinity;
    };
    const auto n_cuts = std::ssize(scores_);
    const auto top = arg_max(n_cuts, score);
    if (!top || !std::isfinite(score(*top))) return;
    const double noise = kNoise * std::abs(score(*top));
    const std::int64_t cut = *first_near_max(n_cuts, score, noise);
    if (best.is_found() && !(score(cut) > best.score + noise)) return;
    best = {score(cut), feature, static_cast<std::uint32_t>(cut), takes_missing_ ? 0 : 1};
  }

 private:
  struct Judged {
    double score;
    bool parts, is_small;
  };

  // A condition that the rows with the sums met_ meet.
  template <class AnyScore>
  Judged judge(const AnyScore& score, const RowStatistics& rows, std::span<const double> total) {
    others_.resize(total.size());
    for (std::size_t k = 0; k < total.size(); ++k) others_[k] = total[k] - met_[k];
    const double fewest =
        std::min(rows.n_rows(score, met_.data()), rows.n_rows(score, others_.data()));
    const bool parts = fewest > 0.0;
    return {score(met_.data()) + score(others_.data()), parts, parts && fewest < min_rows_};
  }
  bool is_allowed(std::size_t cut) const { return parts_[cut] != 0 && is_small_[cut] == 0; }

  const Bins& bins_;
  bool takes_missing_;
  double min_rows_;
  std::vector<double> scores_;
  std::vector<std::uint8_t> parts_;     // whether some leaf is parted
  std::vector<std::uint8_t> is_small_;  // whether a part of some leaf has too few rows
  std::vector<double> none_, met_, others_;
};

// `Code`: a type that holds the bins of all columns.
template <class Code>
class ObliviousGrower {
 public:
  ObliviousGrower(const ObliviousTask& task, const Columns& columns, std::vector<Bins> bins,
                  const Context& ctx)
      : task_(task),
        ctx_(ctx),
        n_rows_(columns.n_rows()),
        bins_(std::move(bins)),
        codes_(n_rows_ * columns.n_features()),
        rows_(static_cast<std::size_t>(n_rows_)),
        source_(rows_.size()),
        statistics_(task),
        leaves_{{0, 0, n_rows_}} {
    std::iota(rows_.begin(), rows_.end(), 0u);
    parallel_for(ctx, columns.n_features(), 3.0 * n_cells(), [&](std::int64_t f) {
      write_bins(bins_[static_cast<std::size_t>(f)], columns.sorted(f), columns[f].missing_code,
                 codes_of(f));
    });
    double total = 0.0;
    for (std::int64_t i = 0; i < n_rows_; ++i) total += statistics_.weight(i);
    if (task.criterion == CriterionKind::entropy) table_ = entropy_table(total);
    score_ = score_of(task, table_);
  }

  ObliviousConditions grow() {
    ObliviousConditions out;
    while (static_cast<std::int64_t>(out.feature.size()) < task_.max_depth && !is_pure()) {
      const double before = score_now();
      const Condition best = best_condition(before);
      if (!best.is_found()) break;
      const double decrease = task_.unit * std::max(0.0, best.score - before);
      if (decrease < task_.min_decrease * (1.0 - kNoise)) break;
      const int heavier = divide(best);
      describe(best, heavier, decrease, out);
    }
    out.leaf.resize(rows_.size());
    for (const Leaf& leaf : leaves_)
      for (std::int64_t i = leaf.begin; i < leaf.end; ++i)
        out.leaf[rows_[static_cast<std::size_t>(i)]] = leaf.number;
    return out;
  }

 private:
  Code* codes_of(std::int64_t feature) { return codes_.data() + feature * n_rows_; }
  double n_cells() const { return static_cast<double>(codes_.size()); }

  bool is_pure() const {
    return std::all_of(leaves_.begin(), leaves_.end(),
                       [&](const Leaf& leaf) { return statistics_.is_pure(leaf.begin, leaf.end); });
  }

  double score_now() const {
    std::vector<double> sums(statistics_.width());
    double score = 0.0;
    for (const Leaf& leaf : leaves_) {
      std::fill(sums.begin(), sums.end(), 0.0);
      statistics_.add(leaf.begin, leaf.end, [](std::int64_t) { return 0; }, sums.data());
      score += std::visit([&](const auto& of) { return of(sums.data()); }, score_);
    }
    return score;
  }

  // The best condition of all columns; of those that tie, on the first.
  Condition best_condition(double before) {
    const auto n_features = static_cast<std::int64_t>(bins_.size());
    std::vector<Condition> found(bins_.size());
    parallel_for(ctx_, n_features, 3.0 * n_cells(), [&](std::int64_t f) {
      if (leaves_.size() > 1) {  // parted since the last search
        Buffer<Code> scratch = spare_.take(n_rows_);
        regroup(std::span<const std::uint32_t>(source_), codes_of(f), scratch.data());
        spare_.give_back(std::move(scratch));
      }
      found[static_cast<std::size_t>(f)] = best_of_column(f);
    });
    Condition best;
    for (const Condition& condition : found) {
      const double margin =
          best.is_found() ? kNoise * (std::abs(before) + std::abs(best.score)) : 0.0;
      if (condition.is_found() && (!best.is_found() || condition.score > best.score + margin))
        best = condition;
    }
    return best;
  }

  Condition best_of_column(std::int64_t feature) {
    const Bins& bins = bins_[static_cast<std::size_t>(feature)];
    const Code* codes = codes_of(feature);
    const std::size_t width = statistics_.width();
    std::vector<double> sums((bins.n_bins + 1) * width), total(width);
    std::vector<ConditionScores> sides;
    for (int side = 0; side < (bins.has_missing ? 2 : 1); ++side)
      sides.emplace_back(bins, side == 1, task_.min_samples_leaf);
    for (const Leaf& leaf : leaves_) {
      ctx_.check();
      std::fill(sums.begin(), sums.end(), 0.0);
      statistics_.add(leaf.begin, leaf.end, [&](std::int64_t i) { return codes[i]; }, sums.data());
      std::fill(total.begin(), total.end(), 0.0);
      for (std::size_t bin = 0; bin <= bins.n_bins; ++bin)
        for (std::size_t k = 0; k < width; ++k) total[k] += sums[bin * width + k];
      for (ConditionScores& scores : sides)
        std::visit([&](const auto& of) { scores.add(of, statistics_, sums.data(), total); },
                   score_);
    }
    Condition best;
    for (const ConditionScores& scores : sides) scores.improve(feature, best);
    return best;
  }

  // Parts the leaves; returns the side that has more weight.
  int divide(const Condition& condition) {
    const Bins& bins = bins_[static_cast<std::size_t>(condition.feature)];
    const Code* codes = codes_of(condition.feature);
    std::vector<std::uint8_t> side_of(bins.n_bins + 1);
    for (std::uint32_t bin = 0; bin < bins.n_bins; ++bin)
      side_of[bin] = bins.are_levels ? bin != condition.cut : bin > condition.cut;
    side_of[bins.n_bins] = static_cast<std::uint8_t>(condition.missing_side);
    std::array<double, 2> weight{};
    std::vector<Leaf> leaves;
    for (const Leaf& leaf : leaves_) {
      std::int64_t middle = leaf.end;
      for (std::int64_t i = leaf.begin; i < leaf.end; ++i) middle -= side_of[codes[i]];
      std::array<std::int64_t, 2> next{leaf.begin, middle};
      for (std::int64_t i = leaf.begin; i < leaf.end; ++i) {
        const std::size_t side = side_of[codes[i]];
        source_[static_cast<std::size_t>(next[side]++)] = static_cast<std::uint32_t>(i);
        weight[side] += statistics_.weight(i);
      }
      if (middle > leaf.begin) leaves.push_back({2 * leaf.number, leaf.begin, middle});
      if (leaf.end > middle) leaves.push_back({2 * leaf.number + 1, middle, leaf.end});
    }
    leaves_ = std::move(leaves);
    statistics_.move(source_);
    std::vector<std::uint32_t> scratch(rows_.size());
    regroup(std::span<const std::uint32_t>(source_), rows_.data(), scratch.data());
    return weight[1] > weight[0] ? 1 : 0;
  }

  void describe(const Condition& condition, int heavier, double decrease,
                ObliviousConditions& out) const {
    const Bins& bins = bins_[static_cast<std::size_t>(condition.feature)];
    out.feature.push_back(condition.feature);
    out.threshold.push_back(bins.are_levels ? std::numeric_limits<double>::quiet_NaN()
                                            : bins.thresholds[condition.cut]);
    out.level.push_back(bins.are_levels ? static_cast<std::int64_t>(condition.cut) : -1);
    out.missing_side.push_back(bins.has_missing ? condition.missing_side : heavier);
    out.decrease.push_back(decrease);
  }

  const ObliviousTask& task_;
  const Context& ctx_;
  std::int64_t n_rows_;
  std::vector<Bins> bins_;
  Buffer<Code> codes_;                 // column after column, leaf after leaf
  std::vector<std::uint32_t> rows_;    // leaf after leaf
  std::vector<std::uint32_t> source_;  // where the rows were before the last condition
  SpareBuffers<Code> spare_;
  RowStatistics statistics_;
  std::vector<Leaf> leaves_;
  std::vector<double> table_;
  Score score_;
};

}  // namespace

ObliviousConditions grow_oblivious(const ObliviousTask& task, const Context& ctx) {
  std::optional<Columns> columns;
  columns.emplace(task.X, task.n_levels, Columns::Form::sorted, ctx, Columns::Precision::full);
  std::vector<Bins> bins = bins_of(*columns, task.weight, task.max_bins, ctx);
  std::uint32_t largest = 0;
  for (const Bins& own : bins) largest = std::max(largest, own.n_bins);
  const auto grow_with = [&]<class Code>(Code) {
    ObliviousGrower<Code> grower(task, *columns, std::move(bins), ctx);
    columns.reset();  // its memory is free for growing
    return grower.grow();
  };
  if (largest <= std::numeric_limits<std::uint8_t>::max()) return grow_with(std::uint8_t{});
  if (largest <= std::numeric_limits<std::uint16_t>::max()) return grow_with(std::uint16_t{});
  return grow_with(std::uint32_t{});
}

}  // namespace gramian::tree
