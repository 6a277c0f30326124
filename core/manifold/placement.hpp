// New points in an embedding that stays as it is.
#pragma once

#include <cstdint>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::manifold {

// Each new point has the affinities p to the points `index` of the embedding and is placed, apart
// from the other new ones, where sum_j p_j log(1 / w_j) + log(sum of w over all points) is least,
// from the best of its first neighbours on. `angle` is that of a tree (repulsion.hpp).
void place(MatrixView<const float> points, MatrixView<const std::int64_t> index,
           MatrixView<const float> p, double angle, MatrixView<float> placed, const Context& ctx);

}  // namespace gramian::manifold
