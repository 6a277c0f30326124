// The sums over rows of a step of FastICA.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"
#include "solve/ica/contrast_kernel.hpp"

namespace gramian::solve {

// With the components y = W z of each row z: products = sum g(y) z', slopes = sum g'(y). One pass
// over the rows, O(n k m) for m rows of W.
void contrast_sums(MatrixView<const double> Z, MatrixView<const double> W, Contrast contrast,
                   double alpha, MatrixView<double> products, std::span<double> slopes,
                   const Context& ctx);

}  // namespace gramian::solve
