// The objective of neighbourhood components analysis: how many rows would be classified right if
// each took the class of a neighbour drawn at random, the nearer the likelier.
//
// Memory is O(n p): no pair is kept. Each row needs O(n p) operations in each of two passes.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::distance {

// probabilities[i]: that row i takes one of its class; twice pull(i, k) is the derivative of their
// sum by entry k of row i. There must be two rows or more.
void choose_neighbours(MatrixView<const double> rows, std::span<const std::int64_t> codes,
                       std::span<double> probabilities, MatrixView<double> pull,
                       const Context& ctx);

}  // namespace gramian::distance
