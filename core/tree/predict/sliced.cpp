#include "tree/predict/sliced.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::tree {
namespace {

// Nanoseconds with AVX-512 on one thread: a step of a walk in a small tree (100 trees of depth 8
// take 10 per row and tree), a split for one row (100 trees of 31, 63, 127 and 255 leaves on 28
// columns take 1.9, 2.6, 4.0 and 6.6 per row and tree; to walk the last 16), and, at most, the
// search for one code. Slices pay if many trees share the codes. Other levels were not timed.
constexpr double kStepCost = 1.0;
constexpr double kSplitCost = 0.021;
constexpr double kCodeCost = 5.0;

// For a threshold key, to decide on threads.
constexpr double kKeyCost = 20.0;

bool is_worthwhile(const TreesView& trees, const KeySpace& keys) {
  double gain = 0.0;
  for (std::int64_t t = 0; t < trees.n_trees(); ++t) {
    const auto n_leaves = trees.first_leaf(t + 1) - trees.first_leaf(t);
    if (n_leaves > kMaxSlicedLeaves) return false;
    const auto n = static_cast<double>(n_leaves);
    gain += kStepCost * (2.0 + std::log2(n)) - kSplitCost * n;
  }
  return gain > kCodeCost * static_cast<double>(keys.n_slots());
}

// Of all splits.
Buffer<std::uint32_t> threshold_keys(const TreesView& trees, const KeySpace& keys,
                                     const Context& ctx) {
  Buffer<std::uint32_t> found(trees.first_split(trees.n_trees()));
  const TreeGroups groups = trees.groups();
  const double cost_ns = kKeyCost * static_cast<double>(found.size());
  parallel_for(ctx, groups.count(), cost_ns, [&](std::int64_t i) {
    for (auto t = groups.begin(i); t < groups.end(i); ++t)
      keys.write_threshold_keys(trees, t, found.data() + trees.first_split(t));
  });
  return found;
}

}  // namespace

std::optional<SlicedForm> SlicedForm::make(const TreesView& trees, const KeySpace& keys,
                                           const Context& ctx) {
  if (keys.has_levels() || keys.n_slots() > std::numeric_limits<std::uint16_t>::max() ||
      !is_worthwhile(trees, keys))
    return std::nullopt;
  SlicedForm form;
  const Buffer<std::uint32_t> split_keys = threshold_keys(trees, keys, ctx);
  if (!form.collect_thresholds(trees, keys, split_keys.data())) return std::nullopt;
  for (std::int64_t t = 0; t < trees.n_trees(); ++t) {
    form.first_split_.push_back(trees.first_split(t));
    form.first_level_.push_back(static_cast<std::int64_t>(form.levels_.size()));
    form.add_tree(trees, t, keys, split_keys.data());
    form.add_levels(trees.first_split(t + 1) - trees.first_split(t));
  }
  form.first_level_.push_back(static_cast<std::int64_t>(form.levels_.size()));
  form.first_split_.push_back(trees.first_split(trees.n_trees()));
  return form;
}

bool SlicedForm::collect_thresholds(const TreesView& trees, const KeySpace& keys,
                                    const std::uint32_t* split_keys) {
  columns_.resize(at(keys.n_slots()));
  for (const auto column : trees.feature)
    if (column != kLeaf) columns_[at(keys.slot_of(column))].thresholds.push_back(*split_keys++);
  for (auto& [thresholds, n_bits] : columns_) {
    std::sort(thresholds.begin(), thresholds.end());
    thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
    if (thresholds.size() > kMaxCodes - 1) return false;
    n_bits = static_cast<int>(std::bit_width(thresholds.size()));
    thresholds.resize((std::size_t{1} << n_bits) - 1, kMissingKey);
  }
  return true;
}

std::uint8_t SlicedForm::code_of(std::int64_t slot, std::uint32_t threshold_key) const {
  const auto& thresholds = columns_[at(slot)].thresholds;
  const auto found = std::lower_bound(thresholds.begin(), thresholds.end(), threshold_key);
  return static_cast<std::uint8_t>(found - thresholds.begin());
}

void SlicedForm::add_tree(const TreesView& trees, std::int64_t tree, const KeySpace& keys,
                          const std::uint32_t* split_keys) {
  const auto begin = trees.first_node(tree), first = trees.first_split(tree);
  const auto leaf = static_cast<std::uint16_t>(trees.first_split(tree + 1) - first);
  const auto is_leaf = [&](std::int64_t node) { return trees.feature[at(node)] == kLeaf; };
  std::vector<std::pair<std::size_t, int>> waiting;  // splits, and the leaves before each
  int n_leaves = 0;
  std::uint16_t n_splits = 0;
  for (auto node = begin; node < trees.first_node(tree + 1); ++node) {
    const auto own = is_leaf(node) ? leaf : n_splits;
    if (node > begin && is_leaf(node - 1)) {  // the right child of the last split that waits
      auto& parent = nodes_[waiting.back().first];
      parent.right = own;
      parent.n_left_leaves = static_cast<std::uint8_t>(n_leaves - waiting.back().second);
      waiting.pop_back();
    } else if (node > begin) {
      nodes_.back().left = own;
    }
    if (is_leaf(node)) {
      ++n_leaves;
      continue;
    }
    const auto column = trees.feature[at(node)];
    const auto slot = keys.slot_of(column);
    const auto split = at(first + n_splits++);
    SlicedNode made{};
    made.slot = static_cast<std::uint16_t>(slot);
    made.code = code_of(slot, split_keys[split]);
    made.is_missing_left = (trees.flags[split] & kMissingLeft) != 0 ? 1 : 0;
    waiting.emplace_back(nodes_.size(), n_leaves);
    nodes_.push_back(made);
  }
}

// The levels of the tree added last, of n_splits splits, if it is symmetric.
void SlicedForm::add_levels(std::int64_t n_splits) {
  const SlicedNode* nodes = nodes_.data() + (static_cast<std::int64_t>(nodes_.size()) - n_splits);
  if (n_splits == 0 || !std::has_single_bit(static_cast<std::uint64_t>(n_splits) + 1)) return;
  const std::size_t n_before = levels_.size();
  std::vector<std::int64_t> level{0};
  while (level.front() < n_splits) {
    const SlicedNode& first = nodes[level.front()];
    std::vector<std::int64_t> next;
    for (const std::int64_t k : level) {
      const bool is_same = k < n_splits && nodes[k].slot == first.slot &&
                           nodes[k].code == first.code &&
                           nodes[k].is_missing_left == first.is_missing_left;
      if (!is_same) return levels_.resize(n_before);
      next.push_back(nodes[k].left);
      next.push_back(nodes[k].right);
    }
    levels_.push_back({first.slot, first.code, first.is_missing_left});
    level = std::move(next);
  }
  // The first of the next level is a leaf; so are the others, if these levels hold all splits.
  if ((std::int64_t{1} << (levels_.size() - n_before)) != n_splits + 1) levels_.resize(n_before);
}

void SlicedForm::write_codes(const std::uint32_t* keys, std::uint8_t* codes) const {
  for (std::size_t slot = 0; slot < columns_.size(); ++slot) {
    const auto& [thresholds, n_bits] = columns_[slot];
    GRAMIAN_DISPATCH(write_codes, keys + slot * kSliceRows, thresholds.data(), n_bits,
                     codes + slot * kSliceRows);
  }
}

void SlicedForm::find_leaves(std::int64_t tree, const std::uint8_t* codes, std::int64_t n_slices,
                             bool has_missing, std::uint32_t* leaves) const {
  const auto slice_size = kSliceRows * static_cast<std::int64_t>(columns_.size());
  const auto first_level = first_level_[at(tree)];
  const auto n_levels = static_cast<int>(first_level_[at(tree) + 1] - first_level);
  if (n_levels > 0) {
    GRAMIAN_DISPATCH(slice_symmetric, levels_.data() + first_level, n_levels, codes, slice_size,
                     n_slices, has_missing, leaves);
    return;
  }
  const auto begin = first_split_[at(tree)];
  const auto n_splits = static_cast<int>(first_split_[at(tree) + 1] - begin);
  GRAMIAN_DISPATCH(slice_rows, nodes_.data() + begin, n_splits, codes, slice_size, n_slices,
                   has_missing, leaves);
}

}  // namespace gramian::tree
