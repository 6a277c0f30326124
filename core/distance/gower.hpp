// Gower's distances between the rows of tables with numbers, levels and gaps.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::distance {

// out(i, j) = distance of row i of X and row j of Y: the mean over the columns in which neither is
// NaN of min(|x - y|, 1), or of x != y where is_level; 1 if there is no such column.
void gower(MatrixView<const double> X, MatrixView<const double> Y,
           std::span<const std::uint8_t> is_level, MatrixView<double> out, const Context& ctx);

}  // namespace gramian::distance
