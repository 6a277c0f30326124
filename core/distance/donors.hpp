// The nearest rows that have a value where another row has a gap.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::distance {

// Gap g, for g from starts[i] to starts[i + 1], is that of row i of X in column columns[g]. Its
// donors are the rows of Y without NaN in that column that have any column in common with row i:
// index(g, :) takes the numbers of the nearest ones by nan_euclidean, nearest first and equally
// near ones in the order of their numbers, then -1; distance(g, :) how far they are, then NaN. O(n
// m p) time, O(m p) memory beside the answer.
template <class T>
void nearest_donors(MatrixView<const T> X, std::span<const std::int64_t> starts,
                    std::span<const std::int64_t> columns, MatrixView<const T> Y,
                    MatrixView<std::int64_t> index, MatrixView<double> distance,
                    const Context& ctx);

}  // namespace gramian::distance
