// Nearest centres of rows: what a step of k-means does first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "base/views.hpp"
#include "distance/filter.hpp"

namespace gramian::cluster {

// Room for the rows of one tile, used by one task at a time.
struct TileRoom {
  std::vector<std::int32_t> active;
  Buffer<float> panels, best, second, centre;
  std::vector<double> distances;
};

// How far a centre has moved since the last step, in the units of the bounds, how far others have
// at most, and half of how far it is from the next one.
struct CentreMove {
  double moved = 0.0, others_moved = 0.0, half_apart = 0.0;
};

// Dense rows, packed once, with bounds that live from step to step.
template <class T>
class DenseAssigner {
 public:
  // Rounding is least about the rows of `near`: those of X, or centres that will not move.
  DenseAssigner(MatrixView<const T> X, MatrixView<const T> near, const Context& ctx);
  DenseAssigner(MatrixView<const T> X, distance::Frame frame, const Context& ctx);

  // The centres of the next step; null for the first one.
  void set_centres(MatrixView<const T> centres, const std::vector<double>* squared_moves,
                   const Context& ctx);
  // Labels rows begin .. end, of whole panels; how many changed.
  std::int64_t assign(std::int64_t begin, std::int64_t end, std::span<std::int32_t> labels) const;
  double squared_distance(std::int64_t i, std::int64_t centre) const;

  const std::vector<double>& shift() const { return frame_.shift; }
  double step_cost_ns() const;

 private:
  void pack_panel(std::int64_t panel);
  void find_moves(const std::vector<double>& squared_moves, const Context& ctx);
  void find_active(std::int64_t begin, std::int64_t end, std::span<const std::int32_t> labels,
                   TileRoom& room) const;
  void score(std::int64_t begin, std::int64_t end, TileRoom& room) const;
  std::int32_t settle(std::int64_t row, std::int64_t place, TileRoom& room) const;
  std::int32_t settle_exactly(std::int64_t row, TileRoom& room) const;

  MatrixView<const T> X_;
  distance::Frame frame_;
  Buffer<float> panels_;
  Buffer<double> norms_;                          // squared, scaled; infinite where no bound holds
  mutable Buffer<double> upper_;                  // of the distance to the own centre
  mutable Buffer<double> lower_;                  // of the distance to any other
  std::vector<distance::FilterRows<T>> centres_;  // none or one
  MatrixView<const T> given_;
  std::vector<CentreMove> moves_;
  bool has_bounds_ = false;
};

// Sparse rows: ||x - c||^2 = ||c||^2 + sum of x_k (x_k - 2 c_k) over the stored entries.
template <class T, class Index>
class SparseAssigner {
 public:
  template <class Near>
  SparseAssigner(CsrView<T, Index> X, const Near&, const Context&)
      : X_(X), shift_(static_cast<std::size_t>(X.n_cols), 0.0) {}

  void set_centres(MatrixView<const T> centres, const std::vector<double>* squared_moves,
                   const Context& ctx);
  std::int64_t assign(std::int64_t begin, std::int64_t end, std::span<std::int32_t> labels) const;
  double squared_distance(std::int64_t i, std::int64_t centre) const;

  const std::vector<double>& shift() const { return shift_; }
  double step_cost_ns() const;

 private:
  CsrView<T, Index> X_;
  std::vector<double> shift_;  // zeros
  MatrixView<const T> given_;
  Buffer<double> by_feature_;  // 2 c_k of all centres, feature after feature
  std::vector<double> norms_;
};

template <class View>
struct AssignerOf;
template <class T>
struct AssignerOf<MatrixView<const T>> {
  using Type = DenseAssigner<T>;
};
template <class T, class Index>
struct AssignerOf<CsrView<T, Index>> {
  using Type = SparseAssigner<T, Index>;
};

}  // namespace gramian::cluster
