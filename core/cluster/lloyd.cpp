#include "cluster/lloyd.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "cluster/assign.hpp"
#include "cluster/rows.hpp"
#include "parallel/tiles.hpp"

namespace gramian::cluster {
namespace {

constexpr std::int64_t kBlockRows = 1 << 16;

struct ClusterSums {
  Buffer<double> sums;     // n_clusters x n_features
  Buffer<double> weights;  // n_clusters
  std::int64_t n_changed = 0;
};

void combine(ClusterSums& left, const ClusterSums& right) {
  add_each(left.sums, right.sums);
  add_each(left.weights, right.weights);
  left.n_changed += right.n_changed;
}

// Enough rows that adding up the tiles' sums costs little beside making them.
Tiles tiles_for(std::int64_t n_rows, std::int64_t n_clusters) {
  return Tiles::of_rows(n_rows, tile_size(8 * n_clusters, 1024, 1 << 16));
}

template <class View>
void add_rows(const View& X, std::span<const double> weight, std::span<const std::int32_t> labels,
              const double* shift, std::int64_t begin, std::int64_t end, ClusterSums& out) {
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t c = labels[at(i)];
    const double w = weight_of(weight, i);
    out.weights[c] += w;
    if (w != 0.0) add_row(X, i, shift, w, out.sums.data() + c * X.n_cols);
  }
}

template <class View>
class Lloyd {
 public:
  using T = typename View::Number;

  Lloyd(const View& X, std::span<const double> weight, MatrixView<T> centres,
        std::span<std::int32_t> labels, const Context& ctx)
      : X_(X), weight_(weight), centres_(centres), labels_(labels), ctx_(ctx), rows_(X, X, ctx) {
    std::fill(labels.begin(), labels.end(), -1);
    rows_.set_centres(centres, nullptr, ctx);
  }

  // Labels the rows, moves the centres; how many rows changed, and the squared moves.
  std::pair<std::int64_t, double> step() {
    ClusterSums total = parallel_reduce(
        ctx_, tiles(), rows_.step_cost_ns(),
        [&](std::int64_t begin, std::int64_t end) {
          ClusterSums tile{Buffer<double>::zeros(centres_.n_rows * centres_.n_cols),
                           Buffer<double>::zeros(centres_.n_rows)};
          tile.n_changed = rows_.assign(begin, end, labels_);
          add_rows(X_, weight_, labels_, rows_.shift().data(), begin, end, tile);
          return tile;
        },
        [](ClusterSums& left, const ClusterSums& right) { combine(left, right); });
    relocate_empty(total);
    return {total.n_changed, move(total)};
  }

  void label_rows() {
    const Tiles all = tiles();
    parallel_for(ctx_, all.count(), rows_.step_cost_ns(),
                 [&](std::int64_t tile) { rows_.assign(all.begin(tile), all.end(tile), labels_); });
  }

  double inertia() const {
    const double cost_ns = static_cast<double>(n_rows_of(X_)) * 20.0;
    return parallel_reduce(
        ctx_, tiles(), cost_ns,
        [&](std::int64_t begin, std::int64_t end) {
          double sum = 0.0;
          for (std::int64_t i = begin; i < end; ++i)
            sum += weight_of(weight_, i) * rows_.squared_distance(i, labels_[at(i)]);
          return sum;
        },
        [](double& left, double right) { left += right; });
  }

 private:
  Tiles tiles() const { return tiles_for(n_rows_of(X_), centres_.n_rows); }

  // Clusters without rows take, one each, the rows farthest from their centres.
  void relocate_empty(ClusterSums& total) const {
    std::vector<std::int64_t> empty;
    for (std::int64_t c = 0; c < centres_.n_rows; ++c)
      if (total.weights[c] == 0.0) empty.push_back(c);
    if (empty.empty()) return;
    std::vector<std::pair<double, std::int64_t>> far;  // of rows that weigh something
    for (std::int64_t i = 0; i < n_rows_of(X_); ++i)
      if (weight_of(weight_, i) > 0.0)
        far.emplace_back(-rows_.squared_distance(i, labels_[at(i)]), i);
    const std::size_t n_moved = std::min(empty.size(), far.size());
    std::partial_sort(far.begin(), far.begin() + static_cast<std::ptrdiff_t>(n_moved), far.end());
    if (n_moved == 0 || far.front().first == 0.0) return;  // more clusters than different rows
    for (std::size_t e = 0; e < n_moved; ++e) {
      const std::int64_t row = far[e].second, from = labels_[at(row)];
      const double w = weight_of(weight_, row);
      const double* shift = rows_.shift().data();
      add_row(X_, row, shift, -w, total.sums.data() + from * X_.n_cols);
      std::fill_n(total.sums.data() + empty[e] * X_.n_cols, X_.n_cols, 0.0);
      add_row(X_, row, shift, w, total.sums.data() + empty[e] * X_.n_cols);
      total.weights[empty[e]] = w;
      total.weights[from] -= w;
    }
  }

  // Centres to the means; those of clusters that are still empty to that of the largest one.
  double move(const ClusterSums& total) {
    const std::int64_t p = centres_.n_cols;
    const double* weights = total.weights.data();
    const std::int64_t largest = std::max_element(weights, weights + centres_.n_rows) - weights;
    std::vector<double> squared_moves(at(centres_.n_rows), 0.0);
    double moved = 0.0;
    for (std::int64_t c = 0; c < centres_.n_rows; ++c) {
      const std::int64_t of = weights[c] > 0.0 ? c : largest;
      for (std::int64_t k = 0; k < p; ++k) {
        const double mean = total.sums[of * p + k] / weights[of] + rows_.shift()[at(k)];
        const T rounded = static_cast<T>(mean);
        const double apart = static_cast<double>(rounded) - static_cast<double>(centres_(c, k));
        squared_moves[at(c)] += apart * apart;
        centres_(c, k) = rounded;
      }
      moved += squared_moves[at(c)];
    }
    rows_.set_centres(centres_, &squared_moves, ctx_);
    return moved;
  }

  const View& X_;
  std::span<const double> weight_;
  MatrixView<T> centres_;
  std::span<std::int32_t> labels_;
  const Context& ctx_;
  typename AssignerOf<View>::Type rows_;
};

}  // namespace

template <class View, class T>
LloydResult lloyd(const View& X, std::span<const double> weight, MatrixView<T> centres,
                  const LloydOptions& options, std::span<std::int32_t> labels,
                  std::span<double> history, const Context& ctx) {
  Lloyd<View> run(X, weight, centres, labels, ctx);
  LloydResult result;
  while (result.n_iter < options.max_iter && !result.is_converged) {
    const auto [n_changed, moved] = run.step();
    if (!history.empty()) history[at(result.n_iter)] = run.inertia();
    ++result.n_iter;
    result.moved = moved;
    result.is_settled = n_changed == 0;
    result.is_converged = result.is_settled || moved <= options.tol;
    if (ctx.expired()) break;
  }
  if (!result.is_settled) run.label_rows();
  result.inertia = run.inertia();
  return result;
}

template <class View, class T>
void nearest_centres(const View& X, MatrixView<const T> centres, std::span<std::int32_t> labels,
                     std::span<double> squared, const Context& ctx) {
  const std::int64_t n = n_rows_of(X);
  for (std::int64_t first = 0; first < n; first += kBlockRows) {
    const std::int64_t n_block = std::min(kBlockRows, n - first);
    const View block = X.rows(first, first + n_block);
    typename AssignerOf<View>::Type rows(block, centres, ctx);
    rows.set_centres(centres, nullptr, ctx);
    const auto some = labels.subspan(at(first), at(n_block));
    const Tiles tiles = Tiles::of_rows(n_block, 1024);
    parallel_for(ctx, tiles.count(), rows.step_cost_ns(), [&](std::int64_t tile) {
      rows.assign(tiles.begin(tile), tiles.end(tile), some);
      if (squared.empty()) return;
      for (std::int64_t i = tiles.begin(tile); i < tiles.end(tile); ++i)
        squared[at(first + i)] = rows.squared_distance(i, some[at(i)]);
    });
  }
}

template <class View, class T>
void cluster_sums(const View& X, std::span<const double> weight,
                  std::span<const std::int32_t> labels, std::span<const double> shift,
                  MatrixView<double> sums, std::span<double> weights, const Context& ctx) {
  const ClusterSums total = parallel_reduce(
      ctx, tiles_for(n_rows_of(X), sums.n_rows), static_cast<double>(n_rows_of(X) * X.n_cols),
      [&](std::int64_t begin, std::int64_t end) {
        ClusterSums tile{Buffer<double>::zeros(sums.n_rows * sums.n_cols),
                         Buffer<double>::zeros(sums.n_rows)};
        add_rows(X, weight, labels, shift.data(), begin, end, tile);
        return tile;
      },
      [](ClusterSums& left, const ClusterSums& right) { combine(left, right); });
  for (std::int64_t c = 0; c < sums.n_rows; ++c) {
    weights[at(c)] = total.weights[c];
    for (std::int64_t k = 0; k < sums.n_cols; ++k) sums(c, k) = total.sums[c * sums.n_cols + k];
  }
}

#define GRAMIAN_INSTANTIATE(T, ...)                                                               \
  template LloydResult lloyd(const __VA_ARGS__&, std::span<const double>, MatrixView<T>,          \
                             const LloydOptions&, std::span<std::int32_t>, std::span<double>,     \
                             const Context&);                                                     \
  template void nearest_centres(const __VA_ARGS__&, MatrixView<const T>, std::span<std::int32_t>, \
                                std::span<double>, const Context&);                               \
  template void cluster_sums<__VA_ARGS__, T>(                                                     \
      const __VA_ARGS__&, std::span<const double>, std::span<const std::int32_t>,                 \
      std::span<const double>, MatrixView<double>, std::span<double>, const Context&);
GRAMIAN_INSTANTIATE(float, MatrixView<const float>)
GRAMIAN_INSTANTIATE(double, MatrixView<const double>)
GRAMIAN_INSTANTIATE(float, CsrView<float, std::int32_t>)
GRAMIAN_INSTANTIATE(float, CsrView<float, std::int64_t>)
GRAMIAN_INSTANTIATE(double, CsrView<double, std::int32_t>)
GRAMIAN_INSTANTIATE(double, CsrView<double, std::int64_t>)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::cluster
