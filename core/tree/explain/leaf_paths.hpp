// The leaves of a tree, each with the features on its path and the rows that go its way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/explain/row_block.hpp"
#include "tree/format/trees.hpp"

namespace gramian::tree {

// Rows in blocks of 64, the last one padded.
template <class T>
std::vector<RowBlock> make_blocks(const TreesView& trees, MatrixView<const T> X) {
  std::vector<RowBlock> blocks;
  for (std::int64_t begin = 0; begin < X.n_rows; begin += RowBlock::kRows)
    blocks.emplace_back(trees).load(X.rows(begin, std::min(begin + RowBlock::kRows, X.n_rows)));
  return blocks;
}

// A walk to all leaves of a tree in their order.
class LeafPaths {
 public:
  LeafPaths(const TreesView& trees, std::int64_t number, const std::vector<RowBlock>& blocks);

  // Goes to the next leaf; false behind the last one.
  bool next();

  std::int64_t leaf() const { return leaf_; }  // among the leaves of the tree
  std::int64_t n_features() const { return static_cast<std::int64_t>(features_.size()); }
  // Each feature on the path once; the order depends on the tree only.
  const std::vector<std::int32_t>& features() const { return features_; }
  // Words of a pattern, for this leaf.
  std::int64_t n_words() const { return (n_features() + 63) / 64; }

  // patterns[row * n_words + w]: bit j tells whether the row goes the leaf's way at all splits on
  // feature 64 w + j of the path.
  void patterns(std::vector<std::uint64_t>& out) const;

 private:
  struct Edge {
    std::int32_t feature;
    std::int32_t above;  // the last edge before on the same feature, -1 if none
    std::int64_t split;
    bool is_right;
    bool is_last;  // of the edges of its feature
  };

  void open(std::int32_t feature);
  void set_rows(std::size_t depth);
  void close();

  const TreesView& trees_;
  const std::vector<RowBlock>& blocks_;
  std::span<const std::int32_t> nodes_;
  std::size_t node_ = 0;
  std::int64_t split_;
  std::int64_t leaf_ = -1;
  std::vector<Edge> path_;
  std::vector<std::uint64_t> rows_;  // path x blocks: rows that stay on the path, by feature
  std::vector<std::int32_t> above_;  // by feature: its last edge, -1 if none
  std::vector<std::int32_t> features_;
};

}  // namespace gramian::tree
