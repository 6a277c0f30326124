#include "graph/paths_kernel.hpp"

#include "simd/order.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

constexpr double kInfinity = __builtin_huge_val();

// The bucket of a distance, within the ring: a node may well come too early, never too late.
std::int64_t bucket_of(const PathSearch& search, double distance) {
  const double place = distance * search.inverse_width;
  const std::int64_t last = search.current + search.n_buckets - 1;
  if (!(place < static_cast<double>(last))) return last;
  const auto bucket = static_cast<std::int64_t>(place);
  return bucket > search.current ? bucket : search.current;
}

void leave_queue(PathSearch& search, std::int32_t node) {
  const std::int64_t slot = search.bucket[node] % search.n_buckets;
  const std::int32_t next = search.next[node], before = search.before[node];
  (before < 0 ? search.first[slot] : search.next[before]) = next;
  (next < 0 ? search.last[slot] : search.before[next]) = before;
  search.bucket[node] = -1;
  --search.n_waiting;
}

void enter_queue(PathSearch& search, std::int32_t node, std::int64_t bucket) {
  const std::int64_t slot = bucket % search.n_buckets;
  const std::int32_t last = search.last[slot];
  (last < 0 ? search.first[slot] : search.next[last]) = node;
  search.before[node] = last;
  search.next[node] = -1;
  search.last[slot] = node;
  search.bucket[node] = bucket;
  ++search.n_waiting;
}

void await_until(PathSearch& search, std::int32_t node, double distance) {
  const std::int64_t bucket = bucket_of(search, distance), own = search.bucket[node];
  if (own >= 0 && own <= bucket) return;
  if (own >= 0) leave_queue(search, node);
  enter_queue(search, node, bucket);
}

double least_of(VecD values) {
  double lanes[VecD::kLanes];
  values.store(lanes);
  for (int half = VecD::kLanes / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i)
      lanes[i] = lanes[i + half] < lanes[i] ? lanes[i + half] : lanes[i];
  return lanes[0];
}

void relax_arcs_of(const PathGraph& graph, PathSearch& search, std::int32_t node) {
  const VecD from = VecD::load(search.distance + std::int64_t{node} * kPathLanes);
  const VecD infinity = VecD::set1(kInfinity);
  for (std::int64_t arc = graph.starts[node]; arc < graph.starts[node + 1]; ++arc) {
    const std::int32_t end = graph.ends[arc];
    double* distance = search.distance + std::int64_t{end} * kPathLanes;
    const VecD old = VecD::load(distance), through = from + VecD::set1(graph.lengths[arc]);
    if (!any_less(through, old)) continue;
    min(through, old).store(distance);
    await_until(search, end, least_of(select_less(through, old, through, infinity)));
  }
}

}  // namespace

void await_relaxation(PathSearch& search, std::int32_t node) { await_until(search, node, 0.0); }

bool relax_arcs(const PathGraph& graph, PathSearch& search, std::int64_t n_arcs) {
  while (search.n_waiting > 0 && n_arcs > 0) {
    const std::int32_t node = search.first[search.current % search.n_buckets];
    if (node < 0) {
      ++search.current;
      continue;
    }
    leave_queue(search, node);
    relax_arcs_of(graph, search, node);
    n_arcs -= graph.starts[node + 1] - graph.starts[node] + 1;
  }
  return search.n_waiting == 0;
}

}  // namespace gramian::GRAMIAN_ISA
