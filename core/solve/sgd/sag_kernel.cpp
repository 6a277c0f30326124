#include "solve/sgd/sag_kernel.hpp"

#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

template <class T>
void centre(const T* row, const double* mean, std::int64_t n, double* out) {
  std::int64_t j = 0;
  for (; j + kRowLanes <= n; j += kRowLanes)
    (VecD::load(row + j) - VecD::load(mean + j)).store(out + j);
  if (j < n) (load_partial<VecD>(row + j, n - j) - VecD::load(mean + j)).store(out + j);
}

}  // namespace

void centre_row(const double* row, const double* mean, std::int64_t n, double* out) {
  centre(row, mean, n, out);
}
void centre_row(const float* row, const double* mean, std::int64_t n, double* out) {
  centre(row, mean, n, out);
}

// Two chains hide the latency of the fma.
double padded_dot(const double* a, const double* b, std::int64_t n_padded) {
  VecD even = VecD::zero();
  VecD odd = VecD::zero();
  std::int64_t j = 0;
  for (; j + 2 * kRowLanes <= n_padded; j += 2 * kRowLanes) {
    even = fma(VecD::load(a + j), VecD::load(b + j), even);
    odd = fma(VecD::load(a + j + kRowLanes), VecD::load(b + j + kRowLanes), odd);
  }
  if (j < n_padded) even = fma(VecD::load(a + j), VecD::load(b + j), even);
  return hsum(even + odd);
}

void move_along_average(const SagStep& step, const double* z, std::int64_t n_padded, double* sum,
                        double* v) {
  const VecD change = VecD::set1(step.change);
  const VecD shrink = VecD::set1(step.shrink);
  const VecD average_step = VecD::set1(-step.average_step);
  const VecD row_step = VecD::set1(-step.row_step * step.change);
  for (std::int64_t j = 0; j < n_padded; j += kRowLanes) {
    const VecD entry = VecD::load(z + j);
    const VecD total = fma(entry, change, VecD::load(sum + j));
    total.store(sum + j);
    const VecD along = fma(total, average_step, VecD::load(v + j) * shrink);
    fma(entry, row_step, along).store(v + j);
  }
}

}  // namespace gramian::GRAMIAN_ISA
