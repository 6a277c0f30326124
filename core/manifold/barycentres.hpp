// Weights with which the mean of some rows comes nearest to another row.
#pragma once

#include <cstdint>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::manifold {

// out(i, :) are the weights w, of sum 1, that minimise |X(i) - sum_j w_j Y(index(i, j))|^2 +
// R |w|^2 with R = reg times the trace of the Gram matrix of the differences, or reg where all of
// these are zero. They solve (G + R I) w ~ 1. Returns the first row where that is singular, or -1.
std::int64_t barycentre_weights(MatrixView<const double> X, MatrixView<const double> Y,
                                MatrixView<const std::int64_t> index, double reg,
                                MatrixView<double> out, const Context& ctx);

}  // namespace gramian::manifold
