#include "simd/simd.hpp"
#include "simd/simd_probe.hpp"

namespace gramian::GRAMIAN_ISA {

namespace {

template <class Vec, class T>
void probe_all(const T* a, const T* b, const T* c, T* out) {
  const auto x = Vec::load(a), y = Vec::load(b), z = Vec::load(c);
  (x + y).store(out);
  (x - y).store(out + Vec::kLanes);
  (x * y + Vec::zero()).store(out + 2 * Vec::kLanes);
  fma(x, y, z).store(out + 3 * Vec::kLanes);
  (x * Vec::set1(a[0])).store(out + 4 * Vec::kLanes);
  out[5 * Vec::kLanes] = hsum(x);
}

}  // namespace

void probe(const double* a, const double* b, const double* c, double* out) {
  probe_all<VecD>(a, b, c, out);
}

void probe(const float* a, const float* b, const float* c, float* out) {
  probe_all<VecF>(a, b, c, out);
}

void probe_loads(const float* a, const double* b, int n, double* out) {
  VecD::load(a).store(out);
  load_partial<VecD>(b, n).store(out + VecD::kLanes);
  store_partial(VecD::load(b), out + 2 * VecD::kLanes, n);
}

}  // namespace gramian::GRAMIAN_ISA
