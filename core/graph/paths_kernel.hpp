// Shortest paths from several nodes at once: a node's distances from all of them are one vector, so
// that an arc is read once and relaxed for all.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

constexpr int kPathLanes = 8;  // sources of a batch

// Node i has the arcs starts[i] .. starts[i + 1] to `ends`, of `lengths`, none of them negative.
struct PathGraph {
  const std::int64_t* starts;
  const std::int32_t* ends;
  const double* lengths;
};

// Tentative distances, and the nodes whose arcs wait to be relaxed: in a ring of buckets, by the
// least of the distances that have changed. Each bucket is a queue, linked both ways.
struct PathSearch {
  double* distance;      // kPathLanes for each node
  std::int64_t* bucket;  // of each node, counted from the first one of the search; -1: in none
  std::int32_t* next;    // of each node, in its queue; -1: the last
  std::int32_t* before;
  std::int32_t* first;  // of each bucket of the ring; -1: empty
  std::int32_t* last;
  std::int64_t n_buckets;
  double inverse_width;  // of a bucket
  std::int64_t current = 0;
  std::int64_t n_waiting = 0;
};

// Puts a node whose distance was set among those that wait.
GRAMIAN_DECLARE_KERNEL(void await_relaxation(PathSearch& search, std::int32_t node))

// Relaxes about so many arcs; whether no node waits any more. A distance is then the least over all
// paths of the sum of lengths, taken from the source on: no order of relaxations changes its bits.
GRAMIAN_DECLARE_KERNEL(bool relax_arcs(const PathGraph& graph, PathSearch& search,
                                       std::int64_t n_arcs))

}  // namespace gramian
