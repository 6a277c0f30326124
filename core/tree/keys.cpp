#include "tree/keys.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"

namespace gramian::tree {
namespace {

// The largest float that is not above t. Doubles beyond the floats' range would be undefined to
// cast.
float float_below(double t) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kMax = std::numeric_limits<float>::max();
  if (t == std::numeric_limits<double>::infinity()) return kInf;
  if (t >= static_cast<double>(kMax)) return kMax;
  if (t < -static_cast<double>(kMax)) return -kInf;
  const auto nearest = static_cast<float>(t);
  return static_cast<double>(nearest) <= t ? nearest : std::nextafter(nearest, -kInf);
}

// How many thresholds are below x: a binary search whose steps do not branch.
std::uint32_t count_below(const std::vector<double>& thresholds, double x) {
  const double* first = thresholds.data();
  std::size_t n = thresholds.size();
  while (n > 1) {
    const std::size_t half = n / 2;
    first += first[half - 1] < x ? half : 0;
    n -= half;
  }
  const bool is_below = n == 1 && *first < x;
  return static_cast<std::uint32_t>(first - thresholds.data()) + (is_below ? 1U : 0U);
}

std::uint32_t level_key(double x, double n_levels) {
  const bool is_level = x >= 0.0 && x < n_levels && x == std::floor(x);
  return is_level ? static_cast<std::uint32_t>(x) + 1U : kNoLevel;
}

}  // namespace

KeySpace::KeySpace(const TreesView& trees) {
  place_columns(trees);
  collect_thresholds(trees);
}

void KeySpace::place_columns(const TreesView& trees) {
  std::vector<bool> is_used(at(trees.n_features()), false);
  for (const auto column : trees.feature)
    if (column != kLeaf) is_used[at(column)] = true;
  const auto n_used = std::count(is_used.begin(), is_used.end(), true);
  is_listed_ = 2 * n_used < trees.n_features();  // else all columns are read in one go
  slots_.assign(at(trees.n_features()), 0);
  for (std::int64_t j = 0; j < trees.n_features(); ++j) {
    if (is_listed_ && !is_used[at(j)]) continue;
    slots_[at(j)] = n_slots_++;
    if (is_listed_) listed_.push_back(j);
    if (!is_used[at(j)]) continue;
    if (trees.n_levels[at(j)] > 0)
      levels_.push_back({j, slots_[at(j)], static_cast<double>(trees.n_levels[at(j)])});
    else if (trees.is_double[at(j)] != 0)
      ranked_.push_back({j, slots_[at(j)], {}});
  }
  ++n_slots_;  // the idle one
  level_slots_.assign(at(n_slots_), 0);
  for (const auto& levels : levels_) level_slots_[at(levels.slot)] = 1;
}

void KeySpace::collect_thresholds(const TreesView& trees) {
  if (ranked_.empty()) return;
  std::vector<Ranked*> of_column(at(trees.n_features()), nullptr);
  for (auto& ranked : ranked_) of_column[at(ranked.column)] = &ranked;
  std::size_t split = 0;
  for (const auto column : trees.feature) {
    if (column == kLeaf) continue;
    if (auto* ranked = of_column[at(column)]) ranked->thresholds.push_back(trees.threshold[split]);
    ++split;
  }
  for (auto& ranked : ranked_) {
    auto& all = ranked.thresholds;
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
  ranked_of_.assign(of_column.begin(), of_column.end());
}

std::uint32_t KeySpace::threshold_key(std::int64_t column, double threshold) const {
  if (!ranked_of_.empty() && ranked_of_[at(column)] != nullptr)
    return count_below(ranked_of_[at(column)]->thresholds, threshold) + 1U;
  return key_of(float_below(threshold));
}

bool KeySpace::write(const AnyMatrix& X, std::int64_t begin, std::int64_t end, std::uint32_t* keys,
                     std::int64_t row_step, std::int64_t slot_step) const {
  return std::visit(
      [&](const auto& view) {
        return write_rows(view.rows(begin, end), keys, row_step, slot_step);
      },
      X);
}

template <class T>
bool KeySpace::write_rows(MatrixView<const T> rows, std::uint32_t* keys, std::int64_t row_step,
                          std::int64_t slot_step) const {
  bool has_missing = write_plain(rows, keys, row_step, slot_step);
  for (const auto& [column, slot, thresholds] : ranked_)
    for (std::int64_t i = 0; i < rows.n_rows; ++i) {
      const auto x = static_cast<double>(rows(i, column));
      keys[i * row_step + slot * slot_step] =
          std::isnan(x) ? kMissingKey : count_below(thresholds, x) + 1U;
    }
  for (const auto& [column, slot, n_levels] : levels_)
    for (std::int64_t i = 0; i < rows.n_rows; ++i)
      keys[i * row_step + slot * slot_step] =
          level_key(static_cast<double>(rows(i, column)), n_levels);
  for (std::int64_t i = 0; i < rows.n_rows; ++i)
    keys[i * row_step + idle_slot() * slot_step] = kIdleKey;
  return has_missing;
}

template <class T>
bool KeySpace::write_plain(MatrixView<const T> rows, std::uint32_t* keys, std::int64_t row_step,
                           std::int64_t slot_step) const {
  if (!is_listed_) {
    const KeyBlock<T> block{rows.data,       rows.n_rows, rows.n_cols, rows.row_stride,
                            rows.col_stride, keys,        row_step,    slot_step};
    return GRAMIAN_DISPATCH(write_keys, block);
  }
  bool has_missing = false;
  for (std::size_t k = 0; k < listed_.size(); ++k) {
    const KeyBlock<T> block{
        rows.data + listed_[k] * rows.col_stride,        rows.n_rows, 1, rows.row_stride, 0,
        keys + static_cast<std::int64_t>(k) * slot_step, row_step,    0};
    has_missing |= GRAMIAN_DISPATCH(write_keys, block);
  }
  return has_missing;
}

}  // namespace gramian::tree
