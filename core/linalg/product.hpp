// Products of a tall or square data matrix with a few columns, from either side: one read of the
// data each, in register tiles.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::linalg {

// out = (A - 1 shift') B; an empty shift is zero. Every row's bits depend on that row alone.
// O(n p m) time; B is packed.
template <class T>
void product(MatrixView<const T> A, std::span<const double> shift, MatrixView<const double> B,
             MatrixView<double> out, const Context& ctx);

// out = (A - 1 shift')' B, summed over tiles of rows.
template <class T>
void cross_product(MatrixView<const T> A, std::span<const double> shift, MatrixView<const double> B,
                   MatrixView<double> out, const Context& ctx);

}  // namespace gramian::linalg
