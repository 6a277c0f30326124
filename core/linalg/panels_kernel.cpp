#include "linalg/panels_kernel.hpp"

#include <algorithm>

#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

// Register tile: kTilePanels x kTileCols accumulators of 8 lanes. With 32 registers of 512 bits
// 3 x 8 of them leave room for the operands; AVX2 has 16 registers of half that width.
#if defined(__AVX512F__)
constexpr int kTilePanels = 3;
constexpr int kNarrowPanels = 8;
constexpr int kTileCols = 8;
#else
constexpr int kTilePanels = 1;
constexpr int kNarrowPanels = 2;
constexpr int kTileCols = 4;
#endif
constexpr int kNarrowCols = 2;
constexpr std::int64_t kAhead = 512;  // entries fetched ahead; past the end of the data is harmless
constexpr int kRowsAtOnce = 4;        // rows added to an accumulator between its load and store

template <class T>
VecD load_entries(const T* values, std::int64_t available) {
  return available >= kLanes ? VecD::load(values) : load_partial<VecD>(values, available);
}

template <class T>
void pack_contiguous_rows(const PackSource<T>& source, double* panels) {
  const std::int64_t panel_count = n_panels(source.n_cols);
  const std::int64_t whole = source.n_cols / kLanes;
  for (std::int64_t k = 0; k < source.n_rows; ++k) {
    const T* row = source.data + k * source.row_stride;
    const VecD scale = VecD::set1(source.row_scale ? source.row_scale[k] : 1.0);
    const VecD row_shift = VecD::set1(source.row_shift ? source.row_shift[k] : 0.0);
    const auto shifted = [&](VecD x, std::int64_t j) {
      if (source.col_shift) x = x - VecD::load(source.col_shift + j);
      if (source.row_shift) x = x - row_shift;
      return source.row_scale ? x * scale : x;
    };
    double* out = panels + k * kLanes;
    for (std::int64_t v = 0; v < whole; ++v, out += kPanelStride) {
      __builtin_prefetch(row + v * kLanes + kAhead);
      shifted(VecD::load(row + v * kLanes), v * kLanes).store(out);
    }
    if (whole == panel_count) continue;
    const std::int64_t rest = source.n_cols - whole * kLanes;
    shifted(load_partial<VecD>(row + whole * kLanes, rest), whole * kLanes).store(out);
    for (std::int64_t l = rest; l < kLanes; ++l) out[l] = 0.0;
  }
}

// Eight columns, eight rows at a time: loaded along the columns, stored along the rows.
template <bool kIsWhole, class T>
[[gnu::always_inline]] inline void pack_square(const PackSource<T>& source, std::int64_t first,
                                               std::int64_t k, double* out) {
  const std::int64_t n_cols = kIsWhole ? kLanes : source.n_cols - first;
  const std::int64_t n_rows = kIsWhole ? kLanes : std::min<std::int64_t>(source.n_rows - k, kLanes);
  const T* column = source.data + first * source.col_stride + k;
  VecD x[kLanes];
#pragma GCC unroll 8
  for (int j = 0; j < kLanes; ++j, column += source.col_stride) {
    x[j] = VecD::zero();
    if (!kIsWhole && j >= n_cols) continue;
    x[j] = kIsWhole ? VecD::load(column) : load_entries(column, n_rows);
    if (source.col_shift) x[j] = x[j] - VecD::set1(source.col_shift[first + j]);
    if (source.row_shift) x[j] = x[j] - load_entries(source.row_shift + k, n_rows);
    if (source.row_scale) x[j] = x[j] * load_entries(source.row_scale + k, n_rows);
  }
  transpose(x);
#pragma GCC unroll 8
  for (int i = 0; i < kLanes; ++i)
    if (kIsWhole || i < n_rows) x[i].store(out + i * kLanes);
}

template <class T>
void pack_columns_of_panel(const PackSource<T>& source, std::int64_t first, double* panel) {
  std::int64_t k = 0;
  if (first + kLanes <= source.n_cols)
    for (; k + kLanes <= source.n_rows; k += kLanes)
      pack_square<true>(source, first, k, panel + k * kLanes);
  for (; k < source.n_rows; k += kLanes) pack_square<false>(source, first, k, panel + k * kLanes);
}

template <class T>
void pack_contiguous_columns(const PackSource<T>& source, double* panels) {
  for (std::int64_t v = 0; v < n_panels(source.n_cols); ++v)
    pack_columns_of_panel(source, v * kLanes, panels + v * kPanelStride);
}

template <class T>
void pack_strided(const PackSource<T>& source, double* panels) {
  for (std::int64_t j = 0; j < source.n_cols; ++j) {
    const T* column = source.data + j * source.col_stride;
    double* out = panels + (j / kLanes) * kPanelStride + j % kLanes;
    const double shift = source.col_shift ? source.col_shift[j] : 0.0;
    for (std::int64_t k = 0; k < source.n_rows; ++k) {
      double x = static_cast<double>(column[k * source.row_stride]);
      if (source.col_shift) x = x - shift;
      if (source.row_shift) x = x - source.row_shift[k];
      if (source.row_scale) x = x * source.row_scale[k];
      out[k * kLanes] = x;
    }
  }
  for (std::int64_t j = source.n_cols; j < n_panels(source.n_cols) * kLanes; ++j)
    for (std::int64_t k = 0; k < source.n_rows; ++k)
      panels[(j / kLanes) * kPanelStride + k * kLanes + j % kLanes] = 0.0;
}

template <class T>
void pack(const PackSource<T>& source, double* panels) {
  if (source.col_stride == 1)
    pack_contiguous_rows(source, panels);
  else if (source.row_stride == 1)
    pack_contiguous_columns(source, panels);
  else
    pack_strided(source, panels);
}

// acc[kPanels panels x kCols columns] += a' b: one register tile of the product.
template <int kPanels, int kCols>
void add_tile(const double* a, const double* b, std::int64_t n_rows, double* acc, std::int64_t ld) {
  VecD sum[kCols][kPanels];
  for (int j = 0; j < kCols; ++j)
    for (int v = 0; v < kPanels; ++v) sum[j][v] = VecD::load(acc + j * ld + v * kLanes);
  for (std::int64_t k = 0; k < n_rows; ++k) {
    VecD left[kPanels];
    for (int v = 0; v < kPanels; ++v) left[v] = VecD::load(a + v * kPanelStride + k * kLanes);
    for (int j = 0; j < kCols; ++j) {
      const VecD right = VecD::set1(b[k * kLanes + j]);
      for (int v = 0; v < kPanels; ++v) sum[j][v] = fma(left[v], right, sum[j][v]);
    }
  }
  for (int j = 0; j < kCols; ++j)
    for (int v = 0; v < kPanels; ++v) sum[j][v].store(acc + j * ld + v * kLanes);
}

// The same for a number of panels known only at run time, at most kPanels.
template <int kPanels, int kCols>
void add_tile_of(std::int64_t count, const double* a, const double* b, std::int64_t n_rows,
                 double* acc, std::int64_t ld) {
  if constexpr (kPanels > 1) {
    if (count < kPanels) return add_tile_of<kPanels - 1, kCols>(count, a, b, n_rows, acc, ld);
  }
  add_tile<kPanels, kCols>(a, b, n_rows, acc, ld);
}

// Panels first .. last of a against the one panel of b.
void add_panel_products(const double* a, std::int64_t first, std::int64_t last, const double* b,
                        std::int64_t n_rows, double* acc, std::int64_t ld) {
  for (int col = 0; col < kLanes; col += kTileCols)
    add_tile_of<kTilePanels, kTileCols>(last - first, a + first * kPanelStride, b + col, n_rows,
                                        acc + col * ld + first * kLanes, ld);
}

// One row after the other, in the order of memory: the processor overlaps the chains of
// neighbouring rows by itself, while reading several rows side by side would defeat its prefetcher.
template <class T>
double row_dot(const RowBlock<T>& rows, std::int64_t k, const double* coef) {
  const T* row = rows.data + k * rows.row_stride;
  const std::int64_t whole = rows.n_cols / kLanes * kLanes;
  VecD sum = VecD::zero();
  for (std::int64_t j = 0; j < whole; j += kLanes) {
    __builtin_prefetch(row + j + kAhead);
    sum = fma(VecD::load(row + j) - VecD::load(rows.col_shift + j), VecD::load(coef + j), sum);
  }
  if (whole < rows.n_cols) {
    const VecD rest = load_partial<VecD>(row + whole, rows.n_cols - whole);
    sum = fma(rest - VecD::load(rows.col_shift + whole), VecD::load(coef + whole), sum);
  }
  return hsum(sum);
}

template <class T>
void multiply_rows(const RowBlock<T>& rows, const double* coef, double* out) {
  for (std::int64_t k = 0; k < rows.n_rows; ++k) out[k] = row_dot(rows, k, coef);
}

template <int kRows, class T>
void add_rows(const RowBlock<T>& rows, std::int64_t first, const double* r, double* acc) {
  const std::int64_t whole = rows.n_cols / kLanes * kLanes;
  const std::int64_t rest = rows.n_cols - whole;
  const T* row[kRows];
  VecD scale[kRows];
  for (int i = 0; i < kRows; ++i) {
    row[i] = rows.data + (first + i) * rows.row_stride;
    scale[i] = VecD::set1(r[first + i]);
  }
  for (std::int64_t j = 0; j < whole; j += kLanes) {
    const VecD shift = VecD::load(rows.col_shift + j);
    VecD sum = VecD::load(acc + j);
    for (int i = 0; i < kRows; ++i) sum = fma(VecD::load(row[i] + j) - shift, scale[i], sum);
    sum.store(acc + j);
  }
  if (rest > 0) {
    const VecD shift = VecD::load(rows.col_shift + whole);
    VecD sum = VecD::load(acc + whole);
    for (int i = 0; i < kRows; ++i)
      sum = fma(load_partial<VecD>(row[i] + whole, rest) - shift, scale[i], sum);
    sum.store(acc + whole);
  }
}

template <class T>
void add_rows_transposed(const RowBlock<T>& rows, const double* r, double* acc) {
  std::int64_t k = 0;
  for (; k + kRowsAtOnce <= rows.n_rows; k += kRowsAtOnce) add_rows<kRowsAtOnce>(rows, k, r, acc);
  for (; k < rows.n_rows; ++k) add_rows<1>(rows, k, r, acc);
}

// 0 * x is 0 for every finite x and NaN otherwise, and NaN stays NaN in a sum.
template <class Vec, class T>
bool sum_of_zeros(const T* values, std::int64_t n) {
  Vec sum[4] = {Vec::zero(), Vec::zero(), Vec::zero(), Vec::zero()};
  const Vec zero = Vec::zero();
  std::int64_t i = 0;
  for (; i + 4 * Vec::kLanes <= n; i += 4 * Vec::kLanes)
    for (int c = 0; c < 4; ++c) sum[c] = fma(Vec::load(values + i + c * Vec::kLanes), zero, sum[c]);
  T tail = hsum((sum[0] + sum[1]) + (sum[2] + sum[3]));
  for (; i < n; ++i) tail += values[i] * T{0};
  return tail == T{0};
}

}  // namespace

void pack_panels(const PackSource<double>& source, double* panels) { pack(source, panels); }
void pack_panels(const PackSource<float>& source, double* panels) { pack(source, panels); }

void add_gram(const double* panels, std::int64_t panel_count, std::int64_t n_rows, double* acc,
              std::int64_t ld) {
  for (std::int64_t i = 0; i < panel_count; i += kTilePanels) {
    const std::int64_t last = std::min<std::int64_t>(i + kTilePanels, panel_count);
    for (std::int64_t j = 0; j < last; ++j)
      add_panel_products(panels, std::max(i, j), last, panels + j * kPanelStride, n_rows,
                         acc + j * kLanes * ld, ld);
  }
}

void add_product(const double* a, std::int64_t n_panels_a, const double* b, std::int64_t n_panels_b,
                 std::int64_t n_rows, double* acc, std::int64_t ld) {
  for (std::int64_t i = 0; i < n_panels_a; i += kTilePanels)
    for (std::int64_t j = 0; j < n_panels_b; ++j)
      add_panel_products(a, i, std::min<std::int64_t>(i + kTilePanels, n_panels_a),
                         b + j * kPanelStride, n_rows, acc + j * kLanes * ld, ld);
}

void add_narrow_product(const double* a, std::int64_t n_panels_a, const double* b,
                        std::int64_t n_cols_b, std::int64_t n_rows, double* acc, std::int64_t ld) {
  for (std::int64_t i = 0; i < n_panels_a; i += kNarrowPanels)
    for (std::int64_t j = 0; j < n_cols_b; j += kNarrowCols)
      add_tile_of<kNarrowPanels, kNarrowCols>(n_panels_a - i, a + i * kPanelStride,
                                              b + (j / kLanes) * kPanelStride + j % kLanes, n_rows,
                                              acc + j * ld + i * kLanes, ld);
}

void panels_times_vector(const double* panels, std::int64_t panel_count, std::int64_t n_rows,
                         const double* coef, double* out) {
  for (std::int64_t k = 0; k < n_rows; ++k) {
    VecD sum = VecD::zero();
    for (std::int64_t v = 0; v < panel_count; ++v)
      sum = fma(VecD::load(panels + v * kPanelStride + k * kLanes), VecD::load(coef + v * kLanes),
                sum);
    out[k] = hsum(sum);
  }
}

void add_transposed_times_vector(const double* panels, std::int64_t panel_count,
                                 std::int64_t n_rows, const double* r, double* acc) {
  for (std::int64_t v = 0; v < panel_count; ++v) {
    VecD sum = VecD::load(acc + v * kLanes);
    for (std::int64_t k = 0; k < n_rows; ++k)
      sum = fma(VecD::load(panels + v * kPanelStride + k * kLanes), VecD::set1(r[k]), sum);
    sum.store(acc + v * kLanes);
  }
}

void solve_lower(const double* L, std::int64_t ld, std::int64_t n_rows, double* panels,
                 std::int64_t panel_count) {
  for (std::int64_t v = 0; v < panel_count; ++v) {
    double* z = panels + v * kPanelStride;
    for (std::int64_t k = 0; k < n_rows; ++k) {
      VecD sum = VecD::load(z + k * kLanes);
      for (std::int64_t m = 0; m < k; ++m)
        sum = fma(VecD::load(z + m * kLanes), VecD::set1(-L[m * ld + k]), sum);
      (sum * VecD::set1(1.0 / L[k * ld + k])).store(z + k * kLanes);
    }
  }
}

void rows_times_vector(const RowBlock<double>& rows, const double* coef, double* out) {
  multiply_rows(rows, coef, out);
}
void rows_times_vector(const RowBlock<float>& rows, const double* coef, double* out) {
  multiply_rows(rows, coef, out);
}

void add_rows_transposed_times_vector(const RowBlock<double>& rows, const double* r, double* acc) {
  add_rows_transposed(rows, r, acc);
}
void add_rows_transposed_times_vector(const RowBlock<float>& rows, const double* r, double* acc) {
  add_rows_transposed(rows, r, acc);
}

bool all_finite(const double* values, std::int64_t n) { return sum_of_zeros<VecD>(values, n); }
bool all_finite(const float* values, std::int64_t n) { return sum_of_zeros<VecF>(values, n); }

}  // namespace gramian::GRAMIAN_ISA
