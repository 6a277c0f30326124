// A float32 filter for searches by Euclidean distance whose answers are those of float64.
//
// The rows of Y are shifted by a common vector m near their mean, scaled by a power of two, and
// rounded to float32. With u = 2^-24, p features and beta = 2 (p + 4) u, the score
// s = ||y||^2 / 2 - x'y that a tile computes in float32 satisfies, for shifted and scaled rows,
//
//   | ||x - y||^2 / 2 - (||x||^2 / 2 + s) | <= beta (||x||^2 + ||y||^2) / 2 :
//
// rounding x and y costs 2.1 u ||x|| ||y||; the sum of p fused products 1.36 p u ||x|| ||y||, if
// p u <= 1/4 (Higham, Accuracy and Stability of Numerical Algorithms, 3.1); the norm and the last
// subtraction 2.1 u ||y||^2 / 2 + 1.1 u ||x|| ||y||; and 2 ||x|| ||y|| <= ||x||^2 + ||y||^2. What
// is left of beta covers the rounding of the float64 distance itself, and tiny_loss() what is lost
// in the underflow of either. So a row can be dropped by its score if the lower bound of its
// distance is above an upper bound of the k-th least or above the radius; all others are summed
// again in float64, from the differences of the given rows.
//
// That holds for rows of Y and of X whose shifted entries are neither infinite nor, for X, more
// than kLargestNorm times those of Y. For the others there is no bound, and no row is dropped.
#pragma once

#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "base/views.hpp"
#include "distance/filter_kernel.hpp"

namespace gramian::distance {

// Whether to filter at all: for few rows of X rounding Y would cost more than it gains.
enum class Filter { on, off };

// What is taken from the rows before they are scaled and rounded.
struct Frame {
  std::vector<double> shift;
  double scale = 1.0;
};

// Y in float32 panels, with bounds of what is lost. The given rows must outlive it.
template <class T>
class FilterRows {
 public:
  FilterRows(MatrixView<const T> Y, Filter filter, const Context& ctx);
  // With a frame that was chosen before, for rows of Y that change while those of X stay packed.
  FilterRows(MatrixView<const T> Y, const Frame& frame, const Context& ctx);

  // The frame of rows that are to be packed; of scale 0 if no filter can be used for them.
  static Frame frame_of(MatrixView<const T> X, const Context& ctx);

  MatrixView<const T> rows() const { return Y_; }
  std::int64_t n_rows() const { return Y_.n_rows; }
  std::int64_t n_features() const { return Y_.n_cols; }
  bool is_usable() const { return is_usable_; }
  double scale() const { return scale_; }
  double beta() const { return beta_; }
  // How much larger the upper bound of half a squared distance is than the lower one, but for what
  // depends on the row of X.
  double slack(std::int64_t row) const { return static_cast<double>(slack_[row]); }

  // What underflow, in float32 or in float64, can cost in a score.
  double tiny_loss() const { return tiny_loss_; }

  // Columns for the next call of filter_tile: fewer at first, when there are no limits yet and all
  // survive, and where the features alone fill the cache.
  std::int64_t block_cols(std::int64_t first_col) const;
  FilterOperands operands(const float* x, std::int64_t first_col) const;
  const float* panels() const { return panels_.data(); }
  const float* half_norms() const { return half_norms_.data(); }

  // Row i of X, shifted, scaled and rounded; its squared norm before rounding, infinite if the
  // filter cannot be used for it.
  double pack(MatrixView<const T> X, std::int64_t i, float* out) const;

 private:
  void choose_shift();
  void set_scale(double scale);
  double largest_entry(const Context& ctx) const;
  void pack_panels(const Context& ctx);
  void pack_panel(std::int64_t panel);

  MatrixView<const T> Y_;
  std::vector<double> shift_;
  double scale_ = 1.0;
  double beta_;
  double tiny_loss_ = 0.0;  // kept: products of subnormal numbers cost as much as a hundred others
  bool is_usable_ = false;
  Buffer<float> panels_;
  Buffer<float> half_norms_;  // lower bounds
  Buffer<float> slack_;
};

// The least float that is not below x.
float rounded_up_to_float(double x);

}  // namespace gramian::distance
