#include "distance/filter_kernel.hpp"

#include "simd/mask.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

using distance::FilterOperands;
using distance::kFilterLanes;
using distance::kFilterRows;
using distance::RowsOf;
using distance::Survivors;
static_assert(kFilterLanes == VecF::kLanes);

// Register tiles: rows x panels of accumulators, with 32 registers of 512 bits or 16 of 256.
#if defined(__AVX512F__)
constexpr int kRows = 8;
constexpr int kPanels = 3;
#else
constexpr int kRows = 4;
constexpr int kPanels = 1;
#endif

template <int kCount>
void keep_passing(const VecF (&scores)[kCount], std::int32_t first_col, Survivors& kept) {
  const VecF limit = VecF::set1(kept.limit);
  for (int v = 0; v < kCount; ++v) {
    const std::uint16_t lanes = less_equal(scores[v], limit);
    if (lanes == 0) continue;
    compress(scores[v], lanes, kept.scores + kept.count);
    kept.count += compress_places(first_col + v * kFilterLanes, lanes, kept.columns + kept.count);
  }
}

template <int kCount>
void register_tile(const FilterOperands& tile, int row, std::int64_t panel, Survivors* survivors) {
  const std::int64_t n = tile.n_features;
  const float* x = tile.x + row * n;
  const float* y = tile.y + panel * n * kFilterLanes;
  VecF sums[kRows][kCount];
  for (int i = 0; i < kRows; ++i)
    for (int v = 0; v < kCount; ++v) sums[i][v] = VecF::zero();
  for (std::int64_t k = 0; k < n; ++k) {
    VecF right[kCount];
    for (int v = 0; v < kCount; ++v) right[v] = VecF::load(y + (v * n + k) * kFilterLanes);
    for (int i = 0; i < kRows; ++i) {
      const VecF left = VecF::set1(x[i * n + k]);
      for (int v = 0; v < kCount; ++v) sums[i][v] = fma(left, right[v], sums[i][v]);
    }
  }
  const float* half_norms = tile.half_norms + panel * kFilterLanes;
  const auto first_col = static_cast<std::int32_t>(tile.first_col + panel * kFilterLanes);
  for (int i = 0; i < kRows; ++i) {
    for (int v = 0; v < kCount; ++v)
      sums[i][v] = VecF::load(half_norms + v * kFilterLanes) - sums[i][v];
    keep_passing(sums[i], first_col, survivors[row + i]);
  }
}

template <int kCount>
void register_tile_of(std::int64_t count, const FilterOperands& tile, int row, std::int64_t panel,
                      Survivors* survivors) {
  if constexpr (kCount > 1) {
    if (count < kCount) return register_tile_of<kCount - 1>(count, tile, row, panel, survivors);
  }
  register_tile<kCount>(tile, row, panel, survivors);
}

// Sums of several rows at a time: each is a chain of additions that waits for itself.
template <int kCount, class T>
void squares_of(const double* x, const T* const (&rows)[kCount], std::int64_t n, double* out) {
  double sums[kCount] = {};
  for (std::int64_t k = 0; k < n; ++k)
    for (int i = 0; i < kCount; ++i) {
      const double difference = x[k] - static_cast<double>(rows[i][k]);
      sums[i] = __builtin_fma(difference, difference, sums[i]);
    }
  for (int i = 0; i < kCount; ++i) out[i] = sums[i];
}

template <class T>
void squares_of_rows(const double* x, const RowsOf<T>& rows, const std::int32_t* columns,
                     std::int64_t first, std::int64_t n, double* out) {
  constexpr int kAtOnce = 8;
  const auto row = [&](std::int64_t i) {
    return rows.data + (columns ? columns[i] : first + i) * rows.row_stride;
  };
  std::int64_t i = 0;
  for (; i + kAtOnce <= n; i += kAtOnce) {
    const T* several[kAtOnce];
    for (int c = 0; c < kAtOnce; ++c) several[c] = row(i + c);
    squares_of(x, several, rows.n_features, out + i);
  }
  for (; i < n; ++i) {
    const T* const one[1] = {row(i)};
    squares_of(x, one, rows.n_features, out + i);
  }
}

}  // namespace

void filter_tile(const FilterOperands& operands, Survivors* survivors) {
  for (int row = 0; row < kFilterRows; row += kRows)
    for (std::int64_t panel = 0; panel < operands.n_panels; panel += kPanels)
      register_tile_of<kPanels>(operands.n_panels - panel, operands, row, panel, survivors);
}

void squared_distances(const double* x, const RowsOf<double>& rows, const std::int32_t* columns,
                       std::int64_t first, std::int64_t n, double* out) {
  squares_of_rows(x, rows, columns, first, n, out);
}

void squared_distances(const double* x, const RowsOf<float>& rows, const std::int32_t* columns,
                       std::int64_t first, std::int64_t n, double* out) {
  squares_of_rows(x, rows, columns, first, n, out);
}

}  // namespace gramian::GRAMIAN_ISA
