// Shortest paths against Floyd and Warshall's algorithm, to the bit.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "graph/shortest_paths.hpp"
#include "random/philox.hpp"

namespace gramian::graph {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Graph {
  std::vector<double> lengths;
  std::vector<std::int64_t> ends, starts{0};

  CsrView<double, std::int64_t> view() const {
    return {lengths, ends, starts, static_cast<std::int64_t>(starts.size()) - 1};
  }
};

// Edges from each node to a few others, of whole lengths: sums are then exact in any order.
Graph random_graph(std::int64_t n, std::int64_t degree, double scale) {
  Graph graph;
  Stream stream(3, 0, 1);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t k = 0; k < degree; ++k) {
      graph.ends.push_back(static_cast<std::int64_t>(stream.uniform() * static_cast<double>(n)));
      graph.lengths.push_back(static_cast<double>(static_cast<int>(scale * stream.uniform())));
    }
    graph.starts.push_back(static_cast<std::int64_t>(graph.ends.size()));
  }
  return graph;
}

std::vector<double> by_floyd(const Graph& graph) {
  const auto view = graph.view();
  const auto n = static_cast<std::size_t>(view.n_rows());
  std::vector<double> D(n * n, kInfinity);
  for (std::size_t i = 0; i < n; ++i) {
    D[i * n + i] = 0.0;
    const auto row = view.row(static_cast<std::int64_t>(i));
    for (std::size_t e = 0; e < row.cols.size(); ++e) {
      const auto j = static_cast<std::size_t>(row.cols[e]);
      D[i * n + j] = D[j * n + i] = std::min(D[i * n + j], row.values[e]);
    }
    D[i * n + i] = 0.0;
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        D[i * n + j] = std::min(D[i * n + j], D[i * n + k] + D[k * n + j]);
  return D;
}

void check_all_pairs(const Graph& graph) {
  const std::int64_t n = graph.view().n_rows();
  const std::vector<double> expected = by_floyd(graph);
  std::vector<std::int64_t> sources(static_cast<std::size_t>(n));
  std::iota(sources.rbegin(), sources.rend(), std::int64_t{0});
  std::vector<double> found(expected.size());
  const MatrixView<double> out{found.data(), n, n};
  Context ctx;
  ctx.n_threads = 2;
  ShortestPaths{graph.view()}(sources, out, ctx);
  bool is_same = true;
  for (std::int64_t s = 0; s < n; ++s)
    for (std::int64_t j = 0; j < n; ++j)
      is_same &= out(s, j) == expected[static_cast<std::size_t>((n - 1 - s) * n + j)];
  CHECK(is_same);
}

TEST(shortest_paths_are_those_of_floyd) {
  for (const std::int64_t degree : {1, 2, 5}) check_all_pairs(random_graph(150, degree, 100.0));
}

TEST(lengths_far_apart_or_zero_change_no_path) {
  check_all_pairs(random_graph(120, 3, 1.5));  // most are zero
  Graph graph = random_graph(120, 3, 1000.0);
  for (std::size_t e = 0; e < graph.lengths.size(); e += 2) graph.lengths[e] *= 1048576.0;
  check_all_pairs(graph);
}

TEST(negative_lengths_are_refused) {
  Graph graph = random_graph(5, 2, 10.0);
  graph.lengths[3] = -1.0;
  graph.ends[3] = 4;
  bool is_refused = false;
  try {
    const ShortestPaths paths{graph.view()};
  } catch (const InvalidArgument&) {
    is_refused = true;
  }
  CHECK(is_refused);
}

}  // namespace
}  // namespace gramian::graph
