// Some queries that go through a k-d tree together: which of them a leaf concerns, and what they
// take from it.
//
// The arithmetic is that of tree_kernel.hpp, feature by feature: a box is never computed as
// farther from a point than what is in it, and a box around points not as farther than the points.
#pragma once

#include <cstdint>
#include <limits>

#include "distance/tile_kernel.hpp"
#include "simd/level.hpp"

namespace gramian::distance {

inline constexpr int kGroupQueries = 32;
inline constexpr int kMostLeafRows = 64;  // of a k-d tree's leaf

struct QueryGroup {
  Metric metric;
  double power;
  std::int64_t n_features;
  const double* x;       // entry k of query q at x[k * kGroupQueries + q]
  const double* limits;  // reduced distances above which a query wants nothing; for none NaN
};

// A leaf of a tree: the point at place i is row rows[i], its entry k at points[k * stride + i].
struct LeafView {
  const double* box;  // the least entries, then the largest
  const double* points;
  const std::int64_t* rows;
  std::int64_t n;
  std::int64_t stride;
};

inline constexpr std::int64_t kNoRow = std::numeric_limits<std::int64_t>::max();

// The k nearest of one query so far, as a heap with the farthest, and of those the last, on top.
struct NearestHeap {
  double* distances;
  std::int64_t* rows;
  std::int64_t k;
  std::int64_t left_out;  // a row that is none, or -1
};

}  // namespace gramian::distance

namespace gramian {

// The distances of a box to two others that lie one after the other.
GRAMIAN_DECLARE_KERNEL(void distances_to_boxes(distance::Metric metric, double power,
                                               const double* box, const double* others,
                                               std::int64_t n_features, double* out))

// The queries whose distance to a leaf's box is within their limit, a bit for each.
GRAMIAN_DECLARE_KERNEL(std::uint32_t queries_near(const distance::QueryGroup& group,
                                                  const double* box))

// Puts the points of a leaf into the heaps of the queries near it; limits are the tops of heaps.
GRAMIAN_DECLARE_KERNEL(void take_nearest(const distance::QueryGroup& group,
                                         const distance::LeafView& leaf, std::uint32_t queries,
                                         const distance::NearestHeap* heaps, double* limits))

// Sorts a heap, nearest first.
GRAMIAN_DECLARE_KERNEL(void sort_heap(const distance::NearestHeap& heap))

// The number of points of a leaf within the limit of query q.
GRAMIAN_DECLARE_KERNEL(std::int64_t count_in_leaf(const distance::QueryGroup& group, int q,
                                                  const distance::LeafView& leaf))

// The same, with their reduced distances and rows written one after the other; there must be room
// for the leaf's stride.
GRAMIAN_DECLARE_KERNEL(std::int64_t find_in_leaf(const distance::QueryGroup& group, int q,
                                                 const distance::LeafView& leaf, double* distances,
                                                 std::int64_t* rows))

}  // namespace gramian
