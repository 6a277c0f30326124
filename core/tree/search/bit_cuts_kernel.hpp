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

// Columns that are read at once: a row's number is looked up once for all of them, and what is read
// for the next column is there when the one before has been looked at.
inline constexpr int kCutColumns = 4;

struct BitCut {
  double threshold = 0.0;  // a value that is not above it goes left
  std::int64_t n_left = 0;
  std::int64_t n_second = 0;  // of the second class, on the left
  bool varies = false;        // else there is no cut
};

}  // namespace tree

// How many rows are of the second class.
GRAMIAN_DECLARE_KERNEL(std::int64_t count_second(const std::uint32_t* words, std::int64_t n))

// values[k][i]: of row i in column k, for up to kCutColumns columns of one step. The bits of a mask
// are the number of a row.
GRAMIAN_DECLARE_KERNEL(void read_cut_columns(const tree::CutColumn<float>* columns, int n_columns,
                                             const std::uint32_t* words, std::uint32_t mask,
                                             std::int64_t n, float* const* values))
GRAMIAN_DECLARE_KERNEL(void read_cut_columns(const tree::CutColumn<double>* columns, int n_columns,
                                             const std::uint32_t* words, std::uint32_t mask,
                                             std::int64_t n, double* const* values))

// The cut at lowest + place * (highest - lowest) of the rows' values.
GRAMIAN_DECLARE_KERNEL(tree::BitCut cut_words(const float* values, const std::uint32_t* words,
                                              std::int64_t n, double place))
GRAMIAN_DECLARE_KERNEL(tree::BitCut cut_words(const double* values, const std::uint32_t* words,
                                              std::int64_t n, double place))

// Moves the rows whose values are above the threshold behind the others, both in their order.
// `right` is room for n + 16 words.
GRAMIAN_DECLARE_KERNEL(void part_words(const float* values, double threshold, std::uint32_t* words,
                                       std::int64_t n, std::uint32_t* right))
GRAMIAN_DECLARE_KERNEL(void part_words(const double* values, double threshold, std::uint32_t* words,
                                       std::int64_t n, std::uint32_t* right))

}  // namespace gramian
