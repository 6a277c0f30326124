// What the steps of k-means ask of one block of rows, where it is read or where it lies.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/error.hpp"
#include "base/row_blocks.hpp"
#include "cluster/assign.hpp"
#include "cluster/centre_steps.hpp"
#include "parallel/tiles.hpp"

namespace gramian::cluster {

template <class T>
const MatrixView<const T>& rows_of(const AnyDense& block) {
  const auto* rows = std::get_if<MatrixView<const T>>(&block);
  if (rows == nullptr || !rows->has_contiguous_rows())
    throw InvalidArgument("blocks must be of contiguous rows of one type");
  return *rows;
}

template <class T>
class BlockSteps {
 public:
  // Refers to its arguments.
  BlockSteps(MatrixView<const T> X, const distance::Frame& frame, MatrixView<const T> centres,
             std::span<const double> weight, std::span<std::int32_t> labels, const Context& ctx)
      : X_(X),
        weight_(weight),
        labels_(labels),
        n_clusters_(centres.n_rows),
        tiles_(tiles_for(X.n_rows, centres.n_rows)),
        rows_(X, frame, ctx),
        ctx_(ctx) {
    rows_.set_centres(centres, nullptr, ctx);
  }

  // Rows join their nearest centres; the sums of the clusters, and how many labels changed.
  ClusterSums step() {
    return parallel_reduce(
        ctx_, tiles_, rows_.step_cost_ns(),
        [&](std::int64_t begin, std::int64_t end) {
          ClusterSums tile = ClusterSums::zeros(n_clusters_, X_.n_cols);
          tile.n_changed = rows_.assign(begin, end, labels_);
          add_rows(X_, weight_, labels_, rows_.shift().data(), begin, end, tile);
          return tile;
        },
        [](ClusterSums& left, const ClusterSums& right) { left += right; });
  }

  void label() {
    parallel_for(ctx_, tiles_.count(), rows_.step_cost_ns(), [&](std::int64_t tile) {
      rows_.assign(tiles_.begin(tile), tiles_.end(tile), labels_);
    });
  }

  // Of the labels as they are.
  double inertia() const {
    const double cost_ns = static_cast<double>(X_.n_rows) * 20.0;
    return parallel_reduce(
        ctx_, tiles_, cost_ns,
        [&](std::int64_t begin, std::int64_t end) {
          double sum = 0.0;
          for (std::int64_t i = begin; i < end; ++i)
            sum += weight_of(weight_, i) * squared_distance(i);
          return sum;
        },
        [](double& left, double right) { left += right; });
  }

  double squared_distance(std::int64_t i) const {
    return rows_.squared_distance(i, labels_[at(i)]);
  }
  const MatrixView<const T>& rows() const { return X_; }
  std::span<const double> weight() const { return weight_; }
  std::span<const std::int32_t> labels() const { return labels_; }

 private:
  MatrixView<const T> X_;
  std::span<const double> weight_;
  std::span<std::int32_t> labels_;
  std::int64_t n_clusters_;
  Tiles tiles_;
  DenseAssigner<T> rows_;
  const Context& ctx_;
};

// What steps ask of blocks that are elsewhere. A block keeps no labels: they are found again from
// the centres that they belong to.
inline constexpr const char* kStep = "step of k-means";     // frame, centres, centres of the labels
inline constexpr const char* kInertia = "inertia";          // the same
inline constexpr const char* kNearest = "nearest centres";  // whether squared, centres
inline constexpr const char* kClusterSums = "sums of clusters";  // shift; weights, labels

// Nothing for other questions.
std::optional<std::vector<double>> cluster_sums_of(const RowSum& asked, const AnyDense& rows,
                                                   const Context& ctx);

}  // namespace gramian::cluster
