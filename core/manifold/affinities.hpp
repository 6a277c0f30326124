// How near each row is to its neighbours, as probabilities.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::manifold {

// p of the rows' neighbours at a perplexity, of squared distances in columns; with `first` >= 0 row
// i is at the distances' column first + i, where its own p is zero. betas[i] is the rate that was
// found (see perplexity_kernel.hpp).
void conditional(MatrixView<const double> squared, std::int64_t first, double perplexity,
                 MatrixView<float> p, std::span<double> betas, const Context& ctx);

// Affinities of pairs as compressed rows, with columns in ascending order.
struct JointAffinities {
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> places;
  std::vector<float> values;
};

// (p_j|i + p_i|j) / 2 n of the pairs of which one is a neighbour of the other.
JointAffinities joint(MatrixView<const std::int64_t> index, MatrixView<const float> p,
                      const Context& ctx);

// The same of all pairs, in place.
void join_all(MatrixView<float> p, const Context& ctx);

}  // namespace gramian::manifold
