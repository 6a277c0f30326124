#include "solve/svm/dual_lanes_kernel.hpp"

#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

template <class Index>
std::int64_t place(const Index* cols, std::int64_t e) {
  return VecD::kLanes * (cols ? static_cast<std::int64_t>(cols[e]) : e);
}

// Two sums side by side hide the latency of the fma.
template <class T, class Index>
void times(const T* values, const Index* cols, std::int64_t n, const double* W, double* out) {
  VecD even = VecD::zero(), odd = VecD::zero();
  std::int64_t e = 0;
  for (; e + 2 <= n; e += 2) {
    even = fma(VecD::set1(static_cast<double>(values[e])), VecD::load(W + place(cols, e)), even);
    odd = fma(VecD::set1(static_cast<double>(values[e + 1])), VecD::load(W + place(cols, e + 1)),
              odd);
  }
  if (e < n)
    even = fma(VecD::set1(static_cast<double>(values[e])), VecD::load(W + place(cols, e)), even);
  (even + odd).store(out);
}

template <class T, class Index>
void add(const T* values, const Index* cols, std::int64_t n, const double* step, double* W) {
  const VecD by = VecD::load(step);
  for (std::int64_t e = 0; e < n; ++e) {
    double* w = W + place(cols, e);
    fma(VecD::set1(static_cast<double>(values[e])), by, VecD::load(w)).store(w);
  }
}

}  // namespace

FloatLanes32 float_lanes_32() { return {times<float, std::int32_t>, add<float, std::int32_t>}; }
FloatLanes64 float_lanes_64() { return {times<float, std::int64_t>, add<float, std::int64_t>}; }
DoubleLanes32 double_lanes_32() { return {times<double, std::int32_t>, add<double, std::int32_t>}; }
DoubleLanes64 double_lanes_64() { return {times<double, std::int64_t>, add<double, std::int64_t>}; }

}  // namespace gramian::GRAMIAN_ISA
