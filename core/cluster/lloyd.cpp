#include "cluster/lloyd.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "cluster/assign.hpp"
#include "cluster/centre_steps.hpp"
#include "cluster/rows.hpp"
#include "parallel/tiles.hpp"

namespace gramian::cluster {
namespace {

constexpr std::int64_t kBlockRows = 1 << 16;

template <class View>
class Lloyd {
 public:
  using T = typename View::Number;

  Lloyd(const View& X, std::span<const double> weight, MatrixView<T> centres,
        std::span<std::int32_t> labels, const Context& ctx)
      : X_(X), weight_(weight), centres_(centres), labels_(labels), ctx_(ctx), rows_(X, X, ctx) {
    std::fill(labels.begin(), labels.end(), -1);
    rows_.set_centres(centres, nullptr, ctx);
    // For a quarter of the memory of the rows; sums of sparse rows are not sparse.
    if (!kIsSparse<View> && 4 * tiles().count() * centres.n_rows <= n_rows_of(X))
      kept_.resize(at(tiles().count()));
  }

  // Labels the rows, moves the centres; how many rows changed, and the squared moves.
  std::pair<std::int64_t, double> step() {
    ClusterSums total = parallel_reduce(
        ctx_, tiles(), rows_.step_cost_ns(),
        [&](std::int64_t begin, std::int64_t end) { return sums_of_tile(begin, end); },
        [](ClusterSums& left, const ClusterSums& right) { left += right; });
    relocate_empty(total);
    std::vector<double> squared_moves;
    const double moved = move_centres(total, rows_.shift(), centres_, squared_moves);
    rows_.set_centres(centres_, &squared_moves, ctx_);
    return {total.n_changed, moved};
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

  // The sums are kept: while no row of the tile changes its cluster they stay as they are.
  ClusterSums sums_of_tile(std::int64_t begin, std::int64_t end) {
    const std::int64_t n_changed = rows_.assign(begin, end, labels_);
    const bool is_kept = !kept_.empty();
    ClusterSums* kept = is_kept ? &kept_[at(begin / tiles().tile_rows())] : nullptr;
    if (is_kept && n_changed == 0 && kept->weights.size() > 0) return kept->copy();
    ClusterSums tile = ClusterSums::zeros(centres_.n_rows, centres_.n_cols);
    add_rows(X_, weight_, labels_, rows_.shift().data(), begin, end, tile);
    if (is_kept) *kept = tile.copy();
    tile.n_changed = n_changed;
    return tile;
  }

  // Clusters without rows take, one each, the rows farthest from their centres.
  void relocate_empty(ClusterSums& total) const {
    const std::vector<std::int64_t> empty = empty_clusters(total);
    if (empty.empty()) return;
    std::vector<FarRow> far;  // of rows that weigh something
    for (std::int64_t i = 0; i < n_rows_of(X_); ++i)
      if (weight_of(weight_, i) > 0.0)
        far.push_back(
            {-rows_.squared_distance(i, labels_[at(i)]), i, labels_[at(i)], weight_of(weight_, i)});
    const std::size_t n_moved = std::min(empty.size(), far.size());
    std::partial_sort(far.begin(), far.begin() + static_cast<std::ptrdiff_t>(n_moved), far.end());
    relocate(total, empty, far, X_.n_cols, [&](std::size_t e, double w, double* sums) {
      add_row(X_, far[e].row, rows_.shift().data(), w, sums);
    });
  }

  const View& X_;
  std::span<const double> weight_;
  MatrixView<T> centres_;
  std::span<std::int32_t> labels_;
  const Context& ctx_;
  typename AssignerOf<View>::Type rows_;
  std::vector<ClusterSums> kept_{};  // of each tile, or none at all
};

}  // namespace

template <class View, class T>
LloydResult lloyd(const View& X, std::span<const double> weight, MatrixView<T> centres,
                  const LloydOptions& options, std::span<std::int32_t> labels,
                  std::span<double> history, const Context& ctx) {
  Lloyd<View> run(X, weight, centres, labels, ctx);
  return run_steps(run, options, history, ctx);
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
        ClusterSums tile = ClusterSums::zeros(sums.n_rows, sums.n_cols);
        add_rows(X, weight, labels, shift.data(), begin, end, tile);
        return tile;
      },
      [](ClusterSums& left, const ClusterSums& right) { left += right; });
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
