// The split of a node, and the scan that finds the best cut of one column.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tree/criterion/criterion.hpp"
#include "tree/format/target.hpp"

namespace gramian::tree {

// Half-way between the largest value on the left and the smallest on the right.
inline double threshold_between(double left, double right) {
  const double half_way = left / 2.0 + right / 2.0;
  return half_way < right ? half_way : left;
}

struct Split {
  double score = -std::numeric_limits<double>::infinity();
  double threshold = 0.0;     // numeric: x <= threshold goes left
  double middle = 0.0;        // between the values of the two sides
  std::int64_t feature = -1;  // -1: no split
  std::int64_t n_left = 0;
  std::uint32_t last_left = 0;  // numeric: the largest code that goes left
  // Numeric: the rows next to the cut, as handles; the right one only if has_right.
  std::uint32_t left_handle = 0, right_handle = 0;
  bool has_right = false;
  bool is_perfect = false;  // both sides are pure
  bool missing_left = false;
  bool saw_missing = false;
  std::vector<std::uint64_t> levels;  // categorical: bit c says that level c goes left

  bool is_found() const { return feature >= 0; }
  bool is_categorical() const { return !levels.empty(); }

  void set_threshold(double left, double right) { threshold = threshold_between(left, right); }

  bool code_goes_left(std::uint32_t code, std::uint32_t missing_code) const {
    if (code == missing_code) return missing_left;
    if (is_categorical()) return (levels[code / 64] >> (code % 64) & 1) != 0;
    return code <= last_left;
  }
};

// What a cut must keep to.
struct CutRules {
  std::int64_t min_samples_leaf = 1;
  double min_weight_leaf = 0.0;
  int monotone = 0;
  Bounds bounds;
  bool counts_weights = false;  // weights are whole: so many copies of a row
};

// The best cut of a sequence of rows, as a number of rows on the left (0: none).
struct Cut {
  double score = -std::numeric_limits<double>::infinity();
  bool is_left_heavier = false;
  double middle = 0.0;
  std::int64_t n_left = 0;
};

// Whether a walk's cut keeps to the rules on weights and, at a cost, on monotone columns.
template <class Walk>
bool is_heavy_enough(const Walk& walk, const CutRules& rules) {
  return rules.min_weight_leaf <= 0.0 || (walk.left_weight() >= rules.min_weight_leaf &&
                                          walk.right_weight() >= rules.min_weight_leaf);
}
template <class Walk>
bool is_monotone(const Walk& walk, const CutRules& rules) {
  return rules.monotone == 0 || walk.respects(rules.monotone, rules.bounds);
}

// Moves the n rows of a sequence to the left one by one and looks at the cuts between rows i - 1
// and i where is_cut(i), first <= i <= last. Equal scores: the first wins.
template <class Criterion, class HandleAt, class IsCut>
Cut best_cut(Criterion& criterion, std::int64_t n, const HandleAt& handle_at, const IsCut& is_cut,
             std::int64_t first, std::int64_t last, const CutRules& rules) {
  first = std::max(first, rules.min_samples_leaf);
  last = std::min(last, n - rules.min_samples_leaf);
  Cut best;
  if (first > last) return best;
  auto walk = criterion.walk(n, handle_at);
  double best_score = best.score;
  std::int64_t i = 0;
  while (i < first - 1) walk.move(handle_at(i++));
  while (i < last) {
    walk.move(handle_at(i++));
    double score = 0.0;
    if (!is_cut(i) || !walk.improves(best_score, score)) continue;
    if (!is_heavy_enough(walk, rules) || !is_monotone(walk, rules)) continue;
    best_score = score;
    best.n_left = i;
    best.is_left_heavier = walk.left_weight() > walk.right_weight();
    if (rules.monotone != 0) best.middle = walk.middle();
  }
  best.score = best_score;
  return best;
}

// A node's rows in the order of one column: codes ascending, missing values last.
template <class CodeAt, class HandleAt>
struct SortedRows {
  std::int64_t n;
  const CodeAt& code_at;
  const HandleAt& handle_at;
  std::uint32_t missing_code;

  std::int64_t n_present() const {
    std::int64_t m = n;
    while (m > 0 && code_at(m - 1) == missing_code) --m;
    return m;
  }
};

// The best split of a numeric column. With missing values every cut is tried with them on either
// side, and all numbers against all missing.
template <class Criterion, class CodeAt, class HandleAt>
void scan_numeric(Criterion& criterion, const SortedRows<CodeAt, HandleAt>& rows,
                  std::int64_t feature, const CutRules& rules, Split& best) {
  const std::int64_t n = rows.n;
  const std::int64_t n_present = rows.n_present();
  const std::int64_t n_missing = n - n_present;
  if (n_present == 0) return;
  const auto is_cut = [&](std::int64_t i) {
    return i == n_present || rows.code_at(i) != rows.code_at(i - 1);
  };
  const auto keep = [&](const Cut& cut, std::int64_t last_left, bool missing_left) {
    if (!(cut.score > best.score)) return;
    best.score = cut.score;
    best.middle = cut.middle;
    best.feature = feature;
    best.n_left = cut.n_left;
    best.last_left = rows.code_at(last_left);
    best.left_handle = rows.handle_at(last_left);
    best.has_right = last_left + 1 < n_present;
    if (best.has_right) best.right_handle = rows.handle_at(last_left + 1);
    best.saw_missing = n_missing > 0;
    best.missing_left = n_missing > 0 ? missing_left : cut.is_left_heavier;
    best.levels.clear();
  };
  const std::int64_t last = n_missing > 0 ? n_present : n_present - 1;
  const Cut right = best_cut(criterion, n, rows.handle_at, is_cut, 1, last, rules);
  if (right.n_left > 0) keep(right, right.n_left - 1, false);
  if (n_missing == 0) return;
  const auto rotated = [&](std::int64_t i) {
    return rows.handle_at(i < n_missing ? n_present + i : i - n_missing);
  };
  const auto is_rotated_cut = [&](std::int64_t i) { return is_cut(i - n_missing); };
  const Cut left = best_cut(criterion, n, rotated, is_rotated_cut, n_missing + 1, n - 1, rules);
  if (left.n_left > 0) keep(left, left.n_left - n_missing - 1, true);
}

// One level of a categorical column in a node: its rows, and where it stands among the levels.
struct LevelRows {
  double value = 0.0;  // by which levels are ordered
  std::int64_t begin = 0, end = 0;
  std::uint32_t code = 0;
  bool is_rare = false;

  bool operator<(const LevelRows& other) const {
    return value != other.value ? value < other.value : is_rare < other.is_rare;
  }
};

// Where there are many levels, those of few rows stay together: an order by their own targets would
// fit noise, names and numbers of persons most of all. (Trees on auto_mpg, with the name of each
// car: R2 0.10 without this rule, 0.82 with it; no loss on tables of few levels.)
template <class CountOf>
void mark_rare(std::vector<LevelRows>& levels, const CountOf& count_of) {
  constexpr std::size_t kMany = 10;
  constexpr double kFew = 5.0;
  if (levels.size() <= kMany) return;
  for (LevelRows& level : levels) level.is_rare = count_of(level) < kFew;
}

// A node's rows in the order of their levels. The scan of levels is compiled once for a criterion:
// beside its orders, the copy costs little.
struct RowsByLevel {
  template <class CodeAt, class HandleAt>
  explicit RowsByLevel(const SortedRows<CodeAt, HandleAt>& rows)
      : handles(static_cast<std::size_t>(rows.n)), missing_code(rows.missing_code) {
    for (std::int64_t i = 0; i < rows.n; ++i) {
      if (i == 0 || rows.code_at(i) != rows.code_at(i - 1))
        levels.push_back({0.0, i, i, rows.code_at(i), false});
      levels.back().end = i + 1;
      handles[static_cast<std::size_t>(i)] = rows.handle_at(i);
    }
  }

  std::span<const std::uint32_t> of(const LevelRows& level) const {
    return std::span(handles).subspan(static_cast<std::size_t>(level.begin),
                                      static_cast<std::size_t>(level.end - level.begin));
  }

  std::vector<LevelRows> levels;
  std::vector<std::uint32_t> handles;
  std::uint32_t missing_code;
};

// Orders the levels by the ratio of sums_of(level), a pair, the rare ones as if one. Sums beyond
// the largest number may have a ratio that is none: it comes last, as sorting needs an order.
template <class SumsOf>
void order_levels(std::vector<LevelRows>& levels, const SumsOf& sums_of) {
  double rare_sum = 0.0, rare_weight = 0.0;
  for (LevelRows& level : levels) {
    const auto [sum, weight] = sums_of(level);
    level.value = sum / weight;
    rare_sum += level.is_rare ? sum : 0.0;
    rare_weight += level.is_rare ? weight : 0.0;
  }
  for (LevelRows& level : levels)
    if (level.is_rare) level.value = rare_sum / rare_weight;
  for (LevelRows& level : levels)
    if (std::isnan(level.value)) level.value = std::numeric_limits<double>::infinity();
  std::sort(levels.begin(), levels.end(), [](const LevelRows& a, const LevelRows& b) {
    return a < b || (!(b < a) && a.code < b.code);
  });
}

// The sum of the rows' weights times criterion.order_value(., order), and that of their weights.
template <class Criterion>
std::pair<double, double> order_sums(const Criterion& criterion,
                                     std::span<const std::uint32_t> handles, std::int64_t order) {
  double sum = 0.0, weight = 0.0;
  for (const std::uint32_t handle : handles) {
    const double w = criterion.weight_of(handle);
    sum += w * criterion.order_value(handle, order);
    weight += w;
  }
  return {sum, weight};
}

// Sets which levels go left, given the order of all and the cut. Levels that the node has not seen,
// and missing values if it has none, go with the heavier side.
inline void set_levels(std::span<const LevelRows> levels, const Cut& cut, std::int32_t n_levels,
                       std::uint32_t missing_code, Split& split) {
  split.n_left = cut.n_left;
  split.saw_missing = false;
  split.missing_left = cut.is_left_heavier;
  split.levels.assign((static_cast<std::size_t>(n_levels) + 63) / 64,
                      split.missing_left ? ~std::uint64_t{0} : 0);
  std::int64_t n_taken = 0;
  for (const LevelRows& level : levels) {
    const bool goes_left = n_taken < cut.n_left;
    n_taken += level.end - level.begin;
    if (level.code == missing_code) {
      split.saw_missing = true;
      split.missing_left = goes_left;
      continue;
    }
    const std::uint64_t bit = std::uint64_t{1} << (level.code % 64);
    std::uint64_t& word = split.levels[level.code / 64];
    word = goes_left ? word | bit : word & ~bit;
  }
}

// The best split of a categorical column into two sets of levels, missing values being a level.
// The levels are ordered by the mean target, which for two classes and for regression finds the
// best of all subsets (Breiman and others, Classification and regression trees, 1984, section
// 4.2); with more classes by the share of each class in turn.
//
// Not inlined: beside it the loops over numeric columns are compiled to slower code.
template <class Criterion>
[[gnu::noinline]] void scan_categorical(Criterion& criterion, RowsByLevel rows,
                                        std::int64_t feature, std::int32_t n_levels,
                                        const CutRules& rules, Split& best) {
  std::vector<LevelRows>& levels = rows.levels;
  if (levels.size() < 2) return;
  mark_rare(levels, [&](const LevelRows& level) {
    double count = 0.0;
    for (const std::uint32_t handle : rows.of(level))
      count += rules.counts_weights ? criterion.weight_of(handle) : 1.0;
    return count;
  });
  std::vector<std::uint32_t> sequence(rows.handles.size());
  std::vector<std::uint8_t> is_cut(sequence.size() + 1);
  for (std::int64_t order = 0; order < criterion.n_orders(); ++order) {
    order_levels(levels, [&](const LevelRows& level) {
      return order_sums(criterion, rows.of(level), order);
    });
    std::fill(is_cut.begin(), is_cut.end(), std::uint8_t{0});
    std::size_t place = 0;
    for (std::size_t k = 0; k < levels.size(); ++k) {
      is_cut[place] = k > 0 && !(levels[k].is_rare && levels[k - 1].is_rare);
      for (const std::uint32_t handle : rows.of(levels[k])) sequence[place++] = handle;
    }
    const auto n = static_cast<std::int64_t>(sequence.size());
    const Cut cut = best_cut(
        criterion, n, [&](std::int64_t i) { return sequence[static_cast<std::size_t>(i)]; },
        [&](std::int64_t i) { return is_cut[static_cast<std::size_t>(i)] != 0; }, 1, n - 1, rules);
    if (cut.n_left == 0 || !(cut.score > best.score)) continue;
    best.score = cut.score;
    best.middle = cut.middle;
    best.feature = feature;
    set_levels(levels, cut, n_levels, rows.missing_code, best);
  }
}

// The best split of a column, given the node's rows in its order.
template <class Criterion, class CodeAt, class HandleAt>
void scan_column(Criterion& criterion, const SortedRows<CodeAt, HandleAt>& rows,
                 std::int64_t feature, std::int32_t n_levels, const CutRules& rules, Split& best) {
  if (n_levels > 0)
    scan_categorical(criterion, RowsByLevel(rows), feature, n_levels, rules, best);
  else
    scan_numeric(criterion, rows, feature, rules, best);
}

}  // namespace gramian::tree
