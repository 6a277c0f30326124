// Residuals of the augmented system of least squares in doubled precision.
#pragma once

#include "base/context.hpp"
#include "linalg/extended_kernel.hpp"

namespace gramian::linalg {

// f (n): see extended_primal. g (p + 1): minus the adjoint sums, the last entry that of the ones.
void extended_residuals(const ExtendedRows& rows, double* f, double* g, const Context& ctx);

}  // namespace gramian::linalg
