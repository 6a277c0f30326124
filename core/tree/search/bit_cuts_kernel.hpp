// The random cut of one column, of rows of two classes and no weights, compiled for every
// instruction set level.
//
// A row is a word: its number, and its class in the highest bit. So rows and classes are parted
// together, and those on either side of a cut are counted by bits, sixteen rows at a time.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

namespace tree {

inline constexpr std::uint32_t kSecondClass = 0x80000000U;
inline constexpr std::uint32_t kRowNumber = ~kSecondClass;

// The value of a row is values[row * step].
template <class T>
struct CutColumn {
  const T* values;
  std::int64_t step;
};

struct BitCut {
  double threshold = 0.0;  // a value that is not above it goes left
  std::int64_t n_left = 0;
  std::int64_t n_second = 0;  // of the second class, on the left
  bool varies = false;        // else there is no cut
};

}  // namespace tree

// How many rows are of the second class.
GRAMIAN_DECLARE_KERNEL(std::int64_t count_second(const std::uint32_t* words, std::int64_t n))

// The cut at lowest + place * (highest - lowest), and the rows' values in their order, for which
// there must be room.
GRAMIAN_DECLARE_KERNEL(tree::BitCut cut_words(const tree::CutColumn<float>& column,
                                              const std::uint32_t* words, std::int64_t n,
                                              double place, float* values))
GRAMIAN_DECLARE_KERNEL(tree::BitCut cut_words(const tree::CutColumn<double>& column,
                                              const std::uint32_t* words, std::int64_t n,
                                              double place, double* values))

// Moves the rows whose values are above the threshold behind the others, both in their order.
// `right` is room for n + 16 words.
GRAMIAN_DECLARE_KERNEL(void part_words(const float* values, double threshold, std::uint32_t* words,
                                       std::int64_t n, std::uint32_t* right))
GRAMIAN_DECLARE_KERNEL(void part_words(const double* values, double threshold, std::uint32_t* words,
                                       std::int64_t n, std::uint32_t* right))

}  // namespace gramian
