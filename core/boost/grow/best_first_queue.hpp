// A best-first queue of nodes for several workers: the node with the highest gain is split next,
// until the number of splits is reached.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gramian::boost {

// Nodes are split one after the other, the first of those at hand, and its children are at hand
// then. Dividing a node and looking at its children takes long, and may be done ahead of its turn,
// for many nodes at once: the splits are the same as if each had been divided at its turn.
enum class NodeState : std::uint8_t { waiting, taken, divided };

// Node has `key`, `state`, `worker` (its parent's, as long as it waits), `goes_on`,
// comes_after(other), and for_open_children(use), which, once it is divided, calls use(child) for
// its children that may be split.
template <class Node, class Split>
class BestFirstQueue {
 public:
  // split(node) is called for each node that is split, in their order.
  // `likely_key`: what a node needs to have its turn, as far as one can guess.
  BestFirstQueue(std::int64_t n_splits, double likely_key, Split split)
      : n_left_(n_splits), likely_key_(likely_key), split_(split) {}

  // A node that may be split: the root.
  void add(Node& node) { push(at_hand_, &node); }

  // The next node to be divided; null if, as far as nodes are known, the others never have their
  // turn, or are not likely to. `goes_on` tells whether its children may have it. Of nodes that are
  // likely to have their turn those that `worker` has made itself come first: their rows are in its
  // cache.
  Node* take(int worker) {
    split_divided();
    Found first, own;
    bool is_sure = true;  // nodes that are taken may have children that come before the next ones
    // The rank of a node if those that are taken had no children: its turn is not earlier.
    std::int64_t rank = 0;
    for (int n_seen = 0; rank < n_left_ && n_seen < kMostSeen && own.node == nullptr;) {
      Node* node = pop_first();
      if (node == nullptr) break;
      ++rank;
      if (node->state == NodeState::divided) {
        node->for_open_children([&](Node& child) { push(ahead_, &child); });
        continue;
      }
      const bool is_likely = node->key >= likely_key_;
      if (node->state == NodeState::waiting && (is_sure || is_likely)) {
        ++n_seen;
        if (first.node == nullptr) first = {node, rank};
        if (node->worker == worker && is_likely) own = {node, rank};
      }
      is_sure = false;
    }
    for (Node* node : passed_) push(at_hand_, node);
    passed_.clear();
    ahead_.clear();
    const Found found = own.node != nullptr ? own : first;
    if (found.node == nullptr) return nullptr;
    found.node->state = NodeState::taken;
    found.node->worker = worker;
    found.node->goes_on = found.rank < n_left_;
    return found.node;
  }

  void put(Node& node) { node.state = NodeState::divided; }

  std::int64_t n_at_hand() const { return std::ssize(at_hand_); }

  // When there is nothing to take any more: the nodes that stayed without a split.
  const std::vector<Node*>& rest() const { return at_hand_; }

 private:
  using Heap = std::vector<Node*>;
  struct Found {
    Node* node = nullptr;
    std::int64_t rank = 0;
  };
  static constexpr int kMostSeen = 8;  // waiting nodes among which one is chosen

  static bool comes_later(const Node* a, const Node* b) { return a->comes_after(*b); }
  static void push(Heap& heap, Node* node) {
    heap.push_back(node);
    std::push_heap(heap.begin(), heap.end(), comes_later);
  }
  static Node* pop(Heap& heap) {
    std::pop_heap(heap.begin(), heap.end(), comes_later);
    Node* node = heap.back();
    heap.pop_back();
    return node;
  }

  void split_divided() {
    while (n_left_ > 0 && !at_hand_.empty() && at_hand_.front()->state == NodeState::divided) {
      Node* node = pop(at_hand_);
      split_(*node);
      --n_left_;
      node->for_open_children([&](Node& child) { push(at_hand_, &child); });
    }
  }

  // The first of those at hand, which is remembered, and those that may be at hand later.
  Node* pop_first() {
    if (at_hand_.empty() && ahead_.empty()) return nullptr;
    const bool is_ahead =
        at_hand_.empty() || (!ahead_.empty() && comes_later(at_hand_.front(), ahead_.front()));
    if (is_ahead) return pop(ahead_);
    passed_.push_back(pop(at_hand_));
    return passed_.back();
  }

  std::int64_t n_left_;  // splits
  double likely_key_;
  Split split_;
  Heap at_hand_;
  Heap ahead_;   // of one search: children of divided nodes that wait for their turn
  Heap passed_;  // of one search: nodes of at_hand_ that have been looked at
};

}  // namespace gramian::boost
