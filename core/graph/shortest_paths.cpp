#include "graph/shortest_paths.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/buffer.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "graph/paths_kernel.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::graph {
namespace {

constexpr std::int64_t kBuckets = 64;
constexpr std::int64_t kArcsBetweenChecks = 1 << 18;  // a millisecond
constexpr double kArcNs = 12.0;                       // of a batch, all relaxations together

struct Arc {
  std::int32_t end;
  double length;
};

struct Arcs {
  std::vector<std::int64_t> starts;
  std::vector<Arc> all;

  std::span<Arc> of(std::int64_t node) {
    return {all.data() + starts[at(node)], at(starts[at(node + 1)] - starts[at(node)])};
  }
};

// Calls use(i, j, length) for every stored entry off the diagonal.
template <class Use>
void for_edges(const CsrView<double, std::int64_t>& lengths, const Use& use) {
  for (std::int64_t i = 0; i < lengths.n_rows(); ++i) {
    const auto row = lengths.row(i);
    for (std::size_t e = 0; e < row.cols.size(); ++e)
      if (row.cols[e] != i) use(i, row.cols[e], row.values[e]);
  }
}

Arcs both_ways(const CsrView<double, std::int64_t>& lengths) {
  Arcs arcs;
  arcs.starts.assign(at(lengths.n_rows() + 1), 0);
  for_edges(lengths, [&](std::int64_t i, std::int64_t j, double length) {
    if (!(length >= 0.0)) throw InvalidArgument("lengths of edges must not be negative");
    ++arcs.starts[at(i + 1)];
    ++arcs.starts[at(j + 1)];
  });
  std::partial_sum(arcs.starts.begin(), arcs.starts.end(), arcs.starts.begin());
  arcs.all.resize(at(arcs.starts.back()));
  std::vector<std::int64_t> filled(arcs.starts.begin(), arcs.starts.end() - 1);
  for_edges(lengths, [&](std::int64_t i, std::int64_t j, double length) {
    arcs.all[at(filled[at(i)]++)] = {static_cast<std::int32_t>(j), length};
    arcs.all[at(filled[at(j)]++)] = {static_cast<std::int32_t>(i), length};
  });
  return arcs;
}

// The nodes breadth first, one component after the other.
std::vector<std::int64_t> breadth_first(Arcs& arcs) {
  const auto n = static_cast<std::int64_t>(arcs.starts.size()) - 1;
  std::vector<std::int64_t> order;
  order.reserve(at(n));
  std::vector<bool> is_seen(at(n));
  const auto see = [&](std::int64_t node) {
    if (is_seen[at(node)]) return;
    is_seen[at(node)] = true;
    order.push_back(node);
  };
  for (std::int64_t root = 0, turn = 0; root < n; ++root) {
    see(root);
    for (; turn < static_cast<std::int64_t>(order.size()); ++turn)
      for (const Arc& arc : arcs.of(order[at(turn)])) see(arc.end);
  }
  return order;
}

// About the length of an arc: nodes of one bucket then seldom correct each other.
double bucket_width(std::vector<double> lengths) {
  if (lengths.empty()) return 1.0;
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::ranges::nth_element(lengths, middle);
  const double width = *middle > 0.0 ? *middle : *std::ranges::max_element(lengths);
  return width > 0.0 && width < std::numeric_limits<double>::max() ? width : 1.0;
}

// What a search needs beside the graph, and gives.
class Scratch {
 public:
  Scratch(std::int64_t n, double width)
      : distance_(n * kPathLanes), bucket_(n), links_(2 * n), ends_(2 * kBuckets) {
    std::fill(distance_.begin(), distance_.end(), std::numeric_limits<double>::infinity());
    std::fill(bucket_.begin(), bucket_.end(), -1);
    std::fill(ends_.begin(), ends_.end(), -1);
    search.distance = distance_.data();
    search.bucket = bucket_.data();
    search.next = links_.data();
    search.before = links_.data() + n;
    search.first = ends_.data();
    search.last = ends_.data() + kBuckets;
    search.n_buckets = kBuckets;
    search.inverse_width = 1.0 / width;
  }

  PathSearch search{};

 private:
  Buffer<double> distance_;
  Buffer<std::int64_t> bucket_;
  Buffer<std::int32_t> links_;
  Buffer<std::int32_t> ends_;
};

}  // namespace

ShortestPaths::ShortestPaths(CsrView<double, std::int64_t> lengths) {
  Arcs arcs = both_ways(lengths);
  node_at_ = breadth_first(arcs);
  place_of_.resize(node_at_.size());
  for (std::size_t place = 0; place < node_at_.size(); ++place)
    place_of_[at(node_at_[place])] = static_cast<std::int32_t>(place);
  starts_ = {0};
  for (const std::int64_t node : node_at_) {
    const auto own = arcs.of(node);
    for (Arc& arc : own) arc.end = place_of_[at(arc.end)];
    std::ranges::sort(own, {}, [](const Arc& arc) { return std::pair(arc.end, arc.length); });
    const auto copies = std::ranges::unique(own, {}, &Arc::end);
    for (auto arc = own.begin(); arc != copies.begin(); ++arc) {
      ends_.push_back(arc->end);
      lengths_.push_back(arc->length);
    }
    starts_.push_back(static_cast<std::int64_t>(ends_.size()));
  }
  width_ = bucket_width(lengths_);
}

template <class T>
void ShortestPaths::operator()(std::span<const std::int64_t> sources, MatrixView<T> out,
                               const Context& ctx) const {
  const auto n_sources = static_cast<std::int64_t>(sources.size());
  std::vector<std::int64_t> rows(sources.size());
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  std::ranges::sort(
      rows, {}, [&](std::int64_t row) { return std::pair(place_of_[at(sources[at(row)])], row); });
  const std::int64_t n_batches = (n_sources + kPathLanes - 1) / kPathLanes;
  const double cost_ns = kArcNs * static_cast<double>(n_batches) * (n_arcs() + 1.0);
  parallel_for(ctx, n_batches, cost_ns, [&](std::int64_t batch) {
    const std::int64_t begin = batch * kPathLanes;
    const std::int64_t size = std::min<std::int64_t>(kPathLanes, n_sources - begin);
    search_batch(sources, std::span(rows).subspan(at(begin), at(size)), out, ctx);
  });
}

template <class T>
void ShortestPaths::search_batch(std::span<const std::int64_t> sources,
                                 std::span<const std::int64_t> rows, MatrixView<T> out,
                                 const Context& ctx) const {
  const PathGraph graph{starts_.data(), ends_.data(), lengths_.data()};
  Scratch scratch(n_nodes(), width_);
  PathSearch& search = scratch.search;
  for (std::size_t lane = 0; lane < rows.size(); ++lane) {
    const std::int32_t place = place_of_[at(sources[at(rows[lane])])];
    search.distance[std::int64_t{place} * kPathLanes + static_cast<std::int64_t>(lane)] = 0.0;
    GRAMIAN_DISPATCH(await_relaxation, search, place);
  }
  while (!GRAMIAN_DISPATCH(relax_arcs, graph, search, kArcsBetweenChecks)) ctx.check();
  for (std::int64_t place = 0; place < n_nodes(); ++place)
    for (std::size_t lane = 0; lane < rows.size(); ++lane)
      out(rows[lane], node_at_[at(place)]) =
          static_cast<T>(search.distance[place * kPathLanes + static_cast<std::int64_t>(lane)]);
}

template void ShortestPaths::operator()(std::span<const std::int64_t>, MatrixView<float>,
                                        const Context&) const;
template void ShortestPaths::operator()(std::span<const std::int64_t>, MatrixView<double>,
                                        const Context&) const;

}  // namespace gramian::graph
