// The split of a node, and the scan that finds the best cut of one column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "tree/criterion.hpp"
#include "tree/target.hpp"

namespace gramian::tree {

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
};

// The best cut of a sequence of rows, as a number of rows on the left (0: none).
struct Cut {
  double score = -std::numeric_limits<double>::infinity();
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
    best.missing_left = n_missing > 0 ? missing_left : 2 * cut.n_left > n;
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

// The best split of a categorical column into two sets of levels, missing values being a level.
// The levels are ordered by the mean target, which for two classes and for regression finds the
// best of all subsets (Breiman and others, Classification and regression trees, 1984, section
// 4.2); with more classes by the share of each class in turn.
template <class Criterion, class CodeAt, class HandleAt>
void scan_categorical(Criterion& criterion, const SortedRows<CodeAt, HandleAt>& rows,
                      std::int64_t feature, std::int32_t n_levels, const CutRules& rules,
                      Split& best) {
  struct Group {
    double value;
    std::int64_t begin, end;
    std::uint32_t code;
  };
  std::vector<Group> groups;
  for (std::int64_t i = 0; i < rows.n; ++i) {
    if (i == 0 || rows.code_at(i) != rows.code_at(i - 1))
      groups.push_back({0.0, i, i, rows.code_at(i)});
    groups.back().end = i + 1;
  }
  if (groups.size() < 2) return;
  std::vector<std::uint32_t> sequence(static_cast<std::size_t>(rows.n));
  std::vector<std::uint8_t> cuts(sequence.size() + 1);
  for (std::int64_t order = 0; order < criterion.n_orders(); ++order) {
    for (Group& group : groups) {
      double sum = 0.0, weight = 0.0;
      for (std::int64_t i = group.begin; i < group.end; ++i) {
        const double w = criterion.weight_of(rows.handle_at(i));
        sum += w * criterion.order_value(rows.handle_at(i), order);
        weight += w;
      }
      group.value = sum / weight;
    }
    std::stable_sort(groups.begin(), groups.end(),
                     [](const Group& a, const Group& b) { return a.value < b.value; });
    std::size_t place = 0;
    std::fill(cuts.begin(), cuts.end(), std::uint8_t{0});
    for (const Group& group : groups) {
      cuts[place] = 1;
      for (std::int64_t i = group.begin; i < group.end; ++i) sequence[place++] = rows.handle_at(i);
    }
    const Cut cut = best_cut(
        criterion, rows.n, [&](std::int64_t i) { return sequence[static_cast<std::size_t>(i)]; },
        [&](std::int64_t i) { return cuts[static_cast<std::size_t>(i)] != 0; }, 1, rows.n - 1,
        rules);
    if (cut.n_left == 0 || !(cut.score > best.score)) continue;
    best.score = cut.score;
    best.middle = cut.middle;
    best.feature = feature;
    best.n_left = cut.n_left;
    best.saw_missing = rows.n_present() < rows.n;
    // Levels that the node has not seen go with the larger side.
    best.missing_left = 2 * cut.n_left > rows.n;
    best.levels.assign((static_cast<std::size_t>(n_levels) + 63) / 64,
                       best.missing_left ? ~std::uint64_t{0} : 0);
    std::int64_t n_taken = 0;
    for (const Group& group : groups) {
      const bool goes_left = n_taken < cut.n_left;
      n_taken += group.end - group.begin;
      if (group.code == rows.missing_code) {
        best.missing_left = goes_left;
        continue;
      }
      const std::uint64_t bit = std::uint64_t{1} << (group.code % 64);
      std::uint64_t& word = best.levels[group.code / 64];
      word = goes_left ? word | bit : word & ~bit;
    }
  }
}

}  // namespace gramian::tree
