#include "distance/neighbour_lists.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::distance {
namespace {

constexpr std::int64_t kQueriesPerTask = 256;

template <class Function>
void for_each_query(std::int64_t n_queries, double cost_ns, const Context& ctx,
                    const Function& function) {
  const Chunks chunks = Chunks::of_rows(n_queries, kQueriesPerTask);
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t task) {
    for (std::int64_t i = chunks.begin(task); i < chunks.end(task); ++i) function(i);
  });
}

double weight_of(const NeighbourLists& lists, std::int64_t place) {
  return lists.weights.empty() ? 1.0 : lists.weights[at(place)];
}

}  // namespace

template <class T>
void k_smallest(MatrixView<const T> distances, MatrixView<std::int64_t> index,
                MatrixView<double> least, const Context& ctx) {
  using Entry = std::pair<double, std::int64_t>;
  const std::int64_t n_cols = distances.n_cols, k = index.n_cols;
  const double cost_ns = 4.0 * static_cast<double>(distances.n_rows * n_cols);
  const Chunks chunks = Chunks::of_rows(distances.n_rows, 16);
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t task) {
    std::vector<Entry> entries(at(n_cols));
    for (std::int64_t i = chunks.begin(task); i < chunks.end(task); ++i) {
      ctx.check();
      for (std::int64_t j = 0; j < n_cols; ++j) {
        const auto value = static_cast<double>(distances(i, j));
        entries[at(j)] = {std::isnan(value) ? std::numeric_limits<double>::infinity() : value, j};
      }
      const auto end = entries.begin() + k;
      if (k < n_cols) std::nth_element(entries.begin(), end, entries.end());
      std::sort(entries.begin(), end);
      for (std::int64_t c = 0; c < k; ++c) std::tie(least(i, c), index(i, c)) = entries[at(c)];
    }
  });
}

void count_votes(const NeighbourLists& lists, std::span<const std::int64_t> codes,
                 MatrixView<double> votes, const Context& ctx) {
  const double cost_ns = 3.0 * static_cast<double>(lists.index.size());
  for_each_query(lists.n_queries(), cost_ns, ctx, [&](std::int64_t i) {
    for (std::int64_t c = 0; c < votes.n_cols; ++c) votes(i, c) = 0.0;
    for (std::int64_t place = lists.starts[at(i)]; place < lists.starts[at(i + 1)]; ++place)
      votes(i, codes[at(lists.index[at(place)])]) += weight_of(lists, place);
  });
}

void mean_of_neighbours(const NeighbourLists& lists, MatrixView<const double> Y,
                        MatrixView<double> out, const Context& ctx) {
  const double cost_ns =
      3.0 * static_cast<double>(lists.index.size()) * static_cast<double>(Y.n_cols);
  for_each_query(lists.n_queries(), cost_ns, ctx, [&](std::int64_t i) {
    double total = 0.0;
    for (std::int64_t j = 0; j < Y.n_cols; ++j) out(i, j) = 0.0;
    for (std::int64_t place = lists.starts[at(i)]; place < lists.starts[at(i + 1)]; ++place) {
      const double weight = weight_of(lists, place);
      const std::int64_t row = lists.index[at(place)];
      total += weight;
      for (std::int64_t j = 0; j < Y.n_cols; ++j) out(i, j) += weight * Y(row, j);
    }
    for (std::int64_t j = 0; j < Y.n_cols; ++j) out(i, j) /= total;
  });
}

template void k_smallest(MatrixView<const float>, MatrixView<std::int64_t>, MatrixView<double>,
                         const Context&);
template void k_smallest(MatrixView<const double>, MatrixView<std::int64_t>, MatrixView<double>,
                         const Context&);

}  // namespace gramian::distance
