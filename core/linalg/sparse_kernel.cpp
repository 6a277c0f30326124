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

}  // namespace gramian::GRAMIAN_ISA
