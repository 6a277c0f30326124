#include "manifold/affinities.hpp"

#include <algorithm>
#include <utility>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "manifold/perplexity_kernel.hpp"
#include "parallel/parallel_for.hpp"
#include "random/philox.hpp"

namespace gramian::manifold {
namespace {

constexpr double kNanosecondsOfExp = 12.0;  // of all steps of the search
constexpr double kNanosecondsOfEdge = 10.0;

struct Edge {
  std::int32_t place;
  float value;
};

// Rows of edges, sorted by place.
struct Edges {
  std::vector<std::int64_t> starts;
  std::vector<Edge> list;

  std::span<const Edge> row(std::int64_t i) const {
    const std::size_t begin = at(starts[at(i)]);
    return {list.data() + begin, at(starts[at(i + 1)]) - begin};
  }
};

Edges sorted_edges(MatrixView<const std::int64_t> index, MatrixView<const float> p,
                   const Context& ctx) {
  const std::int64_t n = index.n_rows, k = index.n_cols;
  Edges edges{std::vector<std::int64_t>(at(n + 1)), std::vector<Edge>(at(n * k))};
  for (std::int64_t i = 0; i <= n; ++i) edges.starts[at(i)] = i * k;
  const Chunks chunks = Chunks::of_rows(n, 256);
  const double cost_ns = 4.0 * kNanosecondsOfEdge * static_cast<double>(n * k);
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t chunk) {
    for (std::int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
      Edge* row = edges.list.data() + i * k;
      for (std::int64_t j = 0; j < k; ++j)
        row[j] = {static_cast<std::int32_t>(index(i, j)), p(i, j)};
      std::sort(row, row + k, [](const Edge& a, const Edge& b) { return a.place < b.place; });
    }
  });
  return edges;
}

// The edges in the other direction; rows are visited in their order, so that lists are sorted.
Edges reversed(const Edges& edges, std::int64_t n, const Context& ctx) {
  Edges out{std::vector<std::int64_t>(at(n + 2)), std::vector<Edge>(edges.list.size())};
  for (const Edge& edge : edges.list) ++out.starts[at(edge.place) + 2];
  for (std::size_t i = 2; i < out.starts.size(); ++i) out.starts[i] += out.starts[i - 1];
  for (std::int64_t i = 0; i < n; ++i) {
    ctx.check();
    for (const Edge& edge : edges.row(i))
      out.list[at(out.starts[at(edge.place) + 1]++)] = {static_cast<std::int32_t>(i), edge.value};
  }
  return out;
}

// Calls visit(place, sum) for each place in one of two sorted rows, in order.
template <class Visit>
void merge(std::span<const Edge> a, std::span<const Edge> b, const Visit& visit) {
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (j == b.size() || (i < a.size() && a[i].place < b[j].place)) {
      visit(a[i].place, a[i].value);
      ++i;
    } else if (i == a.size() || b[j].place < a[i].place) {
      visit(b[j].place, b[j].value);
      ++j;
    } else {
      visit(a[i].place, a[i].value + b[j].value);
      ++i;
      ++j;
    }
  }
}

}  // namespace

void conditional(MatrixView<const double> squared, std::int64_t first, double perplexity,
                 MatrixView<float> p, std::span<double> betas, const Context& ctx) {
  const std::int64_t n = squared.n_rows, k = squared.n_cols;
  const double entropy = portable_log(perplexity);
  const Chunks chunks = Chunks::of_rows(n, std::max<std::int64_t>(1, (1 << 14) / (k + 1)));
  const double cost_ns = kNanosecondsOfExp * static_cast<double>(n * k);
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t chunk) {
    std::vector<double> scratch(at(2 * (k + 8)));
    for (std::int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i)
      betas[at(i)] =
          GRAMIAN_DISPATCH(calibrate, squared.row(i).data(), k, first >= 0 ? first + i : -1,
                           entropy, scratch.data(), p.row(i).data())
              .beta;
  });
}

JointAffinities joint(MatrixView<const std::int64_t> index, MatrixView<const float> p,
                      const Context& ctx) {
  const std::int64_t n = index.n_rows;
  const Edges own = sorted_edges(index, p, ctx), others = reversed(own, n, ctx);
  JointAffinities out{std::vector<std::int64_t>(at(n + 1)), {}, {}};
  const Chunks chunks = Chunks::of_rows(n, 256);
  const double cost_ns = kNanosecondsOfEdge * static_cast<double>(n * index.n_cols);
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t chunk) {
    for (std::int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
      std::int64_t size = 0;
      merge(own.row(i), others.row(i), [&](std::int32_t, float) { ++size; });
      out.starts[at(i + 1)] = size;
    }
  });
  for (std::size_t i = 1; i < out.starts.size(); ++i) out.starts[i] += out.starts[i - 1];
  out.places.resize(at(out.starts.back()));
  out.values.resize(at(out.starts.back()));
  const auto scale = static_cast<float>(0.5 / static_cast<double>(n));
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t chunk) {
    for (std::int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
      std::size_t next = at(out.starts[at(i)]);
      merge(own.row(i), others.row(i), [&](std::int32_t place, float value) {
        out.places[next] = place;
        out.values[next++] = scale * value;
      });
    }
  });
  return out;
}

void join_all(MatrixView<float> p, const Context& ctx) {
  const std::int64_t n = p.n_rows;
  constexpr std::int64_t kBlock = 64;
  const std::int64_t n_blocks = (n + kBlock - 1) / kBlock;
  const auto scale = static_cast<float>(0.5 / static_cast<double>(n));
  const double cost_ns = static_cast<double>(n) * static_cast<double>(n);
  parallel_for(ctx, n_blocks, cost_ns, [&](std::int64_t block) {
    for (std::int64_t other = 0; other <= block; ++other)
      for (std::int64_t i = block * kBlock; i < std::min(n, (block + 1) * kBlock); ++i)
        for (std::int64_t j = other * kBlock; j < std::min(i + 1, (other + 1) * kBlock); ++j)
          p(i, j) = p(j, i) = scale * (p(i, j) + p(j, i));
  });
}

}  // namespace gramian::manifold
