#include "solve/sgd/sgd_kernel.hpp"

#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

// A row ends in n % 8 entries. They are read with the entries before them, which are then counted
// as zero: a masked read beyond the row would wait for a cache line that nobody asked for.
constexpr double kTail[2 * kWeightLanes] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};

template <class T>
VecD tail_of(const T* row, std::int64_t n, std::int64_t n_whole) {
  if (n < kWeightLanes) return load_partial<VecD>(row, n);
  return VecD::load(row + n - kWeightLanes) * VecD::load(kTail + (n - n_whole));
}

// Where tail_of begins: v is padded, so that n < 8 may read and write past n.
std::int64_t tail_begin(std::int64_t n) { return n < kWeightLanes ? 0 : n - kWeightLanes; }

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
  if (j < n) odd = fma(tail_of(row, n, j), VecD::load(v + tail_begin(n)), odd);
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
    const VecD values = tail_of(row, n, j);
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
    double* last = v + tail_begin(n);
    fma(tail_of(row, n, j), factor, VecD::load(last)).store(last);
    const VecD moved = VecD::load(v + j);  // zeros beyond n
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
