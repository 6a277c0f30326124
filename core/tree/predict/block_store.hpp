// Where the blocks of all trees are kept, those of a tree next to each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/memory.hpp"

namespace gramian::tree {

template <class Block>
class BlockStore {
 public:
  BlockStore() = default;
  BlockStore(std::int64_t n_trees, std::int64_t n_expected)
      : n_expected_(n_expected), of_tree_(at(n_trees)) {}

  // Room for the blocks of a tree, which stays where it is. One thread at a time.
  std::span<Block> take(std::int64_t tree, std::int64_t n) {
    if (slabs_.empty() || slabs_.back().size() < n_used_ + n) {
      slabs_.push_back(large_buffer<Block>(std::max(n, n_expected_)));
      n_expected_ = std::max<std::int64_t>(n_expected_ / 16, 1);
      n_used_ = 0;
    }
    const std::span<Block> own(slabs_.back().data() + n_used_, at(n));
    n_used_ += n;
    of_tree_[at(tree)] = own;
    return own;
  }

  std::span<const Block> of_tree(std::int64_t tree) const { return of_tree_[at(tree)]; }

 private:
  std::int64_t n_expected_ = 0;
  std::vector<Buffer<Block>> slabs_;
  std::int64_t n_used_ = 0;  // of the last one
  std::vector<std::span<const Block>> of_tree_;
};

}  // namespace gramian::tree
