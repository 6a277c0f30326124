#include "bayes/gaussian_kernel.hpp"

#include <algorithm>
#include <limits>

#include "bayes/posterior_kernel.hpp"
#include "simd/order.hpp"
#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

constexpr std::int64_t kLanes = VecD::kLanes;
constexpr std::int64_t kStride = JointBlock::kMostRows;
constexpr int kVectors = 2;  // of rows, in registers together with the classes of a tile
constexpr int kClasses = 4;

// Of rows whose entries are adjacent; those of the next block are asked for on the way.
template <class T>
void transpose(const T* data, std::int64_t row_stride, std::int64_t n_rows, std::int64_t n_cols,
               const double* shift, double* scratch) {
  constexpr std::int64_t kLine = 64 / sizeof(T);
  for (std::int64_t i = 0; i < n_rows; ++i) {
    const T* x = data + i * row_stride;
    for (std::int64_t j = 0; j < n_cols; j += kLine)
      __builtin_prefetch(x + kStride * row_stride + j);
    for (std::int64_t j = 0; j < n_cols; ++j)
      scratch[j * kStride + i] = static_cast<double>(x[j]) - shift[j];
  }
}

// scratch(j, i) = x(i, first + j) - shift, zero for the rows up to a whole tile of vectors.
template <class T>
void centre(const GaussianRows<T>& rows, std::int64_t first, std::int64_t n_cols,
            const double* shift, double* scratch) {
  const T* data = rows.data + first * rows.col_stride;
  if (rows.col_stride == 1)
    transpose(data, rows.row_stride, rows.n_rows, n_cols, shift + first, scratch);
  else
    for (std::int64_t j = 0; j < n_cols; ++j) {
      const T* x = data + j * rows.col_stride;
      for (std::int64_t i = 0; i < rows.n_rows; ++i)
        scratch[j * kStride + i] = static_cast<double>(x[i * rows.row_stride]) - shift[first + j];
    }
  for (std::int64_t j = 0; j < n_cols; ++j)
    std::fill(scratch + j * kStride + rows.n_rows, scratch + (j + 1) * kStride, 0.0);
}

// Some columns of kCount classes: scale and offset are those of the first class and column.
struct Tile {
  const double* scale;
  const double* offset;
  std::int64_t class_stride;
  std::int64_t n_cols;
};

template <int kCount>
void add_squares(const Tile& tile, const double* centred, double* joint) {
  VecD sum[kCount][kVectors];
  for (int c = 0; c < kCount; ++c)
    for (int v = 0; v < kVectors; ++v) sum[c][v] = VecD::load(joint + c * kStride + v * kLanes);
  for (std::int64_t j = 0; j < tile.n_cols; ++j) {
    VecD x[kVectors];
    for (int v = 0; v < kVectors; ++v) x[v] = VecD::load(centred + j * kStride + v * kLanes);
    for (int c = 0; c < kCount; ++c) {
      const VecD scale = VecD::set1(tile.scale[c * tile.class_stride + j]);
      const VecD offset = VecD::set1(tile.offset[c * tile.class_stride + j]);
      for (int v = 0; v < kVectors; ++v) {
        const VecD t = fma(x[v], scale, offset);
        sum[c][v] = fma(t, t, sum[c][v]);
      }
    }
  }
  for (int c = 0; c < kCount; ++c)
    for (int v = 0; v < kVectors; ++v) sum[c][v].store(joint + c * kStride + v * kLanes);
}

void add_tile(std::int64_t count, const Tile& tile, const double* centred, double* joint) {
  switch (count) {
    case 1:
      return add_squares<1>(tile, centred, joint);
    case 2:
      return add_squares<2>(tile, centred, joint);
    case 3:
      return add_squares<3>(tile, centred, joint);
    default:
      return add_squares<kClasses>(tile, centred, joint);
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
bool joint_of(const GaussianRows<T>& rows, const GaussianClasses& classes, double* scratch,
              double* joint) {
  constexpr std::int64_t kTileRows = kVectors * kLanes;
  std::fill_n(joint, classes.k * kStride, 0.0);
  for (std::int64_t first = 0; first < rows.n_cols; first += GaussianClasses::kColsAtOnce) {
    const std::int64_t n_cols = std::min(GaussianClasses::kColsAtOnce, rows.n_cols - first);
    centre(rows, first, n_cols, classes.shift, scratch);
    for (std::int64_t c = 0; c < classes.k; c += kClasses) {
      const std::int64_t at = c * rows.n_cols + first;
      const Tile tile{classes.scale + at, classes.offset + at, rows.n_cols, n_cols};
      for (std::int64_t i = 0; i < rows.n_rows; i += kTileRows)
        add_tile(classes.k - c, tile, scratch + i, joint + c * kStride + i);
    }
  }
  return finish(classes, rows.n_rows, joint);
}

}  // namespace

bool gaussian_joint(const GaussianRows<double>& rows, const GaussianClasses& classes,
                    double* scratch, double* joint) {
  return joint_of(rows, classes, scratch, joint);
}
bool gaussian_joint(const GaussianRows<float>& rows, const GaussianClasses& classes,
                    double* scratch, double* joint) {
  return joint_of(rows, classes, scratch, joint);
}

}  // namespace gramian::GRAMIAN_ISA
