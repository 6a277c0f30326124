// What growing a tree asks of the search for splits: three calls for a node. The growth is compiled
// once, for any search and criterion, and only what loops over rows once for each.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/context.hpp"
#include "tree/format/grown_tree.hpp"
#include "tree/grow/node.hpp"
#include "tree/search/search.hpp"

namespace gramian::tree {

// What decides whether a node may be split.
struct NodeState {
  double weight;
  bool is_pure;
};

struct FoundSplit {
  Split split;
  double gain = 0.0;  // the decrease of the impurity, weighted by the share of the node
};

// A search as one thread uses it: with the criterion of the node entered last, and memory to work
// in. Nodes touch no rows but their own, so that several threads search one tree.
class NodeSearch {
 public:
  virtual ~NodeSearch() = default;

  // The same search for another thread.
  virtual std::unique_ptr<NodeSearch> another() const = 0;
  virtual const SearchBase& tree() const = 0;
  // Nanoseconds to search and part a node of n rows.
  virtual double cost(std::int64_t n) const = 0;
  // Whether inner nodes cannot be derived from the leaves.
  virtual bool keeps_nodes() const = 0;

  // Reads the node's targets.
  virtual NodeState enter(const Node& node) = 0;
  // Of the node entered last: its best split, and what is kept of it, which is there until the next
  // call.
  virtual FoundSplit find(Node& node, const Context& ctx) = 0;
  virtual NodeFacts facts(const Node& node) = 0;

  // Parts the rows of a node and sets the threshold.
  virtual void apply(const Node& node, Split& split, const Context& ctx) = 0;
};

// By a class `Search`, which offers
//   scratch(criterion)          the memory of a thread, with a copy of the criterion
//   enter(node, scratch)        reads the node's targets into scratch.criterion
//   find(node, scratch, ctx)    the best split of the node entered last
//   apply(node, split, ...)     parts the node's rows and sets the threshold
template <class Search, class Criterion>
class NodeSearchBy final : public NodeSearch {
 public:
  NodeSearchBy(Search& search, const Criterion& criterion)
      : search_(search),
        criterion_(criterion),
        scratch_(search.scratch(criterion)),
        value_(static_cast<std::size_t>(search.target().width())) {}

  std::unique_ptr<NodeSearch> another() const override {
    return std::make_unique<NodeSearchBy>(search_, criterion_);
  }
  const SearchBase& tree() const override { return search_; }
  double cost(std::int64_t n) const override { return search_.cost(n); }
  bool keeps_nodes() const override { return Criterion::keeps_nodes; }

  NodeState enter(const Node& node) override {
    search_.enter(node, scratch_);
    return {scratch_.criterion.weight(), scratch_.criterion.is_pure()};
  }
  FoundSplit find(Node& node, const Context& ctx) override {
    FoundSplit found{search_.find(node, scratch_, ctx)};
    if (found.split.is_found())
      found.gain = (found.split.score - scratch_.criterion.node_score()) / search_.total_weight();
    return found;
  }
  NodeFacts facts(const Node& node) override {
    scratch_.criterion.describe(value_.data(), node.bounds);
    return {value_, scratch_.criterion.weight(), search_.impurity(node, scratch_), node.size()};
  }
  void apply(const Node& node, Split& split, const Context& ctx) override {
    search_.apply(node, split, scratch_, ctx);
  }

 private:
  Search& search_;
  const Criterion& criterion_;
  typename Search::Scratch scratch_;
  std::vector<double> value_;  // of the node described last
};

}  // namespace gramian::tree
