#include "distance/kd_tree/group_kernel.hpp"

#include <limits>

#include "distance/kd_tree/metrics.hpp"
#include "simd/mask.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

using distance::kGroupQueries;
using distance::kMostLeafRows;
using distance::LeafView;
using distance::Metric;
using distance::NearestHeap;
using distance::QueryGroup;

template <Metric kMetric>
double share_that_is_sure() {
  return kMetric == Metric::minkowski ? 1.0 - kPowersAreMonotone : 1.0;
}

// The reduced distances to the points of a leaf, with what is after them up to a whole vector; the
// points within the limit, a bit for each. All are judged before any is taken: a branch for each
// vector would be mispredicted.
template <Metric kMetric>
std::uint64_t points_within(const QueryGroup& group, int q, const LeafView& leaf, double limit,
                            double* distances) {
  const std::int64_t p = group.n_features;
  const double* x = group.x + q;
  const VecD largest = VecD::set1(limit);
  std::uint64_t within = 0;
  for (std::int64_t i = 0; i < leaf.n; i += VecD::kLanes) {
    VecD sum = VecD::zero();
    for (std::int64_t k = 0; k < p; ++k) {
      const VecD gap =
          VecD::set1(x[k * kGroupQueries]) - VecD::load(leaf.points + k * leaf.stride + i);
      sum = add_gap<kMetric>(sum, kMetric == Metric::euclidean ? gap : abs(gap), group.power);
    }
    sum.store(distances + i);
    within |= static_cast<std::uint64_t>(less_equal(sum, largest)) << i;
  }
  return leaf.n < 64 ? within & ((std::uint64_t{1} << leaf.n) - 1) : within;
}

bool is_after(double distance, std::int64_t row, double other, std::int64_t other_row) {
  return distance > other || (distance == other && row > other_row);
}

// Moves the hole at the top of the first n entries to where the entry belongs.
void sift_down(double* distances, std::int64_t* rows, std::int64_t n, double distance,
               std::int64_t row) {
  std::int64_t hole = 0;
  for (std::int64_t child = 1; child < n; child = 2 * hole + 1) {
    if (child + 1 < n &&
        is_after(distances[child + 1], rows[child + 1], distances[child], rows[child]))
      ++child;
    if (!is_after(distances[child], rows[child], distance, row)) break;
    distances[hole] = distances[child];
    rows[hole] = rows[child];
    hole = child;
  }
  distances[hole] = distance;
  rows[hole] = row;
}

bool is_empty(const NearestHeap& heap) {
  if (heap.distances[0] < std::numeric_limits<double>::infinity()) return false;
  for (std::int64_t i = 0; i < heap.k; ++i)
    if (heap.rows[i] != distance::kNoRow) return false;
  return true;
}

// How many of n distances are before the one at `place`; of equal ones the first is.
std::int64_t count_before(const double* distances, std::int64_t n, std::int64_t place) {
  const VecD distance = VecD::set1(distances[place]);
  std::int64_t n_before = 0;
  for (std::int64_t i = 0; i < n; i += VecD::kLanes) {
    const VecD others = VecD::load(distances + i);
    unsigned before = less_equal(others, distance);
    if (i + VecD::kLanes > place) {
      const unsigned earlier = place > i ? (1u << (place - i)) - 1u : 0u;
      before &= ~static_cast<unsigned>(less_equal(distance, others)) | earlier;
    }
    n_before += __builtin_popcount(before);
  }
  return n_before;
}

// Fills an empty heap with the k least distances, each at once where it belongs. Tells whether
// there were enough.
bool fill_heap(const LeafView& leaf, double* distances, const NearestHeap& heap) {
  std::int64_t left_out = -1;
  if (heap.left_out >= 0)
    for (std::int64_t i = 0; i < leaf.n; ++i)
      if (leaf.rows[i] == heap.left_out) left_out = i;
  if (leaf.n - (left_out >= 0 ? 1 : 0) < heap.k) return false;
  for (std::int64_t i = leaf.n; i % VecD::kLanes != 0; ++i) distances[i] = __builtin_nan("");
  if (left_out >= 0) distances[left_out] = __builtin_nan("");
  for (std::int64_t place = 0; place < leaf.n; ++place) {
    if (place == left_out) continue;
    const std::int64_t to = heap.k - 1 - count_before(distances, leaf.n, place);
    if (to < 0) continue;
    heap.distances[to] = distances[place];
    heap.rows[to] = leaf.rows[place];
  }
  return true;
}

template <Metric kMetric>
void nearest(const QueryGroup& group, const LeafView& leaf, int q, const NearestHeap& heap,
             double& limit) {
  double distances[kMostLeafRows];
  std::uint64_t left = points_within<kMetric>(group, q, leaf, limit, distances);
  const bool is_first = heap.k <= leaf.n && is_empty(heap);
  if (!is_first || !fill_heap(leaf, distances, heap))
    for (; left != 0; left &= left - 1) {
      const int place = __builtin_ctzll(left);
      if (distances[place] > heap.distances[0]) continue;
      const std::int64_t row = leaf.rows[place];
      if (row == heap.left_out || !is_after(heap.distances[0], heap.rows[0], distances[place], row))
        continue;
      sift_down(heap.distances, heap.rows, heap.k, distances[place], row);
    }
  limit = heap.distances[0];
}

}  // namespace

void distances_to_boxes(Metric metric, double power, const double* box, const double* others,
                        std::int64_t n, double* out) {
  with_tree_metric(metric, [&]<Metric kMetric>() {
    double sums[2] = {0.0, 0.0};
    for (std::int64_t k = 0; k < n; ++k)
      for (int i = 0; i < 2; ++i) {
        const double* other = others + i * 2 * n;
        const double below = box[k] - other[n + k], above = other[k] - box[n + k];
        const double gap = below > above ? below : above;
        sums[i] = add_gap<kMetric>(sums[i], gap > 0.0 ? gap : 0.0, power);
      }
    for (int i = 0; i < 2; ++i) out[i] = share_that_is_sure<kMetric>() * sums[i];
  });
}

std::uint32_t queries_near(const QueryGroup& group, const double* box) {
  return with_tree_metric(group.metric, [&]<Metric kMetric>() {
    const std::int64_t p = group.n_features;
    std::uint32_t near = 0;
    for (int q = 0; q < kGroupQueries; q += VecD::kLanes) {
      VecD sum = VecD::zero();
      for (std::int64_t k = 0; k < p; ++k) {
        const VecD x = VecD::load(group.x + k * kGroupQueries + q);
        const VecD gap = max(VecD::set1(box[k]) - x, x - VecD::set1(box[p + k]));
        sum = add_gap<kMetric>(sum, max(gap, VecD::zero()), group.power);
      }
      sum = sum * VecD::set1(share_that_is_sure<kMetric>());
      near |= static_cast<std::uint32_t>(less_equal(sum, VecD::load(group.limits + q))) << q;
    }
    return near;
  });
}

void take_nearest(const QueryGroup& group, const LeafView& leaf, std::uint32_t queries,
                  const NearestHeap* heaps, double* limits) {
  with_tree_metric(group.metric, [&]<Metric kMetric>() {
    for (std::uint32_t left = queries; left != 0; left &= left - 1) {
      const int q = __builtin_ctz(left);
      nearest<kMetric>(group, leaf, q, heaps[q], limits[q]);
    }
    return 0;
  });
}

void sort_heap(const NearestHeap& heap) {
  for (std::int64_t n = heap.k - 1; n > 0; --n) {
    const double distance = heap.distances[n];
    const std::int64_t row = heap.rows[n];
    heap.distances[n] = heap.distances[0];
    heap.rows[n] = heap.rows[0];
    sift_down(heap.distances, heap.rows, n, distance, row);
  }
}

std::int64_t count_in_leaf(const QueryGroup& group, int q, const LeafView& leaf) {
  return with_tree_metric(group.metric, [&]<Metric kMetric>() -> std::int64_t {
    double distances[kMostLeafRows];
    return __builtin_popcountll(points_within<kMetric>(group, q, leaf, group.limits[q], distances));
  });
}

std::int64_t find_in_leaf(const QueryGroup& group, int q, const LeafView& leaf, double* distances,
                          std::int64_t* rows) {
  return with_tree_metric(group.metric, [&]<Metric kMetric>() {
    std::uint64_t left = points_within<kMetric>(group, q, leaf, group.limits[q], distances);
    std::int64_t n = 0;
    for (; left != 0; left &= left - 1) {
      const int place = __builtin_ctzll(left);
      distances[n] = distances[place];
      rows[n++] = leaf.rows[place];
    }
    return n;
  });
}

}  // namespace gramian::GRAMIAN_ISA
