#include "preprocessing/columns_kernel.hpp"

#include "simd/order.hpp"
#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

// Weight of each column's entries that are not NaN, and the weighted sum of their distances from
// `origin`. Distances of a constant column are exactly 0.
template <class T>
void sum_columns(const Rows<T>& rows, const double* row_weight, const double* __restrict origin,
                 double* __restrict weight, double* __restrict sum) {
  for (std::int64_t j = 0; j < rows.n_cols; ++j) weight[j] = sum[j] = 0.0;
  for (std::int64_t i = 0; i < rows.n_rows; ++i) {
    const T* x = rows.data + i * rows.row_stride;
    const double w = row_weight ? row_weight[i] : 1.0;
    for (std::int64_t j = 0; j < rows.n_cols; ++j) {
      const double distance = static_cast<double>(x[j]) - origin[j];
      const bool is_number = distance == distance;
      weight[j] += is_number ? w : 0.0;
      sum[j] += is_number ? w * distance : 0.0;
    }
  }
}

// Weighted sum of squares of the distances from `origin` about their mean.
template <class T>
void sum_squares(const Rows<T>& rows, const double* row_weight, const double* __restrict origin,
                 const double* __restrict mean, double* __restrict squares) {
  for (std::int64_t j = 0; j < rows.n_cols; ++j) squares[j] = 0.0;
  for (std::int64_t i = 0; i < rows.n_rows; ++i) {
    const T* x = rows.data + i * rows.row_stride;
    const double w = row_weight ? row_weight[i] : 1.0;
    for (std::int64_t j = 0; j < rows.n_cols; ++j) {
      const double rest = (static_cast<double>(x[j]) - origin[j]) - mean[j];
      squares[j] += rest == rest ? w * rest * rest : 0.0;
    }
  }
}

template <class T>
void add_block(const Rows<T>& rows, const double* row_weight, const MomentArrays& moments) {
  double* weight = moments.scratch;
  double* mean = weight + rows.n_cols;
  double* squares = mean + rows.n_cols;
  sum_columns(rows, row_weight, moments.origin, weight, mean);
  for (std::int64_t j = 0; j < rows.n_cols; ++j)
    mean[j] = weight[j] > 0.0 ? mean[j] / weight[j] : 0.0;
  sum_squares(rows, row_weight, moments.origin, mean, squares);
  for (std::int64_t j = 0; j < rows.n_cols; ++j) {
    const double total = moments.weight[j] + weight[j];
    const double share = total > 0.0 ? weight[j] / total : 0.0;
    const double step = mean[j] - moments.mean[j];
    moments.squares[j] += squares[j] + step * step * moments.weight[j] * share;
    moments.mean[j] += step * share;
    moments.weight[j] = total;
  }
}

template <class T>
void widen(const Rows<T>& rows, double* __restrict low, double* __restrict high) {
  for (std::int64_t i = 0; i < rows.n_rows; ++i) {
    const T* x = rows.data + i * rows.row_stride;
    for (std::int64_t j = 0; j < rows.n_cols; ++j) {
      const auto value = static_cast<double>(x[j]);  // comparisons with NaN are false
      low[j] = value < low[j] ? value : low[j];
      high[j] = value > high[j] ? value : high[j];
    }
  }
}

template <class T>
void widen_alike(const T* x, std::int64_t n, double* low, double* high) {
  constexpr std::int64_t kLanes = VecD::kLanes;
  VecD least[2] = {VecD::set1(*low), VecD::set1(*low)};
  VecD largest[2] = {VecD::set1(*high), VecD::set1(*high)};
  std::int64_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes)
    for (int k = 0; k < 2; ++k) {
      const VecD value = VecD::load(x + i + k * kLanes);  // comparisons with NaN are false
      least[k] = select_less(value, least[k], value, least[k]);
      largest[k] = select_less(largest[k], value, value, largest[k]);
    }
  double lanes[4 * kLanes];
  for (int k = 0; k < 2; ++k) {
    least[k].store(lanes + k * kLanes);
    largest[k].store(lanes + (2 + k) * kLanes);
  }
  for (std::int64_t l = 0; l < 2 * kLanes; ++l) {
    *low = lanes[l] < *low ? lanes[l] : *low;
    *high = lanes[2 * kLanes + l] > *high ? lanes[2 * kLanes + l] : *high;
  }
  for (; i < n; ++i) {
    const auto value = static_cast<double>(x[i]);
    *low = value < *low ? value : *low;
    *high = value > *high ? value : *high;
  }
}

template <class T>
T standardised(T x, double shift, double scale) {
  const auto centred = static_cast<T>(static_cast<double>(x) - shift);
  return static_cast<T>(static_cast<double>(centred) / scale);
}

template <class T>
T restored(T x, double shift, double scale) {
  const auto scaled = static_cast<T>(static_cast<double>(x) * scale);
  return static_cast<T>(static_cast<double>(scaled) + shift);
}

template <class T>
void map_entries(const T* x, std::int64_t n, const double* shift, const double* scale, Affine what,
                 T* out) {
  if (what == Affine::standardise)
    for (std::int64_t j = 0; j < n; ++j) out[j] = standardised(x[j], shift[j], scale[j]);
  else
    for (std::int64_t j = 0; j < n; ++j) out[j] = restored(x[j], shift[j], scale[j]);
}

template <class T>
void map_alike(const T* x, std::int64_t n, double shift, double scale, Affine what, T* out) {
  if (what == Affine::standardise)
    for (std::int64_t i = 0; i < n; ++i) out[i] = standardised(x[i], shift, scale);
  else
    for (std::int64_t i = 0; i < n; ++i) out[i] = restored(x[i], shift, scale);
}

}  // namespace

void add_moments(const Rows<double>& rows, const double* row_weight, const MomentArrays& moments) {
  add_block(rows, row_weight, moments);
}
void add_moments(const Rows<float>& rows, const double* row_weight, const MomentArrays& moments) {
  add_block(rows, row_weight, moments);
}

void widen_ranges(const Rows<double>& rows, double* low, double* high) { widen(rows, low, high); }
void widen_ranges(const Rows<float>& rows, double* low, double* high) { widen(rows, low, high); }

void widen_range(const double* x, std::int64_t n, double* low, double* high) {
  widen_alike(x, n, low, high);
}
void widen_range(const float* x, std::int64_t n, double* low, double* high) {
  widen_alike(x, n, low, high);
}

void map_row(const double* x, std::int64_t n, const double* shift, const double* scale, Affine what,
             double* out) {
  map_entries(x, n, shift, scale, what, out);
}
void map_row(const float* x, std::int64_t n, const double* shift, const double* scale, Affine what,
             float* out) {
  map_entries(x, n, shift, scale, what, out);
}

void map_column(const double* x, std::int64_t n, double shift, double scale, Affine what,
                double* out) {
  map_alike(x, n, shift, scale, what, out);
}
void map_column(const float* x, std::int64_t n, double shift, double scale, Affine what,
                float* out) {
  map_alike(x, n, shift, scale, what, out);
}

}  // namespace gramian::GRAMIAN_ISA
