// Euclidean neighbours of sparse rows: all pairs by their products, some queries at a time; what
// these leave open is judged by differences.
//
// The columns of each row of both matrices ascend, and each stands there once.
#pragma once

#include <cstdint>
#include <vector>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::distance {

// The rows of Y nearest to each row of X, nearest first, ties by the lower number.
template <class Index>
void sparse_k_nearest(const CsrView<double, Index>& X, const CsrView<double, Index>& Y,
                      MatrixView<std::int64_t> index, MatrixView<double> distance,
                      const Context& ctx);

struct FoundRows {
  std::vector<std::int64_t> counts, index;  // of each query; rows in their order
  std::vector<double> distance;
};

// The rows within a radius of each row of X; with `leaves_out_self` not the one of its number.
template <class Index>
FoundRows sparse_within(const CsrView<double, Index>& X, const CsrView<double, Index>& Y,
                        double radius, bool leaves_out_self, const Context& ctx);

}  // namespace gramian::distance
