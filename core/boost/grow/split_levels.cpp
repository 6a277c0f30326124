// How the levels of a categorical column are put in order, and where they may be cut.
#include <algorithm>
#include <array>
#include <vector>

#include "base/index.hpp"
#include "boost/grow/split_finder.hpp"

namespace gramian::boost {

// One level against the others, at a place that is the same in every node.
void SplitFinder::set_levels_apart(const Feature& feature, Sequence& out) const {
  out.is_one_hot = true;
  if (!feature.has_missing) return;
  out.cells[at(out.n)] = out.missing;
  out.bin[at(out.n)] = out.n;
  ++out.n;
  out.missing = 0;
}

// The hessian that so many rows of a node have on average.
double SplitFinder::hessian_of_rows(const NodeView& node, double n_rows) const {
  if (n_rows == 0.0) return 0.0;
  if (units_.counts_rows()) return n_rows * static_cast<double>(units_.largest_hessian);
  auto n_all = static_cast<double>(node.rows.size());
  if (!row_weight_.empty()) {
    n_all = 0.0;
    for (const std::uint32_t row : node.rows) n_all += row_weight_[row];
  }
  return n_rows * static_cast<double>(hessian_of(node.total)) / n_all;
}

// Levels are cut in the order of gradient / hessian, which holds the best of all two-way splits
// (Fisher, 1958); missing values are a level of their own, and levels without rows are left out.
void SplitFinder::order_levels(const Feature& feature, const NodeView& node, Sequence& out) const {
  struct Level {
    double key;
    Pair cell;
    std::int32_t bin;
  };
  std::vector<Level> levels;
  const double smoothing = options_.level_smoothing / units_.hessian;
  const double least = hessian_of_rows(node, options_.level_support);
  Pair rare = 0;
  const auto add = [&](Pair cell, std::int32_t bin) {
    if (hessian_of(cell) == 0) return;
    if (static_cast<double>(hessian_of(cell)) < least) {
      rare += cell;
      out.has_rare = true;
      return;
    }
    levels.push_back({static_cast<double>(gradient_of(cell)) /
                          (static_cast<double>(hessian_of(cell)) + smoothing),
                      cell, bin});
  };
  for (std::int32_t bin = 0; bin < out.n; ++bin) add(out.cells[at(bin)], bin);
  if (feature.has_missing) add(out.missing, feature.n_bins);
  out.missing = rare;
  out.is_one_hot = static_cast<std::int64_t>(levels.size()) <= options_.one_hot_levels;
  out.is_ordered = !out.is_one_hot;
  if (out.is_ordered) {
    out.extra_l2 = options_.level_l2;
    out.least_group = hessian_of_rows(node, options_.level_group);
    if (options_.orders_absent)
      out.n_absent = feature.n_bins - static_cast<std::int32_t>(levels.size());
    std::stable_sort(levels.begin(), levels.end(),
                     [](const Level& a, const Level& b) { return a.key < b.key; });
  }
  out.n = static_cast<std::int32_t>(levels.size());
  for (std::size_t i = 0; i < levels.size(); ++i) {
    out.cells[i] = levels[i].cell;
    out.bin[i] = levels[i].bin;
  }
}

// Marks the cuts of ordered levels that take off few enough levels from one end, at a distance from
// each other.
void SplitFinder::allow_from_end(const NodeView& node, const Sequence& cells, Way way,
                                 bool from_right, bool* is_allowed) const {
  const std::int64_t n = cells.n;
  const std::int64_t most = options_.max_levels > 0 ? options_.max_levels : n + cells.n_absent;
  Pair taken = 0;
  double of_group = 0.0;
  bool is_before_absent = true;
  for (std::int64_t i = 0, n_taken = 0; i < n; ++i) {
    const std::int64_t level = from_right ? cells.n - 1 - i : i;
    const bool is_below = gradient_of(cells.cells[at(level)]) < 0;
    if (is_before_absent && is_below == from_right) {
      n_taken += cells.n_absent;
      is_before_absent = false;
    }
    if (++n_taken > most) return;
    taken += cells.cells[at(level)];
    of_group += static_cast<double>(hessian_of(cells.cells[at(level)]));
    if (static_cast<double>(hessian_of(node.total - taken)) < cells.least_group) return;
    if (of_group < cells.least_group) continue;
    of_group = 0.0;
    const std::int64_t cut = from_right ? level - 1 : level;
    if (cut >= first_cut(cells, way) && cut < n_cuts(cells, way)) is_allowed[cut] = true;
  }
}

// Where levels go that are not in the node: to their place in the order, if they have one, with the
// rare ones, with all but the one that is alone, or with the larger part.
bool SplitFinder::is_rest_left(const Sequence& cells, const Cut& cut, bool is_left_heavier) const {
  if (cells.has_rare) return cut.way == Way::missing_left;
  if (cut.way == Way::alone) return false;
  if (options_.orders_absent) return gradient_of(cells.cells[at(cut.place + 1)]) > 0;
  return is_left_heavier;
}

// Sets the scores of cuts that are not allowed to -1; returns the best of the others. Rare levels
// are never in the part that is taken off.
double SplitFinder::leave_allowed(const NodeView& node, const Sequence& cells, Way way,
                                  double* scores) const {
  std::array<bool, kMaxCodes> is_allowed{};
  if (!cells.has_rare || way == Way::missing_right)
    allow_from_end(node, cells, way, false, is_allowed.data());
  if (!cells.has_rare || way == Way::missing_left)
    allow_from_end(node, cells, way, true, is_allowed.data());
  double best = -1.0;
  for (std::int32_t i = 0; i < n_cuts(cells, way); ++i) {
    if (!is_allowed[at(i)]) scores[i] = -1.0;
    best = std::max(best, scores[i]);
  }
  return best;
}

}  // namespace gramian::boost
