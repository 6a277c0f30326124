#include "distance/distance.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "distance/reduce_kernel.hpp"

namespace gramian::distance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
struct MatrixWriter {
  MatrixView<T> out;

  void add(const Tile& tile) const {
    for (std::int64_t i = 0; i < tile.n_rows; ++i) {
      const double* row = tile.values + i * kTileCols;
      T* to = &out(tile.first_row + i, tile.first_col);
      for (std::int64_t j = 0; j < tile.n_cols; ++j)
        to[j * out.col_stride] = static_cast<T>(row[j]);
    }
  }
  void finish() const {}
};

struct NearestRows {
  std::int64_t first;
  std::vector<double> best;
  std::span<std::int64_t> index;
  std::span<double> distance;
  bool is_squared;

  void add(const Tile& tile) {
    for (std::int64_t i = 0; i < tile.n_rows; ++i) {
      double& least = best[static_cast<std::size_t>(tile.first_row + i - first)];
      const std::int64_t place =
          GRAMIAN_DISPATCH(find_less, tile.values + i * kTileCols, tile.n_cols, &least);
      if (place >= 0) index[static_cast<std::size_t>(tile.first_row + i)] = tile.first_col + place;
    }
  }
  void finish() const {
    for (std::size_t i = 0; i < best.size(); ++i)
      distance[static_cast<std::size_t>(first) + i] = is_squared ? std::sqrt(best[i]) : best[i];
  }
};

class ClusterSums {
 public:
  ClusterSums(std::int64_t first, std::int64_t last, std::span<const std::int64_t> starts,
              std::span<double> own, std::span<double> other)
      : first_(first),
        n_rows_(last - first),
        n_clusters_(static_cast<std::int64_t>(starts.size()) - 1),
        starts_(starts),
        own_(own),
        other_(other),
        sums_(Buffer<double>::zeros(n_rows_ * n_clusters_)) {}

  // The tiles of one column block come one after the other, so the cluster is looked up once.
  void add(const Tile& tile) {
    while (start(cluster_ + 1) <= tile.first_col) ++cluster_;
    const std::int64_t end = tile.first_col + tile.n_cols;
    std::int64_t begin = tile.first_col;
    for (std::int64_t c = cluster_; begin < end; ++c) {
      const std::int64_t stop = std::min(start(c + 1), end);
      for (std::int64_t i = 0; i < tile.n_rows; ++i)
        sums_[(tile.first_row + i - first_) * n_clusters_ + c] += GRAMIAN_DISPATCH(
            sum_entries, tile.values + i * kTileCols + begin - tile.first_col, stop - begin);
      begin = stop;
    }
  }

  void finish() const {
    for (std::int64_t i = 0; i < n_rows_; ++i) {
      const std::int64_t row = first_ + i;
      const auto at = static_cast<std::size_t>(row);
      double least = kInfinity;
      for (std::int64_t c = 0; c < n_clusters_; ++c) {
        const double sum = sums_[i * n_clusters_ + c];
        if (row >= start(c) && row < start(c + 1))
          own_[at] = sum;
        else
          least = std::min(least, sum / static_cast<double>(start(c + 1) - start(c)));
      }
      other_[at] = least;
    }
  }

 private:
  std::int64_t start(std::int64_t cluster) const {
    return starts_[static_cast<std::size_t>(cluster)];
  }

  std::int64_t first_;
  std::int64_t n_rows_;
  std::int64_t n_clusters_;
  std::span<const std::int64_t> starts_;
  std::span<double> own_;
  std::span<double> other_;
  Buffer<double> sums_;
  std::int64_t cluster_ = 0;
};

}  // namespace

template <class T>
void distance_matrix(const Measure& measure, MatrixView<const T> X, MatrixView<const T> Y,
                     MatrixView<T> out, const Context& ctx) {
  const PackedRows packed(measure, Y, ctx);
  for_each_tile(X, packed, ctx, [&](std::int64_t, std::int64_t) { return MatrixWriter<T>{out}; });
}

template <class T>
void nearest_rows(const Measure& measure, MatrixView<const T> X, MatrixView<const T> Y,
                  std::span<std::int64_t> index, std::span<double> distance, const Context& ctx) {
  const bool is_euclidean = measure.metric == Metric::euclidean;
  const Measure searched =
      is_euclidean ? Measure{Metric::sqeuclidean, measure.power} : measure;  // the same order
  const PackedRows packed(searched, Y, ctx);
  std::fill(index.begin(), index.end(), 0);
  for_each_tile(X, packed, ctx, [&](std::int64_t first, std::int64_t last) {
    return NearestRows{first,
                       std::vector<double>(static_cast<std::size_t>(last - first), kInfinity),
                       index, distance, is_euclidean};
  });
}

template <class T>
void cluster_distances(const Measure& measure, MatrixView<const T> X,
                       std::span<const std::int64_t> starts, std::span<double> own,
                       std::span<double> other, const Context& ctx) {
  const PackedRows packed(measure, X, ctx);
  for_each_tile(X, packed, ctx, [&](std::int64_t first, std::int64_t last) {
    return ClusterSums(first, last, starts, own, other);
  });
}

#define GRAMIAN_INSTANTIATE(T)                                                            \
  template void distance_matrix(const Measure&, MatrixView<const T>, MatrixView<const T>, \
                                MatrixView<T>, const Context&);                           \
  template void nearest_rows(const Measure&, MatrixView<const T>, MatrixView<const T>,    \
                             std::span<std::int64_t>, std::span<double>, const Context&); \
  template void cluster_distances(const Measure&, MatrixView<const T>,                    \
                                  std::span<const std::int64_t>, std::span<double>,       \
                                  std::span<double>, const Context&);
GRAMIAN_INSTANTIATE(float)
GRAMIAN_INSTANTIATE(double)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::distance
