#include "tree/predict/keys.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>

#include "base/index.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::tree {
namespace {

constexpr double kSeenCost = 0.5;  // nanoseconds for a node, to decide on threads

// The key of the largest float that is not above t, which is a number. Keys of neighbours differ
// by one, but for the one below zero, which no number has. Doubles beyond the floats' range would
// be undefined to cast. Nothing branches.
inline std::uint32_t key_not_above(double t) {
  constexpr double kMax = std::numeric_limits<float>::max();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const auto nearest = static_cast<float>(std::min(std::max(t, -kMax), kMax));
  const std::uint32_t is_above = static_cast<double>(nearest) > t ? 1U : 0U;
  const std::uint32_t is_infinite = t == kInf ? 1U : 0U;
  return key_of(nearest) - is_above + is_infinite;
}

// Of each column, whether a split is on it. Looks at the first nodes only, if these use all.
std::vector<std::uint8_t> used_columns(const TreesView& trees, const Context& ctx) {
  const auto n_kinds = at(trees.n_features()) + 1;  // with leaves as the first
  std::vector<std::uint8_t> is_used(n_kinds, 0);
  std::mutex mutex;
  std::atomic<bool> are_all = false;
  const auto chunks =
      Chunks::of_rows(trees.n_nodes(), std::max<std::int64_t>(1 << 15, 8 * trees.n_features()));
  const double cost_ns = kSeenCost * static_cast<double>(trees.n_nodes());
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t i) {
    if (are_all) return;
    std::vector<std::uint8_t> own(n_kinds, 0);
    for (auto node = chunks.begin(i); node < chunks.end(i); ++node)
      own[at(trees.feature[at(node)] - kLeaf)] = 1;
    const std::lock_guard lock(mutex);
    for (std::size_t k = 0; k < n_kinds; ++k) is_used[k] |= own[k];
    are_all = std::ranges::count(is_used, 0) == 0;
  });
  is_used.erase(is_used.begin());
  return is_used;
}

std::uint32_t level_key(double x, double n_levels) {
  const bool is_level = x >= 0.0 && x < n_levels && x == std::floor(x);
  return is_level ? static_cast<std::uint32_t>(x) + 1U : kNoLevel;
}

// Of a set that begins at `start`.
std::uint32_t set_key(const TreesView& trees, std::int32_t column, double start) {
  const auto begin = static_cast<std::uint32_t>(start);
  const bool is_small = trees.n_levels[at(column)] <= kFewLevels;
  return is_small ? static_cast<std::uint32_t>(trees.category_words[begin]) : begin;
}

}  // namespace

KeySpace::KeySpace(const TreesView& trees, const Context& ctx) {
  place_columns(trees, used_columns(trees, ctx));
  rank_thresholds(trees, ctx);
}

void KeySpace::place_columns(const TreesView& trees, const std::vector<std::uint8_t>& is_used) {
  const auto n_used = std::count(is_used.begin(), is_used.end(), 1);
  is_listed_ = 2 * n_used < trees.n_features();  // else all columns are read in one go
  slots_.assign(at(trees.n_features()), 0);
  for (std::int64_t j = 0; j < trees.n_features(); ++j) {
    if (is_listed_ && is_used[at(j)] == 0) continue;
    slots_[at(j)] = n_slots_++;
    if (is_listed_) listed_.push_back(j);
    if (is_used[at(j)] == 0) continue;
    if (trees.n_levels[at(j)] > 0)
      levels_.push_back({j, slots_[at(j)], static_cast<double>(trees.n_levels[at(j)])});
    else if (trees.is_double[at(j)] != 0)
      ranked_.push_back({j, slots_[at(j)], {}});
  }
  ++n_slots_;  // the idle one
  slot_kinds_.assign(at(n_slots_), SlotKind::numbers);
  for (const auto& levels : levels_)
    slot_kinds_[at(levels.slot)] =
        levels.n_levels <= kFewLevels ? SlotKind::few_levels : SlotKind::many_levels;
}

void KeySpace::rank_thresholds(const TreesView& trees, const Context& ctx) {
  if (ranked_.empty()) return;
  is_ranked_.assign(at(trees.n_features()), 0);
  for (const auto& ranked : ranked_) is_ranked_[at(ranked.column)] = 1;
  split_ranks_ = std::make_unique<DoubleRanks>(trees, is_ranked_, ctx);
  for (auto& ranked : ranked_) ranked.thresholds = split_ranks_->take_table(ranked.column);
}

void KeySpace::write_threshold_keys(const TreesView& trees, std::int64_t tree,
                                    std::uint32_t* keys) const {
  const auto first = trees.first_split(tree), n_splits = trees.first_split(tree + 1) - first;
  const double* thresholds = trees.threshold.data() + first;
  if (ranked_.empty() && levels_.empty()) {
    for (std::int64_t k = 0; k < n_splits; ++k) keys[k] = key_not_above(thresholds[k]);
    return;
  }
  std::int64_t k = 0;
  for (auto node = trees.first_node(tree); node < trees.first_node(tree + 1); ++node) {
    const auto column = trees.feature[at(node)];
    if (column == kLeaf) continue;
    const bool is_set = (trees.flags[at(first + k)] & kCategorical) != 0;
    if (is_set)
      keys[k] = set_key(trees, column, thresholds[k]);
    else if (!is_ranked_.empty() && is_ranked_[at(column)] != 0)
      keys[k] = split_ranks_->rank(first + k) + 1U;
    else
      keys[k] = key_not_above(thresholds[k]);
    ++k;
  }
}

std::vector<std::int64_t> KeySpace::n_ranks() const {
  std::vector<std::int64_t> n_ranks(at(n_slots_), 0);
  for (const Ranked& ranked : ranked_) n_ranks[at(ranked.slot)] = ranked.thresholds.size();
  return n_ranks;
}

bool KeySpace::write(const AnyDense& X, std::int64_t begin, std::int64_t end, std::uint32_t* keys,
                     std::int64_t row_step, std::int64_t slot_step) const {
  return std::visit(
      [&](const auto& view) {
        const auto rows = view.rows(begin, end);
        bool has_missing = write_rest(rows, keys, row_step, slot_step);
        for (const Ranked& ranked : ranked_)
          has_missing |= write_ranked(ranked, rows, keys, row_step, slot_step);
        return has_missing;
      },
      X);
}

bool KeySpace::write_groups(const AnyDense& X, std::int64_t begin, std::int64_t end,
                            std::int64_t size, std::uint32_t* keys) const {
  return std::visit(
      [&](const auto& view) { return write_groups_of(view.rows(begin, end), size, keys); }, X);
}

// A column after the other, so that the table of one stays in the cache; and so many rows at a time
// that these nearly do.
template <class T>
bool KeySpace::write_groups_of(MatrixView<const T> rows, std::int64_t size,
                               std::uint32_t* keys) const {
  constexpr std::int64_t kTileRows = 8192;
  bool has_missing = false;
  const auto each_group = [&](std::int64_t begin, std::int64_t end, const auto& write_group) {
    for (auto first = begin; first < end; first += size)
      has_missing |=
          write_group(rows.rows(first, std::min(first + size, end)), keys + first * n_slots_);
  };
  for (std::int64_t begin = 0; begin < rows.n_rows; begin += kTileRows) {
    const auto end = std::min(begin + kTileRows, rows.n_rows);
    each_group(begin, end, [&](const auto& group, std::uint32_t* own) {
      return write_rest(group, own, 1, size);
    });
    for (const Ranked& ranked : ranked_)
      each_group(begin, end, [&](const auto& group, std::uint32_t* own) {
        return write_ranked(ranked, group, own, 1, size);
      });
  }
  return has_missing;
}

template <class T>
bool KeySpace::write_ranked(const Ranked& ranked, MatrixView<const T> rows, std::uint32_t* keys,
                            std::int64_t row_step, std::int64_t slot_step) {
  const RankedColumn<T> column{rows.data + ranked.column * rows.col_stride, rows.n_rows,
                               rows.row_stride, keys + ranked.slot * slot_step, row_step};
  return GRAMIAN_DISPATCH(write_double_ranks, column, ranked.thresholds.levels());
}

template <class T>
bool KeySpace::write_rest(MatrixView<const T> rows, std::uint32_t* keys, std::int64_t row_step,
                          std::int64_t slot_step) const {
  const bool are_all_ranked = std::ssize(ranked_) == idle_slot();
  const bool has_missing = !are_all_ranked && write_plain(rows, keys, row_step, slot_step);
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
