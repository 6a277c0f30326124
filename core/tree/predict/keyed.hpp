// Trees asked by keys: a block's values become keys once (keys.hpp), then go through one tree after
// another, so that a tree stays in the cache while all rows of the block pass.
//
// Three forms: small trees are asked by slices of rows (sliced.hpp), others are walked (walk.hpp),
// deep ones that many rows ask for by ranks (ranked.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "base/views.hpp"
#include "tree/format/trees.hpp"
#include "tree/predict/keys.hpp"
#include "tree/predict/ranked.hpp"
#include "tree/predict/sinks.hpp"
#include "tree/predict/sliced.hpp"
#include "tree/predict/walk.hpp"

namespace gramian::tree {

class KeyedForest {
 public:
  // `trees` has passed its check. Keeps copies of what it needs.
  KeyedForest(const TreesView& trees, const Context& ctx);

  using Order = std::vector<std::uint32_t>;  // row numbers; empty: as they come

  // How the rows of a call go through the trees.
  struct Plan {
    const RankedForm* ranked = nullptr;
    Order order = {};  // never with `ranked`
  };
  Plan plan_of(const AnyDense& X, bool may_order, const Context& ctx) const;

  void each_tree(const AnyDense& X, const Plan& plan, const Context& ctx,
                 const LeafSink& sink) const;
  void some_rows(const AnyDense& X, std::int64_t begin, std::int64_t end,
                 MatrixView<const std::uint8_t> is_asked, const Context& ctx,
                 const SomeSink& sink) const;

  // Of each leaf its node, in preorder.
  Buffer<std::int32_t> leaf_nodes(const Context& ctx) const { return walk_.leaf_nodes(keys_, ctx); }

 private:
  struct Block {
    std::int64_t begin;
    std::int64_t end;
    std::int64_t n_trees;
    const std::uint32_t* order;  // or null
  };

  Order order_of(const AnyDense& X, const Context& ctx) const;
  void few_rows(const AnyDense& X, const LeafSink& sink) const;
  void walk_block(const AnyDense& X, const Block& block, const Context& ctx,
                  const LeafSink& sink) const;
  void slice_block(const AnyDense& X, const Block& block, const Context& ctx,
                   const LeafSink& sink) const;
  void rank_block(const AnyDense& X, const Block& block, const RankedForm& ranked,
                  const Context& ctx, const LeafSink& sink) const;
  std::int64_t ranked_rows(std::int64_t n_rows, const Context& ctx) const;
  std::int64_t block_rows(std::int64_t n_rows, const Context& ctx) const;

  std::int64_t n_trees_;
  std::int64_t n_leaves_;
  std::int64_t n_leaves_of_first_;
  KeySpace keys_;
  WalkForm walk_;
  std::optional<SlicedForm> sliced_;        // for many rows, where it is faster
  std::unique_ptr<LazyRankedForm> ranked_;  // for many rows in deep trees, or null
};

}  // namespace gramian::tree
