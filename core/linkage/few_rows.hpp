// Distances of all pairs of few rows with many entries each, as the columns of a table are.
#pragma once

#include <cstdint>
#include <vector>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::linkage {

inline constexpr std::int64_t kFewRows = 128;

// The squared Euclidean distance of rows i and j < i at [i * n_rows + j], summed in float64 from
// differences. O(n_rows^2) memory beside X.
template <class T>
std::vector<double> squares_of_pairs(MatrixView<const T> X, const Context& ctx);

}  // namespace gramian::linkage
