// Scaling by majorising a complicated function (de Leeuw): points whose distances come near given
// ones.
#pragma once

#include <cstdint>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::manifold {

struct Stress {
  double raw = 0.0;      // sum over i < j of (d(i, j) - disparity(i, j))^2
  double squares = 0.0;  // sum over i < j of d(i, j)^2
};

// One pass over all pairs: the stress of X, and the points that Guttman's transform moves it to,
// next(i) = 1/n sum_j disparity(i, j) / d(i, j) (x(i) - x(j)), whose stress is no larger. The
// distances are written where there is room for them. Rows of disparities are contiguous. O(n^2).
Stress smacof_pass(MatrixView<const double> disparities, MatrixView<const double> X,
                   MatrixView<double> next, MatrixView<double> distances, const Context& ctx);

}  // namespace gramian::manifold
