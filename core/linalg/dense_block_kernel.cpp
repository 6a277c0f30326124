#include "linalg/dense_block_kernel.hpp"

#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

constexpr std::int64_t kLanes = VecD::kLanes;

template <class T>
VecD load(const T* p, std::int64_t n) {
  return n >= kLanes ? VecD::load(p) : load_partial<VecD>(p, n);
}

// In the order of hsum.
VecD fold(const VecD (&s)[kLanes]) {
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

// Eight columns of rows whose entries are adjacent: a vector of sums for each row modulo eight.
template <bool kWhole, bool kWeighted, class T>
void add_panel(const DenseBlock<T>& block, std::int64_t begin, std::int64_t end, std::int64_t j,
               VecD shift, const double* w, VecD (&sums)[kLanes]) {
  VecD sum[kLanes];
#pragma GCC unroll 8
  for (int l = 0; l < kLanes; ++l) sum[l] = sums[l];
  const T* x = block.data + begin * block.row_stride + j;
  const auto add_row = [&](const T* row, std::int64_t k, VecD& s) {
    const VecD value = (kWhole ? VecD::load(row) : load(row, block.n_cols - j)) - shift;
    if constexpr (kWeighted)
      s = fma(value, VecD::set1(w[k]), s);
    else
      s = s + value;
  };
  std::int64_t k = begin;
  for (; k + kLanes <= end; k += kLanes, x += kLanes * block.row_stride) {
#pragma GCC unroll 8
    for (int l = 0; l < kLanes; ++l) add_row(x + l * block.row_stride, k + l, sum[l]);
  }
#pragma GCC unroll 8
  for (int l = 0; l < kLanes; ++l)
    if (k + l < end) add_row(x + l * block.row_stride, k + l, sum[l]);
#pragma GCC unroll 8
  for (int l = 0; l < kLanes; ++l) sums[l] = sum[l];
}

struct PanelSums {
  VecD sum[kLanes];

  template <class T>
  void add(const DenseBlock<T>& block, std::int64_t begin, std::int64_t end, std::int64_t j,
           VecD shift, const double* w) {
    if (block.n_cols - j >= kLanes)
      w ? add_panel<true, true>(block, begin, end, j, shift, w, sum)
        : add_panel<true, false>(block, begin, end, j, shift, w, sum);
    else
      w ? add_panel<false, true>(block, begin, end, j, shift, w, sum)
        : add_panel<false, false>(block, begin, end, j, shift, w, sum);
  }
};

// Some rows at a time, which stay in the first cache while all panels pass over them.
template <class T>
void add_row_order(const DenseBlock<T>& block, const double* shift, const double* w, double* acc) {
  constexpr std::int64_t kMostPanels = 16, kRows = 32;
  for (std::int64_t first = 0; first < block.n_cols; first += kMostPanels * kLanes) {
    PanelSums panels[kMostPanels];
    const std::int64_t left = block.n_cols - first;
    const std::int64_t width = left < kMostPanels * kLanes ? left : kMostPanels * kLanes;
    for (std::int64_t j = 0; j < width; j += kLanes)
      for (VecD& s : panels[j / kLanes].sum) s = VecD::zero();
    for (std::int64_t k = 0; k < block.n_rows; k += kRows) {
      const std::int64_t end = k + kRows < block.n_rows ? k + kRows : block.n_rows;
      for (std::int64_t j = 0; j < width; j += kLanes) {
        const VecD origin = load(shift + first + j, left - j);
        panels[j / kLanes].add(block, k, end, first + j, origin, w);
      }
    }
    for (std::int64_t j = 0; j < width; j += kLanes) {
      double* to = acc + first + j;
      const VecD total = load(to, left - j) + fold(panels[j / kLanes].sum);
      if (left - j >= kLanes)
        total.store(to);
      else
        store_partial(total, to, left - j);
    }
  }
}

// kCols columns whose entries are adjacent, eight rows at a time.
template <int kCols, class T>
void add_some_columns(const DenseBlock<T>& block, const double* shift, const double* w,
                      double* acc) {
  VecD sum[kCols];
  for (VecD& s : sum) s = VecD::zero();
  std::int64_t k = 0;
  for (; k + kLanes <= block.n_rows; k += kLanes) {
    const VecD weight = w ? VecD::load(w + k) : VecD::zero();
    for (int c = 0; c < kCols; ++c) {
      const VecD x = VecD::load(block.data + c * block.col_stride + k) - VecD::set1(shift[c]);
      sum[c] = w ? fma(x, weight, sum[c]) : sum[c] + x;
    }
  }
  for (int c = 0; c < kCols; ++c) {
    double lanes[kLanes];
    sum[c].store(lanes);
    for (std::int64_t i = k; i < block.n_rows; ++i) {
      const double x = static_cast<double>(block.data[c * block.col_stride + i]) - shift[c];
      lanes[i - k] = w ? __builtin_fma(x, w[i], lanes[i - k]) : lanes[i - k] + x;
    }
    acc[c] += hsum(VecD::load(lanes));
  }
}

template <class T>
void add_column_order(DenseBlock<T> block, const double* shift, const double* w, double* acc) {
  constexpr int kCols = 4;
  std::int64_t j = 0;
  for (; j + kCols <= block.n_cols; j += kCols, block.data += kCols * block.col_stride)
    add_some_columns<kCols>(block, shift + j, w, acc + j);
  for (; j < block.n_cols; ++j, block.data += block.col_stride)
    add_some_columns<1>(block, shift + j, w, acc + j);
}

template <class T>
void add_sums(const DenseBlock<T>& block, const double* shift, const double* w, double* acc) {
  if (block.col_stride == 1)
    add_row_order(block, shift, w, acc);
  else
    add_column_order(block, shift, w, acc);
}

// Columns j, j + 8, ... have a sum of their own: it is lane j of the product of rows.
template <class T>
void multiply_columns(const DenseBlock<T>& block, const double* shift, const double* coef,
                      double* out) {
  for (std::int64_t k = 0; k < block.n_rows; k += kLanes) {
    const std::int64_t count = block.n_rows - k;
    VecD sum[kLanes];
    for (VecD& s : sum) s = VecD::zero();
    const T* x = block.data + k;
    std::int64_t j = 0;
    for (; j + kLanes <= block.n_cols; j += kLanes)
      for (int l = 0; l < kLanes; ++l, x += block.col_stride)
        sum[l] = fma(load(x, count) - VecD::set1(shift[j + l]), VecD::set1(coef[j + l]), sum[l]);
    for (int l = 0; j + l < block.n_cols; ++l, x += block.col_stride)
      sum[l] = fma(load(x, count) - VecD::set1(shift[j + l]), VecD::set1(coef[j + l]), sum[l]);
    const VecD total = fold(sum);
    if (count >= kLanes)
      total.store(out + k);
    else
      store_partial(total, out + k, count);
  }
}

}  // namespace

void add_column_sums(const DenseBlock<double>& block, const double* shift, const double* w,
                     double* acc) {
  add_sums(block, shift, w, acc);
}
void add_column_sums(const DenseBlock<float>& block, const double* shift, const double* w,
                     double* acc) {
  add_sums(block, shift, w, acc);
}

void columns_times_vector(const DenseBlock<double>& block, const double* shift, const double* coef,
                          double* out) {
  multiply_columns(block, shift, coef, out);
}
void columns_times_vector(const DenseBlock<float>& block, const double* shift, const double* coef,
                          double* out) {
  multiply_columns(block, shift, coef, out);
}

}  // namespace gramian::GRAMIAN_ISA
