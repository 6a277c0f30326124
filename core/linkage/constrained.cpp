#include "linkage/constrained.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"

namespace gramian::linkage {
namespace {

// Distance of two nodes, the later one first.
using Edge = std::tuple<double, std::int64_t, std::int64_t>;

class EdgeHeap {
 public:
  explicit EdgeHeap(std::vector<Edge> edges) : edges_(std::greater<>(), std::move(edges)) {}

  void push(double distance, std::int64_t node, std::int64_t other) {
    edges_.push({distance, node, other});
  }

  // The least edge between nodes of which neither has merged.
  template <class IsAlive>
  Edge pop(const IsAlive& is_alive) {
    while (!edges_.empty()) {
      const Edge edge = edges_.top();
      edges_.pop();
      if (is_alive(std::get<1>(edge)) && is_alive(std::get<2>(edge))) return edge;
    }
    throw InvalidArgument("the graph is not connected");
  }

 private:
  std::priority_queue<Edge, std::vector<Edge>, std::greater<>> edges_;
};

void store(const Tree& out, std::int64_t merge, std::int64_t node, std::int64_t other,
           double height, std::int64_t size) {
  out.children(merge, 0) = other;
  out.children(merge, 1) = node;
  out.heights[at(merge)] = height;
  if (!out.sizes.empty()) out.sizes[at(merge)] = size;
}

// Ward's method on sums of rows: a node keeps the place of one of its parts.
class WardInGraph {
 public:
  template <class T>
  WardInGraph(MatrixView<const T> X, const Graph& graph, std::int64_t n_merges)
      : n_(X.n_rows),
        p_(X.n_cols),
        sums_(at(n_ * p_)),
        place_(at(n_ + n_merges)),
        sizes_(at(n_ + n_merges), 1.0),
        above_(at(n_ + n_merges)),
        seen_at_(at(n_ + n_merges), -1),
        neighbours_(at(n_ + n_merges)) {
    std::iota(place_.begin(), place_.end(), std::int64_t{0});
    std::iota(above_.begin(), above_.end(), std::int64_t{0});
    for (std::int64_t i = 0; i < n_; ++i) {
      for (std::int64_t k = 0; k < p_; ++k) sums_[at(i * p_ + k)] = static_cast<double>(X(i, k));
      const auto begin = graph.index.begin() + graph.starts[at(i)];
      neighbours_[at(i)].assign(begin, graph.index.begin() + graph.starts[at(i + 1)]);
    }
  }

  void run(const Tree& out, const Context& ctx) {
    std::vector<Edge> edges;
    for (std::int64_t i = 0; i < n_; ++i) {
      ctx.check();
      for (const std::int64_t j : neighbours_[at(i)])
        if (j < i) edges.emplace_back(inertia(i, j), i, j);
    }
    EdgeHeap heap(std::move(edges));
    for (std::int64_t merge = 0; merge < out.children.n_rows; ++merge) {
      ctx.check();
      const auto [least, i, j] =
          heap.pop([&](std::int64_t node) { return above_[at(node)] == node; });
      const std::int64_t node = n_ + merge;
      unite(i, j, node);
      store(out, merge, i, j, std::sqrt(2.0 * least), static_cast<std::int64_t>(sizes_[at(node)]));
      for (const std::int64_t other : neighbours_[at(node)]) {
        neighbours_[at(other)].push_back(node);
        heap.push(inertia(node, other), node, other);
      }
    }
  }

 private:
  double inertia(std::int64_t i, std::int64_t j) const {
    const double size = sizes_[at(i)], other_size = sizes_[at(j)];
    const double* sum = sums_.data() + place_[at(i)] * p_;
    const double* other_sum = sums_.data() + place_[at(j)] * p_;
    double squared = 0.0;
    for (std::int64_t k = 0; k < p_; ++k) {
      const double gap = sum[k] / size - other_sum[k] / other_size;
      squared += gap * gap;
    }
    return squared * (size * other_size / (size + other_size));
  }

  std::int64_t head(std::int64_t node) {
    while (above_[at(node)] != node) {
      above_[at(node)] = above_[at(above_[at(node)])];
      node = above_[at(node)];
    }
    return node;
  }

  void unite(std::int64_t i, std::int64_t j, std::int64_t node) {
    place_[at(node)] = place_[at(i)];
    sizes_[at(node)] = sizes_[at(i)] + sizes_[at(j)];
    for (std::int64_t k = 0; k < p_; ++k)
      sums_[at(place_[at(i)] * p_ + k)] += sums_[at(place_[at(j)] * p_ + k)];
    above_[at(i)] = above_[at(j)] = node;
    seen_at_[at(node)] = node;
    for (const std::int64_t part : {i, j}) {
      for (const std::int64_t neighbour : neighbours_[at(part)]) {
        const std::int64_t now = head(neighbour);
        if (seen_at_[at(now)] == node) continue;
        seen_at_[at(now)] = node;
        neighbours_[at(node)].push_back(now);
      }
      std::vector<std::int64_t>().swap(neighbours_[at(part)]);
    }
  }

  std::int64_t n_, p_;
  std::vector<double> sums_;
  std::vector<std::int64_t> place_;
  std::vector<double> sizes_;
  std::vector<std::int64_t> above_, seen_at_;
  std::vector<std::vector<std::int64_t>> neighbours_;
};

// Neighbours with their distances, by number: new nodes have the largest.
using Neighbours = std::vector<std::pair<std::int64_t, double>>;

class MergeInGraph {
 public:
  MergeInGraph(const Graph& graph, std::span<const double> distances, Method method,
               std::int64_t n_merges)
      : n_(graph.n_rows()),
        method_(method),
        sizes_(at(n_ + n_merges), 1),
        neighbours_(at(n_ + n_merges)) {
    for (std::int64_t i = 0; i < n_; ++i)
      for (std::int64_t k = graph.starts[at(i)]; k < graph.starts[at(i + 1)]; ++k)
        neighbours_[at(i)].emplace_back(graph.index[at(k)], distances[at(k)]);
  }

  void run(const Tree& out, const Context& ctx) {
    std::vector<Edge> edges;
    for (std::int64_t i = 0; i < n_; ++i)
      for (const auto& [j, distance] : neighbours_[at(i)])
        if (j < i) edges.emplace_back(distance, i, j);
    EdgeHeap heap(std::move(edges));
    for (std::int64_t merge = 0; merge < out.children.n_rows; ++merge) {
      ctx.check();
      const auto [least, i, j] = heap.pop([&](std::int64_t node) { return sizes_[at(node)] > 0; });
      const std::int64_t node = n_ + merge;
      const std::int64_t size = sizes_[at(i)], other_size = sizes_[at(j)];
      sizes_[at(i)] = sizes_[at(j)] = 0;
      sizes_[at(node)] = size + other_size;
      store(out, merge, i, j, least, size + other_size);
      neighbours_[at(node)] = united(neighbours_[at(i)], neighbours_[at(j)], size, other_size);
      for (const auto& [other, distance] : neighbours_[at(node)]) {
        neighbours_[at(other)].emplace_back(node, distance);
        heap.push(distance, node, other);
      }
      Neighbours().swap(neighbours_[at(i)]);
      Neighbours().swap(neighbours_[at(j)]);
    }
  }

 private:
  Neighbours united(const Neighbours& a, const Neighbours& b, std::int64_t size,
                    std::int64_t other_size) const {
    Neighbours out;
    const auto add = [&](std::int64_t node, double distance) {
      if (sizes_[at(node)] > 0) out.emplace_back(node, distance);
    };
    std::size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
      if (j == b.size() || (i < a.size() && a[i].first < b[j].first)) {
        add(a[i].first, a[i].second);
        ++i;
      } else if (i == a.size() || b[j].first < a[i].first) {
        add(b[j].first, b[j].second);
        ++j;
      } else {
        add(a[i].first, joined(a[i].second, b[j].second, size, other_size));
        ++i;
        ++j;
      }
    }
    return out;
  }

  double joined(double a, double b, std::int64_t size, std::int64_t other_size) const {
    if (method_ == Method::complete) return std::max(a, b);
    const auto weight = static_cast<double>(size), other_weight = static_cast<double>(other_size);
    return (weight * a + other_weight * b) / (weight + other_weight);
  }

  std::int64_t n_;
  Method method_;
  std::vector<std::int64_t> sizes_;
  std::vector<Neighbours> neighbours_;
};

}  // namespace

template <class T>
void ward_in_graph(MatrixView<const T> X, const Graph& graph, const Tree& out, const Context& ctx) {
  WardInGraph(X, graph, out.children.n_rows).run(out, ctx);
}

void merge_in_graph(const Graph& graph, std::span<const double> distances, Method method,
                    const Tree& out, const Context& ctx) {
  MergeInGraph(graph, distances, method, out.children.n_rows).run(out, ctx);
}

std::vector<Merge> spanning_tree_of_graph(const Graph& graph, std::span<const double> distances,
                                          const Context& ctx) {
  std::vector<Edge> edges;
  for (std::int64_t i = 0; i < graph.n_rows(); ++i)
    for (std::int64_t k = graph.starts[at(i)]; k < graph.starts[at(i + 1)]; ++k)
      if (i < graph.index[at(k)]) edges.emplace_back(distances[at(k)], i, graph.index[at(k)]);
  ctx.check();
  std::sort(edges.begin(), edges.end());
  std::vector<std::int64_t> above(at(graph.n_rows()));
  std::iota(above.begin(), above.end(), std::int64_t{0});
  const auto root_of = [&](std::int64_t row) {
    while (above[at(row)] != row) row = above[at(row)] = above[at(above[at(row)])];
    return row;
  };
  std::vector<Merge> merges;
  for (const auto& [distance, i, j] : edges) {
    const std::int64_t root = root_of(i), other = root_of(j);
    if (root == other) continue;
    above[at(std::max(root, other))] = std::min(root, other);
    merges.push_back({i, j, distance});
  }
  if (static_cast<std::int64_t>(merges.size()) + 1 < graph.n_rows())
    throw InvalidArgument("the graph is not connected");
  return merges;
}

template void ward_in_graph(MatrixView<const float>, const Graph&, const Tree&, const Context&);
template void ward_in_graph(MatrixView<const double>, const Graph&, const Tree&, const Context&);

}  // namespace gramian::linkage
