// What the steps of k-means share, over rows in one matrix or in blocks: sums of the clusters, and
// where these move the centres.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/views.hpp"
#include "cluster/lloyd.hpp"
#include "cluster/rows.hpp"
#include "parallel/tiles.hpp"

namespace gramian::cluster {

struct ClusterSums {
  Buffer<double> sums;     // n_clusters x n_features
  Buffer<double> weights;  // n_clusters
  std::int64_t n_changed = 0;

  static ClusterSums zeros(std::int64_t n_clusters, std::int64_t n_features) {
    return {Buffer<double>::zeros(n_clusters * n_features), Buffer<double>::zeros(n_clusters)};
  }
  ClusterSums copy() const {
    ClusterSums same{Buffer<double>(sums.size()), Buffer<double>(weights.size()), n_changed};
    std::copy_n(sums.data(), sums.size(), same.sums.data());
    std::copy_n(weights.data(), weights.size(), same.weights.data());
    return same;
  }
  ClusterSums& operator+=(const ClusterSums& next) {
    add_each(sums, next.sums);
    add_each(weights, next.weights);
    n_changed += next.n_changed;
    return *this;
  }
  template <class Use>
  void for_each_part(const Use& use) {
    auto changed = static_cast<double>(n_changed);
    use(std::span(&changed, 1));
    n_changed = static_cast<std::int64_t>(changed);
    use(std::span(weights.data(), at(weights.size())));
    use(std::span(sums.data(), at(sums.size())));
  }
};

// Enough rows that adding up the tiles' sums costs little beside making them.
inline Tiles tiles_for(std::int64_t n_rows, std::int64_t n_clusters) {
  return Tiles::of_rows(n_rows, tile_size(8 * n_clusters, 1024, 1 << 16));
}

template <class T, class Index>
void add_rows(const CsrView<T, Index>& X, std::span<const double> weight,
              std::span<const std::int32_t> labels, const double* shift, std::int64_t begin,
              std::int64_t end, ClusterSums& out) {
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t c = labels[at(i)];
    const double w = weight_of(weight, i);
    out.weights[c] += w;
    if (w != 0.0) add_row(X, i, shift, w, out.sums.data() + c * X.n_cols);
  }
}

template <class T>
void add_rows(const MatrixView<const T>& X, std::span<const double> weight,
              std::span<const std::int32_t> labels, const double* shift, std::int64_t begin,
              std::int64_t end, ClusterSums& out) {
  constexpr std::int64_t kLanes = kTrialLanes, kMostOfCopies = 1024;
  const std::int64_t p = X.n_cols, n_clusters = out.weights.size();
  const std::int64_t stride = (p + kLanes - 1) / kLanes * kLanes;
  const std::int64_t size = n_clusters * stride, n_copies = size <= kMostOfCopies ? 4 : 1;
  auto padded_shift = Buffer<double>::zeros(stride);
  std::copy_n(shift, p, padded_shift.data());
  auto sums = Buffer<double>::zeros(n_copies * size);
  auto weights = Buffer<double>::zeros(n_copies * n_clusters);
  const LabelledRows<T> rows{X.data + begin * X.row_stride,
                             X.row_stride,
                             end - begin,
                             p,
                             labels.data() + begin,
                             weight.empty() ? nullptr : weight.data() + begin,
                             padded_shift.data()};
  GRAMIAN_DISPATCH(add_rows_to_clusters, rows,
                   PaddedSums{sums.data(), weights.data(), n_copies, n_clusters});
  for (std::int64_t copy = 0; copy < n_copies; ++copy)
    for (std::int64_t c = 0; c < n_clusters; ++c) {
      out.weights[c] += weights[copy * n_clusters + c];
      const double* from = sums.data() + copy * size + c * stride;
      for (std::int64_t k = 0; k < p; ++k) out.sums[c * p + k] += from[k];
    }
}

inline std::vector<std::int64_t> empty_clusters(const ClusterSums& total) {
  std::vector<std::int64_t> empty;
  for (std::int64_t c = 0; c < total.weights.size(); ++c)
    if (total.weights[c] == 0.0) empty.push_back(c);
  return empty;
}

// A row of cluster `from`, by its squared distance to the centre, less: the farthest come first.
struct FarRow {
  double nearness;
  std::int64_t row;
  std::int64_t from;
  double weight;

  bool operator<(const FarRow& other) const {
    return nearness != other.nearness ? nearness < other.nearness : row < other.row;
  }
};

// Moves the first of the far rows, one each, to the empty clusters. `add(k, weight, sums)` adds
// the k-th of them less the shift.
template <class Add>
void relocate(ClusterSums& total, std::span<const std::int64_t> empty, std::span<const FarRow> far,
              std::int64_t p, const Add& add) {
  const std::size_t n_moved = std::min(empty.size(), far.size());
  if (n_moved == 0 || far.front().nearness == 0.0) return;  // more clusters than different rows
  for (std::size_t e = 0; e < n_moved; ++e) {
    const FarRow& row = far[e];
    add(e, -row.weight, total.sums.data() + row.from * p);
    std::fill_n(total.sums.data() + empty[e] * p, p, 0.0);
    add(e, row.weight, total.sums.data() + empty[e] * p);
    total.weights[empty[e]] = row.weight;
    total.weights[row.from] -= row.weight;
  }
}

// Centres to the means; those of clusters that are still empty to that of the largest one. Returns
// the sum of the squared moves, and sets each.
template <class T>
double move_centres(const ClusterSums& total, std::span<const double> shift, MatrixView<T> centres,
                    std::vector<double>& squared_moves) {
  const std::int64_t p = centres.n_cols;
  const double* weights = total.weights.data();
  const std::int64_t largest = std::max_element(weights, weights + centres.n_rows) - weights;
  squared_moves.assign(at(centres.n_rows), 0.0);
  double moved = 0.0;
  for (std::int64_t c = 0; c < centres.n_rows; ++c) {
    const std::int64_t of = weights[c] > 0.0 ? c : largest;
    for (std::int64_t k = 0; k < p; ++k) {
      const double mean = total.sums[of * p + k] / weights[of] + shift[at(k)];
      const T rounded = static_cast<T>(mean);
      const double apart = static_cast<double>(rounded) - static_cast<double>(centres(c, k));
      squared_moves[at(c)] += apart * apart;
      centres(c, k) = rounded;
    }
    moved += squared_moves[at(c)];
  }
  return moved;
}

// The steps of a run, which has step(), inertia() and label_rows().
template <class Run>
LloydResult run_steps(Run& run, const LloydOptions& options, std::span<double> history,
                      const Context& ctx) {
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

}  // namespace gramian::cluster
