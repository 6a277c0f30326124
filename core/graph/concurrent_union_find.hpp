// Disjoint sets that several threads join at the same time.
//
// A root is only ever linked below a smaller one, so that the root of a set is its smallest member,
// whatever the order of the calls: the sets at the end do not depend on the number of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/index.hpp"

namespace gramian::graph {

class ConcurrentUnionFind {
 public:
  explicit ConcurrentUnionFind(std::int64_t n) : parents_(at(n)) {
    std::iota(parents_.begin(), parents_.end(), std::int64_t{0});
  }

  // The root of i's set at some moment of the call. Paths are halved on the way.
  std::int64_t find(std::int64_t i) {
    for (;;) {
      std::int64_t parent = load(i);
      if (parent == i) return i;
      const std::int64_t above = load(parent);
      if (above != parent) link(i).compare_exchange_weak(parent, above, std::memory_order_relaxed);
      i = above;
    }
  }

  void join(std::int64_t i, std::int64_t j) {
    for (;;) {
      i = find(i);
      j = find(j);
      if (i == j) return;
      if (i > j) std::swap(i, j);
      std::int64_t root = j;
      if (link(j).compare_exchange_strong(root, i, std::memory_order_relaxed)) return;
    }
  }

 private:
  std::atomic_ref<std::int64_t> link(std::int64_t i) {
    return std::atomic_ref<std::int64_t>(parents_[at(i)]);
  }
  std::int64_t load(std::int64_t i) { return link(i).load(std::memory_order_relaxed); }

  std::vector<std::int64_t> parents_;
};

}  // namespace gramian::graph
