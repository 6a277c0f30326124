#include "solve/nmf/sweep_kernel.hpp"

#include "simd/order.hpp"
#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

constexpr int kVecs = static_cast<int>(kSweepRows) / VecD::kLanes;

// The gradient of coordinate t, G(t, :) w - c_t.
void gradient(const SweepBlock& block, std::int64_t t, VecD (&g)[kVecs]) {
  for (int v = 0; v < kVecs; ++v)
    g[v] = VecD::zero() - VecD::load(block.cross + t * kSweepRows + v * VecD::kLanes);
  const double* row = block.gram + t * block.k;
  for (std::int64_t r = 0; r < block.k; ++r) {
    const VecD factor = VecD::set1(row[r]);
    for (int v = 0; v < kVecs; ++v)
      g[v] = fma(factor, VecD::load(block.rows + r * kSweepRows + v * VecD::kLanes), g[v]);
  }
}

}  // namespace

void sweep_block(SweepBlock& block) {
  const VecD zero = VecD::zero();
  VecD violation = zero;
  double first = 0.0;
  for (std::int64_t sweep = 0; sweep < block.n_sweeps; ++sweep) {
    VecD moved = zero;
    for (std::int64_t i = 0; i < block.k; ++i) {
      const std::int64_t t = block.order[i];
      VecD g[kVecs];
      gradient(block, t, g);
      const VecD step = VecD::set1(-block.inverse[t]),
                 size = VecD::set1(block.gram[t * block.k + t]);
      for (int v = 0; v < kVecs; ++v) {
        double* entry = block.rows + t * kSweepRows + v * VecD::kLanes;
        const VecD old = VecD::load(entry);
        if (sweep == 0) violation = violation + abs(select_less(zero, old, g[v], min(g[v], zero)));
        const VecD next = max(zero, fma(step, g[v], old)), change = next - old;
        moved = fma(size * change, change, moved);
        next.store(entry);
      }
    }
    const double total = hsum(moved);
    if (sweep == 0) first = total;
    if (total <= block.shrink * first) break;
  }
  block.violation = hsum(violation);
}

}  // namespace gramian::GRAMIAN_ISA
