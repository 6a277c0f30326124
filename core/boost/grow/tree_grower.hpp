// Grows one boosted tree after another on the same bins; buffers are kept between trees.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "boost/bins/bins.hpp"
#include "boost/grow/best_first_queue.hpp"
#include "boost/grow/boosted_tree.hpp"
#include "boost/grow/options.hpp"
#include "boost/grow/pairs.hpp"
#include "boost/grow/row_partition.hpp"
#include "boost/grow/split_finder.hpp"
#include "parallel/tiles.hpp"

namespace gramian::boost {

// What a tree is fitted to.
struct GrowRows {
  std::span<const float> gradient;      // by row number
  std::span<const float> hessian;       // empty: one each
  std::span<const double> weight;       // empty: one each; positive for the rows that are used
  std::span<const std::uint32_t> rows;  // ascending; empty: all
};

class TreeGrower {
 public:
  explicit TreeGrower(std::shared_ptr<const Bins> bins) : bins_(std::move(bins)) {}

  TreeGrower(const TreeGrower&) = delete;
  TreeGrower& operator=(const TreeGrower&) = delete;

  const Bins& bins() const { return *bins_; }
  const TreeOptions& options() const { return options_; }  // of the tree grown last

  BoostedTree grow(const GrowRows& target, const TreeOptions& options, const Context& ctx);

  // scores[row] += what the row's leaf gives, for all rows; `tree` is the one grown last. `X`: the
  // rows as they were before they were cut into bins, for linear leaves; else null.
  void add_last(const BoostedTree& tree, const AnyDense* X, std::span<double> scores,
                const Context& ctx) const;

  // Of the tree grown last: the rows of each of its leaves.
  std::int64_t n_leaves() const { return static_cast<std::int64_t>(leaves_.size()); }
  std::span<const std::uint32_t> leaf_rows(std::int64_t leaf) const {
    const auto& range = leaves_[static_cast<std::size_t>(leaf)];
    return partition_.range(range.begin, range.end);
  }

 private:
  static constexpr double kHistogramCost = 0.7;  // nanoseconds for a row and track

  struct Children;
  struct Node {
    std::int64_t begin = 0, end = 0;  // its rows
    Pair total = 0;
    std::int64_t depth = 0;
    std::int64_t id = 0;  // in the tree
    std::uint64_t path = 1;
    Bounds bounds;
    std::vector<std::uint8_t> sets;  // interaction sets that hold all columns of the path
    Pair* histogram = nullptr;
    NodeSplit split;
    double key = 0.0;                    // the node of the largest one is split first
    double place = 1.0;                  // its number if all nodes were split, level by level
    std::unique_ptr<Children> children;  // of a node that has been divided
    NodeState state = NodeState::waiting;
    int worker = 0;       // that divides it
    bool goes_on = true;  // its children may be split, too

    std::int64_t size() const { return end - begin; }
    bool comes_after(const Node& other) const;
    template <class Use>
    void for_open_children(Use&& use);
  };
  struct Children {
    Node left, right;
  };
  struct Range {
    std::int64_t begin, end;
  };
  struct Leaf {
    std::int64_t id;
    Range rows;
    Bounds bounds;
  };
  static Leaf leaf_of(const Node& node) { return {node.id, {node.begin, node.end}, node.bounds}; }

  void pack(const GrowRows& target, const Context& ctx);
  Node make_root(const Context& ctx);
  // Both return the leaves of the tree.
  std::vector<Leaf> grow_nodes(const SplitFinder& finder, BoostedTree& tree, const Context& ctx);
  std::vector<Leaf> grow_symmetric(const SplitFinder& finder, BoostedTree& tree,
                                   const Context& ctx);
  bool may_split(const Node& node) const;
  void look(const SplitFinder& finder, Node& node, const Context& ctx);
  Children divide(const SplitFinder& finder, const Node& node, const Context& ctx);
  void divide_and_look(const SplitFinder& finder, Node& node, const Context& ctx);
  void undo_divide(Node& node);
  double cost_of(const Node& node) const;
  void share_histogram(const Node& parent, Node& left, Node& right, const Context& ctx);
  void give_histograms(const Node& parent, Node& left, Node& right, const Context& ctx);
  void finish(const GrowRows& target, const SplitFinder& finder, std::span<const Leaf> leaves,
              BoostedTree& tree, const Context& ctx);

  Tiles row_blocks() const;
  template <class Use>
  void for_leaves_by_block(double cost, const Context& ctx, Use&& use) const;

  NodeView view(const Node& node) const;
  std::vector<std::int32_t> columns_of(const Node& node) const;
  void draw_columns();

  Pair* take_histogram();
  void free_histogram(Pair*& cells);
  void build_histogram(const Node& node, const Context& ctx);
  void add_rows(std::int64_t group, std::int64_t begin, std::int64_t end, bool is_all,
                Pair* cells) const;

  std::shared_ptr<const Bins> bins_;
  TreeOptions options_;
  Units units_;
  std::span<const double> row_weight_;
  bool takes_all_rows_ = true;
  Buffer<Pair> pairs_;
  Pair total_ = 0;
  RowPartition partition_;
  std::vector<Buffer<Pair>> histograms_;
  std::vector<Pair*> free_;
  std::mutex histograms_mutex_;
  std::vector<Buffer<Pair>> partial_;  // histograms of parts of a node
  std::vector<std::int32_t> tree_columns_;
  std::vector<Range> leaves_;
  double last_key_ = 0.0;  // of the node that was split last in the last tree
};

}  // namespace gramian::boost
