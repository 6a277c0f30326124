#include "boost/grow/linear_kernel.hpp"

#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

static_assert(VecD::kLanes == kProductLanes);

double dot(const double* a, const double* b, std::int64_t n) {
  VecD sum = VecD::zero();
  for (std::int64_t i = 0; i < n; i += VecD::kLanes)
    sum = fma(VecD::load(a + i), VecD::load(b + i), sum);
  return hsum(sum);
}

}  // namespace

void weighted_products(const ProductBlock& block, double* products) {
  for (std::int64_t j = 0; j < block.n_columns; ++j) {
    const double* column = block.columns + j * block.n_rows;
    for (std::int64_t i = 0; i < block.n_rows; i += VecD::kLanes)
      (VecD::load(block.weight + i) * VecD::load(column + i)).store(block.weighted + i);
    for (std::int64_t l = 0; l <= j; ++l)
      *products++ = dot(block.weighted, block.columns + l * block.n_rows, block.n_rows);
  }
}

void weighted_sums(const ProductBlock& block, double* sums) {
  for (std::int64_t j = 0; j < block.n_columns; ++j)
    sums[j] = dot(block.weight, block.columns + j * block.n_rows, block.n_rows);
}

}  // namespace gramian::GRAMIAN_ISA
