#include "solve/descent/coordinate_descent_kernel.hpp"

#include <cmath>

#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

double soft_threshold(double z, double l1, bool is_positive) {
  if (z > l1) return z - l1;
  return z < -l1 && !is_positive ? z + l1 : 0.0;
}

// slope -= change * row, over whole panels.
void follow(const double* row, double change, std::int64_t n_padded, double* slope) {
  const VecD factor = VecD::set1(-change);
  for (std::int64_t l = 0; l < n_padded; l += kLanes)
    fma(VecD::load(row + l), factor, VecD::load(slope + l)).store(slope + l);
}

double visit_one(const GramSweep& sweep, std::int64_t k, std::int64_t n_padded) {
  const double* row = sweep.gram + k * sweep.ld;
  const double g = row[k];
  if (!(g > 0.0)) return 0.0;
  const double old = sweep.coef[k];
  const double z = sweep.slope[k] + g * old;
  const double updated = soft_threshold(z, sweep.l1, sweep.is_positive) / (g + sweep.l2);
  const double change = updated - old;
  if (change == 0.0) return 0.0;
  sweep.coef[k] = updated;
  follow(row, change, n_padded, sweep.slope);
  return (g + sweep.l2) * change * change;
}

double visit_block(const GramSweep& sweep, std::int64_t k, std::int64_t n_padded) {
  const double* row = sweep.gram + k * sweep.ld;
  const double g = row[k];
  if (!(g > 0.0)) return 0.0;
  double square = 0.0;
  for (std::int64_t c = 0; c < sweep.n_targets; ++c) {
    const double z = sweep.slope[c * sweep.ld + k] + g * sweep.coef[c * sweep.ld + k];
    square += z * z;
  }
  const double norm = std::sqrt(square);
  const double factor = norm > sweep.l1 ? (1.0 - sweep.l1 / norm) / (g + sweep.l2) : 0.0;
  double moved = 0.0;
  for (std::int64_t c = 0; c < sweep.n_targets; ++c) {
    const std::int64_t at = c * sweep.ld + k;
    const double old = sweep.coef[at];
    const double updated = factor * (sweep.slope[at] + g * old);
    const double change = updated - old;
    if (change == 0.0) continue;
    sweep.coef[at] = updated;
    follow(row, change, n_padded, sweep.slope + c * sweep.ld);
    moved += change * change;
  }
  return (g + sweep.l2) * moved;
}

template <class T>
double dot(const T* x, double shift, const double* r, std::int64_t n) {
  const VecD shifts = VecD::set1(shift);
  VecD even = VecD::zero();
  VecD odd = VecD::zero();
  std::int64_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    even = fma(VecD::load(x + i) - shifts, VecD::load(r + i), even);
    odd = fma(VecD::load(x + i + kLanes) - shifts, VecD::load(r + i + kLanes), odd);
  }
  double total = hsum(even + odd);
  for (; i < n; ++i) total = __builtin_fma(static_cast<double>(x[i]) - shift, r[i], total);
  return total;
}

template <class T>
double square(const T* x, double shift, const double* weight, std::int64_t n) {
  const VecD shifts = VecD::set1(shift);
  VecD sum = VecD::zero();
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const VecD d = VecD::load(x + i) - shifts;
    sum = fma(weight ? d * VecD::load(weight + i) : d, d, sum);
  }
  double total = hsum(sum);
  for (; i < n; ++i) {
    const double d = static_cast<double>(x[i]) - shift;
    total = __builtin_fma(weight ? d * weight[i] : d, d, total);
  }
  return total;
}

template <class T>
void subtract(const T* x, double shift, double factor, std::int64_t n, double* r) {
  const VecD shifts = VecD::set1(shift);
  const VecD factors = VecD::set1(-factor);
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    fma(VecD::load(x + i) - shifts, factors, VecD::load(r + i)).store(r + i);
  for (; i < n; ++i) r[i] = __builtin_fma(static_cast<double>(x[i]) - shift, -factor, r[i]);
}

template <class T>
void add_squares(const RowBlock<T>& rows, const double* weight, double* acc) {
  for (std::int64_t k = 0; k < rows.n_rows; ++k) {
    const T* row = rows.data + k * rows.row_stride;
    const VecD w = VecD::set1(weight ? weight[k] : 1.0);
    for (std::int64_t j = 0; j < rows.n_cols; j += kLanes) {
      const std::int64_t left = rows.n_cols - j;
      const VecD x = left >= kLanes ? VecD::load(row + j) : load_partial<VecD>(row + j, left);
      const VecD d = x - VecD::load(rows.col_shift + j);
      fma(d * w, d, VecD::load(acc + j)).store(acc + j);
    }
  }
}

}  // namespace

double sweep_gram(const GramSweep& sweep) {
  const std::int64_t n_padded = n_panels(sweep.size) * kLanes;
  double largest = 0.0;
  for (std::int64_t i = 0; i < sweep.size; ++i) {
    const std::int64_t k = sweep.order ? sweep.order[i] : i;
    const double moved =
        sweep.n_targets == 1 ? visit_one(sweep, k, n_padded) : visit_block(sweep, k, n_padded);
    largest = moved > largest ? moved : largest;
  }
  return largest;
}

double column_dot(const double* x, double shift, const double* r, std::int64_t n) {
  return dot(x, shift, r, n);
}
double column_dot(const float* x, double shift, const double* r, std::int64_t n) {
  return dot(x, shift, r, n);
}
double column_square(const double* x, double shift, const double* weight, std::int64_t n) {
  return square(x, shift, weight, n);
}
double column_square(const float* x, double shift, const double* weight, std::int64_t n) {
  return square(x, shift, weight, n);
}
void subtract_column(const double* x, double shift, double factor, std::int64_t n, double* r) {
  subtract(x, shift, factor, n, r);
}
void subtract_column(const float* x, double shift, double factor, std::int64_t n, double* r) {
  subtract(x, shift, factor, n, r);
}
void add_row_squares(const RowBlock<double>& rows, const double* weight, double* acc) {
  add_squares(rows, weight, acc);
}
void add_row_squares(const RowBlock<float>& rows, const double* weight, double* acc) {
  add_squares(rows, weight, acc);
}

}  // namespace gramian::GRAMIAN_ISA
