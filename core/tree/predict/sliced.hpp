// The form of a forest that sliced_kernel.hpp works on: thresholds as bytes, each column by the
// forest's own thresholds.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tree/format/trees.hpp"
#include "tree/predict/keys.hpp"
#include "tree/predict/sliced_kernel.hpp"

namespace gramian::tree {

class SlicedForm {
 public:
  // Nothing where the forest does not fit (sets of levels, more leaves than kMaxSlicedLeaves or
  // thresholds of a column than kMaxCodes - 1) or where walking is faster.
  static std::optional<SlicedForm> make(const TreesView& trees, const KeySpace& keys,
                                        const Context& ctx);

  // Codes of 64 rows from their keys, slot by slot: keys[slot * 64 + i] to codes[slot * 64 + i].
  void write_codes(const std::uint32_t* keys, std::uint8_t* codes) const;

  // Numbers of the leaves that the rows of n_slices slices reach; their codes one after another.
  void find_leaves(std::int64_t tree, const std::uint8_t* codes, std::int64_t n_slices,
                   bool has_missing, std::uint32_t* leaves) const;

 private:
  SlicedForm() = default;
  bool collect_thresholds(const TreesView& trees, const KeySpace& keys,
                          const std::uint32_t* split_keys);
  void add_tree(const TreesView& trees, std::int64_t tree, const KeySpace& keys,
                const std::uint32_t* split_keys);
  void add_levels(std::int64_t n_splits);
  std::uint8_t code_of(std::int64_t slot, std::uint32_t threshold_key) const;

  struct Column {
    std::vector<std::uint32_t> thresholds;  // 2^n_bits - 1, padded
    int n_bits = 0;
  };
  std::vector<Column> columns_;  // of each slot
  std::vector<SlicedNode> nodes_;
  std::vector<std::int64_t> first_split_;  // of each tree, and the number of all splits
  std::vector<SlicedLevel> levels_;        // of the symmetric trees
  std::vector<std::int64_t> first_level_;  // of each tree: none if it is not symmetric
};

}  // namespace gramian::tree
