// Columns of whole numbers as codes of levels, found by their value instead of by sorting.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::preprocessing {

// Slots for the whole numbers of each column: number v of column j has the slot
// first[j] + v - least[j], if that is below first[j + 1].
struct NumberSlots {
  std::span<const std::int64_t> least;
  std::span<const std::int64_t> first;  // n_cols + 1 entries
};

// is_present[slot] = 1 for the numbers in rows of positive weight; returns whether all entries are
// missing or have a slot. Other entries of is_present stay as they are.
template <class T>
bool mark_numbers(MatrixView<const T> X, std::span<const double> weight, const NumberSlots& slots,
                  std::span<std::uint8_t> is_present, const Context& ctx);

// codes(i, j) = code[slot of X(i, j)]; -1 for a missing value, -2 for one without a slot. Returns
// whether there is none of the latter.
template <class T>
bool number_codes(MatrixView<const T> X, const NumberSlots& slots,
                  std::span<const std::int32_t> code, MatrixView<std::int32_t> codes,
                  const Context& ctx);

}  // namespace gramian::preprocessing
