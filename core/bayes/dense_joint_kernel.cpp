#include "bayes/dense_joint_kernel.hpp"

#include <algorithm>
#include <limits>

#include "bayes/posterior_kernel.hpp"
#include "bayes/transposed_rows.hpp"
#include "simd/order.hpp"
#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

constexpr std::int64_t kLanes = VecD::kLanes;
constexpr std::int64_t kStride = JointBlock::kMostRows;
constexpr int kVectors = 2;  // of rows, in registers together with the classes of a tile
constexpr int kClasses = 4;

// scratch(j, i) = x(i, first + j) - shift (null: 0), zero for the rows up to a whole tile of
// vectors.
template <class T>
void centre(const DenseRows<T>& rows, std::int64_t first, std::int64_t n_cols, const double* shift,
            double* scratch) {
  const T* data = rows.data + first * rows.col_stride;
  const double* origin = shift ? shift + first : nullptr;
  if (rows.col_stride == 1)
    transpose_rows(data, rows.row_stride, rows.n_rows, n_cols, origin, scratch);
  else
    for (std::int64_t j = 0; j < n_cols; ++j) {
      const T* x = data + j * rows.col_stride;
      for (std::int64_t i = 0; i < rows.n_rows; ++i)
        scratch[j * kStride + i] =
            static_cast<double>(x[i * rows.row_stride]) - (origin ? origin[j] : 0.0);
    }
  for (std::int64_t j = 0; j < n_cols; ++j)
    std::fill(scratch + j * kStride + rows.n_rows, scratch + (j + 1) * kStride, 0.0);
}

// Some columns of some classes: factor and offset are those of the first class and column.
struct Tile {
  const double* factor;
  const double* offset;  // null: the terms of the sum are factor x, else (factor x + offset)^2
  std::int64_t class_stride;
  std::int64_t n_cols;
};

template <int kCount, bool kSquares>
void add_terms(const Tile& tile, const double* centred, double* joint) {
  VecD sum[kCount][kVectors];
  for (int c = 0; c < kCount; ++c)
    for (int v = 0; v < kVectors; ++v) sum[c][v] = VecD::load(joint + c * kStride + v * kLanes);
  for (std::int64_t j = 0; j < tile.n_cols; ++j) {
    VecD x[kVectors];
    for (int v = 0; v < kVectors; ++v) x[v] = VecD::load(centred + j * kStride + v * kLanes);
    for (int c = 0; c < kCount; ++c) {
      const VecD factor = VecD::set1(tile.factor[c * tile.class_stride + j]);
      VecD offset = VecD::zero();
      if constexpr (kSquares) offset = VecD::set1(tile.offset[c * tile.class_stride + j]);
      for (int v = 0; v < kVectors; ++v) {
        if constexpr (kSquares) {
          const VecD t = fma(x[v], factor, offset);
          sum[c][v] = fma(t, t, sum[c][v]);
        } else {
          sum[c][v] = fma(x[v], factor, sum[c][v]);
        }
      }
    }
  }
  for (int c = 0; c < kCount; ++c)
    for (int v = 0; v < kVectors; ++v) sum[c][v].store(joint + c * kStride + v * kLanes);
}

template <bool kSquares>
void add_tile(std::int64_t count, const Tile& tile, const double* centred, double* joint) {
  switch (count) {
    case 1:
      return add_terms<1, kSquares>(tile, centred, joint);
    case 2:
      return add_terms<2, kSquares>(tile, centred, joint);
    case 3:
      return add_terms<3, kSquares>(tile, centred, joint);
    default:
      return add_terms<kClasses, kSquares>(tile, centred, joint);
  }
}

// joint(c, i) = the sum of the terms of row i in class c.
template <bool kSquares, class T>
void sum_terms(const DenseRows<T>& rows, std::int64_t k, const double* factor, const double* offset,
               const double* shift, double* scratch, double* joint) {
  constexpr std::int64_t kTileRows = kVectors * kLanes;
  std::fill_n(joint, k * kStride, 0.0);
  for (std::int64_t first = 0; first < rows.n_cols; first += kJointColsAtOnce) {
    const std::int64_t n_cols = std::min(kJointColsAtOnce, rows.n_cols - first);
    centre(rows, first, n_cols, shift, scratch);
    for (std::int64_t c = 0; c < k; c += kClasses) {
      const std::int64_t at = c * rows.n_cols + first;
      const Tile tile{factor + at, kSquares ? offset + at : nullptr, rows.n_cols, n_cols};
      for (std::int64_t i = 0; i < rows.n_rows; i += kTileRows)
        add_tile<kSquares>(k - c, tile, scratch + i, joint + c * kStride + i);
    }
  }
}

// joint = constant - squares; whether all of these are finite.
bool finish(const GaussianClasses& classes, std::int64_t n_rows, double* joint) {
  VecD largest = VecD::zero();
  for (std::int64_t c = 0; c < classes.k; ++c) {
    const VecD constant = VecD::set1(classes.constant[c]);
    for (std::int64_t i = 0; i < n_rows; i += kLanes) {
      double* own = joint + c * kStride + i;
      const VecD squares = VecD::load(own);
      largest = largest + squares * VecD::zero();  // NaN unless all were finite
      (constant - squares).store(own);
    }
  }
  return hsum(largest) == 0.0;
}

template <class T>
bool joint_of(const DenseRows<T>& rows, const GaussianClasses& classes, double* scratch,
              double* joint) {
  sum_terms<true>(rows, classes.k, classes.scale, classes.offset, classes.shift, scratch, joint);
  return finish(classes, rows.n_rows, joint);
}

template <class T>
void joint_of(const DenseRows<T>& rows, const LinearClasses& classes, double* scratch,
              double* joint) {
  sum_terms<false>(rows, classes.k, classes.coef, nullptr, nullptr, scratch, joint);
  for (std::int64_t c = 0; c < classes.k; ++c)
    for (std::int64_t i = 0; i < rows.n_rows; ++i) joint[c * kStride + i] += classes.constant[c];
}

}  // namespace

bool gaussian_joint(const DenseRows<double>& rows, const GaussianClasses& classes, double* scratch,
                    double* joint) {
  return joint_of(rows, classes, scratch, joint);
}
bool gaussian_joint(const DenseRows<float>& rows, const GaussianClasses& classes, double* scratch,
                    double* joint) {
  return joint_of(rows, classes, scratch, joint);
}

void linear_joint(const DenseRows<double>& rows, const LinearClasses& classes, double* scratch,
                  double* joint) {
  joint_of(rows, classes, scratch, joint);
}
void linear_joint(const DenseRows<float>& rows, const LinearClasses& classes, double* scratch,
                  double* joint) {
  joint_of(rows, classes, scratch, joint);
}

}  // namespace gramian::GRAMIAN_ISA
