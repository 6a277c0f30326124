#include "distance/sparse_scores_kernel.hpp"

#include <bit>

#include "simd/mask.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

using distance::kSparseQueries;
constexpr int kVectors = kSparseQueries / VecD::kLanes;

template <class Index>
std::int64_t low_scores(const distance::SparseQueries& queries, const double* values,
                        const Index* indices, const Index* indptr, const double* norms,
                        std::int64_t first, std::int64_t last, distance::LowScore* found) {
  std::int64_t n = 0;
  double lanes[VecD::kLanes];
  for (std::int64_t i = first; i < last; ++i) {
    VecD product[kVectors];
    for (VecD& vector : product) vector = VecD::zero();
    for (auto e = static_cast<std::int64_t>(indptr[i]); e < indptr[i + 1]; ++e) {
      const VecD value = VecD::set1(values[e]);
      const double* entries =
          queries.entries + std::int64_t{queries.slots[indices[e]]} * kSparseQueries;
      for (int v = 0; v < kVectors; ++v)
        product[v] = fma(value, VecD::load(entries + v * VecD::kLanes), product[v]);
    }
    for (int v = 0; v < kVectors; ++v) {
      const VecD sum = VecD::load(queries.norms + v * VecD::kLanes) + VecD::set1(norms[i]);
      const VecD score = fma(VecD::set1(-2.0), product[v], sum);
      std::uint32_t low = less_equal(score, VecD::load(queries.limits + v * VecD::kLanes));
      if (low == 0) continue;
      score.store(lanes);
      for (; low != 0; low &= low - 1) {
        const int lane = std::countr_zero(low);
        found[n++] = {i, v * VecD::kLanes + lane, lanes[lane]};
      }
    }
  }
  return n;
}

}  // namespace

std::int64_t find_low_scores(const distance::SparseQueries& queries, const double* values,
                             const std::int32_t* indices, const std::int32_t* indptr,
                             const double* norms, std::int64_t first, std::int64_t last,
                             distance::LowScore* found) {
  return low_scores(queries, values, indices, indptr, norms, first, last, found);
}

std::int64_t find_low_scores(const distance::SparseQueries& queries, const double* values,
                             const std::int64_t* indices, const std::int64_t* indptr,
                             const double* norms, std::int64_t first, std::int64_t last,
                             distance::LowScore* found) {
  return low_scores(queries, values, indices, indptr, norms, first, last, found);
}

}  // namespace gramian::GRAMIAN_ISA
