// Non-negative least squares of all rows of a factor by coordinate descent on its Gram matrix.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::solve {

// Sweeps over the coordinates of each row w of `factor` (n x k), towards the minimum of
// w'Gw / 2 - c'w over w >= 0 with c the same row of `cross`: at most n_sweeps, in `order`, until a
// sweep moves a block of rows by less than `shrink` of the first. Returns the sum of the absolute
// projected gradients as the first sweep met them. O(n k^2) for each sweep.
double sweep_rows(MatrixView<const double> gram, MatrixView<const double> cross,
                  std::span<const std::int64_t> order, std::int64_t n_sweeps, double shrink,
                  MatrixView<double> factor, const Context& ctx);

}  // namespace gramian::solve
