// Nodes divided ahead of their turn, by several threads: the same splits as one after the other.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "boost/grow/best_first_queue.hpp"
#include "check.hpp"
#include "parallel/task_graph.hpp"

using gramian::Context;
using gramian::run_task_graph;
using gramian::boost::BestFirstQueue;
using gramian::boost::NodeState;

namespace {

constexpr double kLarge = 1e12;  // a cost that always goes parallel

// A tree whose keys are drawn by the numbers of the nodes; few different ones, so that many tie.
struct Node {
  std::int64_t number = 1;
  double key = 0.0;
  NodeState state = NodeState::waiting;
  int worker = 0;
  bool goes_on = true;
  std::array<std::unique_ptr<Node>, 2> children;

  explicit Node(std::int64_t of) : number(of) {
    std::mt19937_64 random(static_cast<std::uint64_t>(of) * 0x9E3779B97F4A7C15u);
    key = static_cast<double>(random() % 12);
  }
  bool is_open() const { return key > 0.0; }  // some may not be split
  bool comes_after(const Node& other) const {
    return key != other.key ? key < other.key : number > other.number;
  }
  void divide() {
    for (std::size_t k = 0; k < 2; ++k)
      children[k] = std::make_unique<Node>(2 * number + static_cast<std::int64_t>(k));
  }
  template <class Use>
  void for_open_children(Use&& use) {
    for (const auto& child : children)
      if (child->is_open()) use(*child);
  }
};

std::vector<std::int64_t> one_after_the_other(std::int64_t root, std::int64_t n_splits) {
  std::vector<std::unique_ptr<Node>> at_hand;
  at_hand.push_back(std::make_unique<Node>(root));
  std::vector<std::int64_t> order;
  while (std::ssize(order) < n_splits && !at_hand.empty()) {
    const auto first = std::min_element(at_hand.begin(), at_hand.end(),
                                        [](auto& a, auto& b) { return b->comes_after(*a); });
    std::unique_ptr<Node> node = std::move(*first);
    at_hand.erase(first);
    order.push_back(node->number);
    node->divide();
    for (auto& child : node->children)
      if (child->is_open()) at_hand.push_back(std::move(child));
  }
  return order;
}

Context context_with(int n_threads) {
  Context ctx;
  ctx.n_threads = n_threads;
  return ctx;
}

}  // namespace

TEST(turns_are_those_of_one_node_after_the_other) {
  for (std::int64_t root = 1; root < 60; ++root)
    for (const std::int64_t n_splits : {1, 2, 7, 40})
      for (const double likely : {0.0, 5.0, 20.0}) {
        Node top(root);
        if (!top.is_open()) continue;
        std::vector<std::int64_t> order;
        const auto split = [&](Node& node) { order.push_back(node.number); };
        BestFirstQueue<Node, decltype(split)> queue(n_splits, likely, split);
        queue.add(top);
        std::atomic<int> n_blind{0};
        run_task_graph(
            context_with(1 + static_cast<int>(root % 4)), kLarge,
            [&](int worker) { return queue.take(worker); },
            [&](Node& node) {
              if (!node.goes_on) ++n_blind;  // its children are never asked for
              node.divide();
            },
            [&](Node& node) { queue.put(node); });
        CHECK(order == one_after_the_other(root, n_splits));
        CHECK(n_splits > 1 || n_blind == 1);
      }
}

TEST(a_node_whose_children_never_have_their_turn_is_told_so) {
  Node top(3);
  std::vector<const Node*> order;
  const auto split = [&](Node& node) { order.push_back(&node); };
  BestFirstQueue<Node, decltype(split)> queue(10, 0.0, split);
  queue.add(top);
  while (Node* node = queue.take(0)) {
    node->divide();
    queue.put(*node);
  }
  CHECK(order.size() == 10);
  for (std::size_t i = 0; i < order.size(); ++i) CHECK(order[i]->goes_on == (i < 9));
}

TEST(work_off_runs_what_tasks_bring_forth) {
  for (int n_threads = 1; n_threads <= 6; ++n_threads) {
    // A task of size k brings two of size k - 1.
    std::vector<std::unique_ptr<int>> all;
    std::vector<int*> waiting;
    const auto add = [&](int size) {
      all.push_back(std::make_unique<int>(size));
      waiting.push_back(all.back().get());
    };
    add(9);
    std::atomic<int> n_runs{0};
    run_task_graph(
        context_with(n_threads), kLarge,
        [&](int worker) -> int* {
          CHECK(worker >= 0 && worker < n_threads);
          if (waiting.empty()) return nullptr;
          int* task = waiting.back();
          waiting.pop_back();
          return task;
        },
        [&](int&) { ++n_runs; },
        [&](int& size) {
          const int next = size - 1;
          if (next > 0) {
            add(next);
            add(next);
          }
        });
    CHECK(n_runs == 511);
  }
}

TEST(work_off_ends_when_a_task_fails) {
  for (int n_threads = 1; n_threads <= 4; ++n_threads) {
    int tasks[100];
    int n_taken = 0;
    CHECK_THROWS(std::runtime_error,
                 run_task_graph(
                     context_with(n_threads), kLarge,
                     [&](int) { return n_taken < 100 ? &tasks[n_taken++] : nullptr; },
                     [&](int& task) {
                       if (&task == &tasks[5]) throw std::runtime_error("failed");
                       std::this_thread::sleep_for(std::chrono::microseconds(20));
                     },
                     [](int&) {}));
    CHECK(n_taken <= 6 + 3 * n_threads);
  }
}
