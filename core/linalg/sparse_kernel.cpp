#include "linalg/sparse_kernel.hpp"

#include <type_traits>

namespace gramian::GRAMIAN_ISA {
namespace {

// j and last - j, modulo the width of the type, both have a sign bit of 0 exactly for j in
// 0 .. last.
template <class Index>
std::make_unsigned_t<Index> sign_if_outside(Index j, Index last) {
  using Bits = std::make_unsigned_t<Index>;
  return static_cast<Bits>(j) | (static_cast<Bits>(last) - static_cast<Bits>(j));
}

template <class Index>
IndexRun read_run(const Index* indices, std::int64_t begin, std::int64_t end, Index last) {
  using Bits = std::make_unsigned_t<Index>;  // as wide as the indices: one lane for each
  if (begin >= end) return {};
  Bits signs = sign_if_outside(indices[begin], last);
  Bits n_falls = begin > 0 && indices[begin] <= indices[begin - 1] ? 1 : 0;
  for (std::int64_t k = begin + 1; k < end; ++k) {
    signs |= sign_if_outside(indices[k], last);
    n_falls += static_cast<Bits>(indices[k] <= indices[k - 1]);
  }
  return {static_cast<Index>(signs) >= 0, static_cast<std::int64_t>(n_falls)};
}

template <class Offset>
bool all_rise(const Offset* offsets, std::int64_t begin, std::int64_t end) {
  std::make_unsigned_t<Offset> falls = 0;
  for (std::int64_t i = begin; i < end; ++i)
    falls |= static_cast<std::make_unsigned_t<Offset>>(offsets[i + 1] < offsets[i]);
  return falls == 0;
}

// kWidth sums at a time, which stay in registers.
template <int kWidth, class T, class Index>
void sum_few(const T* values, const Index* rows, std::int64_t n, const double* matrix,
             std::int64_t stride, double* sums) {
  double total[kWidth] = {};
  for (std::int64_t k = 0; k < n; ++k) {
    const auto value = static_cast<double>(values[k]);
    const double* row = matrix + static_cast<std::int64_t>(rows[k]) * stride;
    for (int c = 0; c < kWidth; ++c) total[c] += value * row[c];
  }
  for (int c = 0; c < kWidth; ++c) sums[c] = total[c];
}

template <class T, class Index>
void sum_all(const T* values, const Index* rows, std::int64_t n, const double* matrix,
             std::int64_t stride, std::int64_t n_sums, double* sums) {
  const auto sum_next = [&]<int kWidth>(std::integral_constant<int, kWidth>) {
    for (; n_sums >= kWidth; n_sums -= kWidth, matrix += kWidth, sums += kWidth)
      sum_few<kWidth>(values, rows, n, matrix, stride, sums);
  };
  sum_next(std::integral_constant<int, 16>());
  sum_next(std::integral_constant<int, 8>());
  sum_next(std::integral_constant<int, 4>());
  sum_next(std::integral_constant<int, 2>());
  sum_next(std::integral_constant<int, 1>());
}

}  // namespace

IndexRun read_indices(const std::int32_t* indices, std::int64_t begin, std::int64_t end,
                      std::int32_t last) {
  return read_run(indices, begin, end, last);
}
IndexRun read_indices(const std::int64_t* indices, std::int64_t begin, std::int64_t end,
                      std::int64_t last) {
  return read_run(indices, begin, end, last);
}

bool never_falls(const std::int32_t* offsets, std::int64_t begin, std::int64_t end) {
  return all_rise(offsets, begin, end);
}
bool never_falls(const std::int64_t* offsets, std::int64_t begin, std::int64_t end) {
  return all_rise(offsets, begin, end);
}

#define GRAMIAN_DEFINE_SUM_ROWS(T, Index)                                                 \
  void sum_rows(const T* values, const Index* rows, std::int64_t n, const double* matrix, \
                std::int64_t stride, std::int64_t n_sums, double* sums) {                 \
    sum_all(values, rows, n, matrix, stride, n_sums, sums);                               \
  }
GRAMIAN_DEFINE_SUM_ROWS(float, std::int32_t)
GRAMIAN_DEFINE_SUM_ROWS(float, std::int64_t)
GRAMIAN_DEFINE_SUM_ROWS(double, std::int32_t)
GRAMIAN_DEFINE_SUM_ROWS(double, std::int64_t)
#undef GRAMIAN_DEFINE_SUM_ROWS

}  // namespace gramian::GRAMIAN_ISA
