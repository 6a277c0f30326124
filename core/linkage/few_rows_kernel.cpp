#include "linkage/few_rows_kernel.hpp"

#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

// Row x against n_others rows that follow each other: their sums do not wait for one another.
template <int n_others>
void add_squares(const double* x, const double* others, std::int64_t stride, std::int64_t n_entries,
                 double* sums) {
  VecD total[n_others];
  for (VecD& sum : total) sum = VecD::zero();
  for (std::int64_t k = 0; k < n_entries; k += VecD::kLanes) {
    const VecD entries = VecD::load(x + k);
    for (int j = 0; j < n_others; ++j) {
      const VecD gap = entries - VecD::load(others + j * stride + k);
      total[j] = fma(gap, gap, total[j]);
    }
  }
  for (int j = 0; j < n_others; ++j) sums[j] += hsum(total[j]);
}

}  // namespace

void add_squares_of_pairs(const double* rows, std::int64_t stride, std::int64_t n_rows,
                          std::int64_t n_entries, double* sums) {
  for (std::int64_t i = 1; i < n_rows; ++i) {
    const double* x = rows + i * stride;
    double* out = sums + i * n_rows;
    std::int64_t j = 0;
    for (; j + 4 <= i; j += 4) add_squares<4>(x, rows + j * stride, stride, n_entries, out + j);
    for (; j < i; ++j) add_squares<1>(x, rows + j * stride, stride, n_entries, out + j);
  }
}

}  // namespace gramian::GRAMIAN_ISA
