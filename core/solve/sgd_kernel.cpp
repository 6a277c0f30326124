#include "solve/sgd_kernel.hpp"

#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

// Two chains hide the latency of the fma.
template <class T>
double dot(const T* row, std::int64_t n, const double* v) {
  VecD even = VecD::zero();
  VecD odd = VecD::zero();
  std::int64_t j = 0;
  for (; j + 2 * kWeightLanes <= n; j += 2 * kWeightLanes) {
    even = fma(VecD::load(row + j), VecD::load(v + j), even);
    odd = fma(VecD::load(row + j + kWeightLanes), VecD::load(v + j + kWeightLanes), odd);
  }
  if (j + kWeightLanes <= n) {
    even = fma(VecD::load(row + j), VecD::load(v + j), even);
    j += kWeightLanes;
  }
  if (j < n) odd = fma(load_partial<VecD>(row + j, n - j), VecD::load(v + j), odd);
  return hsum(even + odd);
}

template <class T>
double squared_norm(const T* row, std::int64_t n) {
  VecD sum = VecD::zero();
  std::int64_t j = 0;
  for (; j + kWeightLanes <= n; j += kWeightLanes) {
    const VecD values = VecD::load(row + j);
    sum = fma(values, values, sum);
  }
  if (j < n) {
    const VecD values = load_partial<VecD>(row + j, n - j);
    sum = fma(values, values, sum);
  }
  return hsum(sum);
}

template <class T>
double add(const T* row, std::int64_t n, double c, double* v) {
  const VecD factor = VecD::set1(c);
  VecD squares = VecD::zero();
  std::int64_t j = 0;
  for (; j + kWeightLanes <= n; j += kWeightLanes) {
    const VecD moved = fma(VecD::load(row + j), factor, VecD::load(v + j));
    moved.store(v + j);
    squares = fma(moved, moved, squares);
  }
  if (j < n) {
    const VecD moved = fma(load_partial<VecD>(row + j, n - j), factor, VecD::load(v + j));
    moved.store(v + j);
    squares = fma(moved, moved, squares);
  }
  return hsum(squares);
}

}  // namespace

RowKernels<float> float_row_kernels() { return {dot<float>, squared_norm<float>, add<float>}; }
RowKernels<double> double_row_kernels() { return {dot<double>, squared_norm<double>, add<double>}; }

void shrink_all(const Shrinkage& shrinkage, std::int64_t n, double* __restrict v,
                double* __restrict given) {
  const Shrinkage all = shrinkage;
  for (std::int64_t j = 0; j < n; ++j) v[j] = shrunk(all, v[j], given[j]);
}

double sum_of_magnitudes(const double* v, std::int64_t n_padded) {
  double lanes[kWeightLanes] = {};
  for (std::int64_t j = 0; j < n_padded; j += kWeightLanes)
    for (std::int64_t k = 0; k < kWeightLanes; ++k) lanes[k] += __builtin_fabs(v[j + k]);
  return hsum(VecD::load(lanes));
}

}  // namespace gramian::GRAMIAN_ISA
