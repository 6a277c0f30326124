#include "bayes/triangular_kernel.hpp"

#include <algorithm>

#include "bayes/posterior_kernel.hpp"
#include "bayes/transposed_rows.hpp"
#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

constexpr std::int64_t kLanes = VecD::kLanes;
constexpr std::int64_t kStride = JointBlock::kMostRows;
constexpr int kVectors = 2;  // of rows, in registers together with the columns of a tile
#if defined(__AVX512F__)
constexpr int kCols = 8;
#else
constexpr int kCols = 2;
#endif
constexpr std::int64_t kTileRows = kVectors * kLanes;
static_assert(kStride % kTileRows == 0 && kFactorCols % kCols == 0);

// Columns first .. first + kCols of a group, summed over n_terms entries of some rows.
struct Tile {
  VecD sum[kCols][kVectors];

  Tile(const double* block, const double* factor, std::int64_t n_terms) {
    for (auto& column : sum)
      for (VecD& s : column) s = VecD::zero();
    for (std::int64_t j = 0; j < n_terms; ++j) {
      VecD x[kVectors];
      for (int v = 0; v < kVectors; ++v) x[v] = VecD::load(block + j * kStride + v * kLanes);
      for (int c = 0; c < kCols; ++c) {
        const VecD f = VecD::set1(factor[j * kFactorCols + c]);
        for (int v = 0; v < kVectors; ++v) sum[c][v] = fma(x[v], f, sum[c][v]);
      }
    }
  }
};

// Calls with_tile(first row, first column, tile) for every tile, all columns of some rows in turn.
template <class WithTile>
void for_each_tile(const double* block, const double* packed, std::int64_t p, std::int64_t row,
                   const WithTile& with_tile) {
  const double* group = packed;
  for (std::int64_t first = 0; first < p; first += kFactorCols) {
    const std::int64_t n_terms = std::min(first + kFactorCols, p);
    for (std::int64_t c = 0; c < kFactorCols; c += kCols)
      with_tile(first + c, Tile(block + row, group + c, n_terms));
    group += (first + kFactorCols) * kFactorCols;
  }
}

template <class T>
void read(const DenseRows<T>& rows, double* block) {
  for (std::int64_t j = 0; j < rows.n_cols; ++j)
    std::fill(block + j * kStride + rows.n_rows, block + (j + 1) * kStride, 0.0);
  if (rows.col_stride == 1)
    return transpose_rows(rows.data, rows.row_stride, rows.n_rows, rows.n_cols, nullptr, block);
  for (std::int64_t j = 0; j < rows.n_cols; ++j)
    for (std::int64_t i = 0; i < rows.n_rows; ++i)
      block[j * kStride + i] =
          static_cast<double>(rows.data[i * rows.row_stride + j * rows.col_stride]);
}

}  // namespace

void read_block(const DenseRows<double>& rows, double* block) { read(rows, block); }
void read_block(const DenseRows<float>& rows, double* block) { read(rows, block); }

void shift_block(const double* block, const double* shift, std::int64_t p, std::int64_t n_rows,
                 double* out) {
  for (std::int64_t j = 0; j < p; ++j) {
    const VecD origin = VecD::set1(shift[j]);
    for (std::int64_t i = 0; i < n_rows; i += kTileRows)
      for (int v = 0; v < kVectors; ++v) {
        const std::int64_t place = j * kStride + i + v * kLanes;
        (VecD::load(block + place) - origin).store(out + place);
      }
  }
}

void times_factor(const double* block, const double* packed, std::int64_t p, std::int64_t n_rows,
                  double* out) {
  for (std::int64_t i = 0; i < n_rows; i += kTileRows)
    for_each_tile(block, packed, p, i, [&](std::int64_t first, const Tile& tile) {
      for (std::int64_t c = 0; c < kCols && first + c < p; ++c)
        for (int v = 0; v < kVectors; ++v)
          tile.sum[c][v].store(out + (first + c) * kStride + i + v * kLanes);
    });
}

bool quadratic_form(const double* block, const double* packed, std::int64_t p, std::int64_t n_rows,
                    double constant, double* out) {
  VecD spoiled = VecD::zero();
  for (std::int64_t i = 0; i < n_rows; i += kTileRows) {
    VecD squares[kVectors] = {VecD::zero(), VecD::zero()};
    for_each_tile(block, packed, p, i, [&](std::int64_t, const Tile& tile) {
      for (int c = 0; c < kCols; ++c)
        for (int v = 0; v < kVectors; ++v)
          squares[v] = fma(tile.sum[c][v], tile.sum[c][v], squares[v]);
    });
    for (int v = 0; v < kVectors; ++v) {
      spoiled = fma(squares[v], VecD::zero(), spoiled);  // NaN unless all were finite
      fma(squares[v], VecD::set1(-0.5), VecD::set1(constant)).store(out + i + v * kLanes);
    }
  }
  return hsum(spoiled) == 0.0;
}

}  // namespace gramian::GRAMIAN_ISA
