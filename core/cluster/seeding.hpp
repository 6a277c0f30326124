// Greedy k-means++ (Arthur and Vassilvitskii 2007): each next centre is the best of some rows drawn
// by their squared distance from the centres so far.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::cluster {

// chosen[0] is given, the others are found: draws(c - 1, :) are numbers in [0, 1) that choose the
// trials for centre c. The rows of X must be contiguous.
template <class T>
void seed_centres(MatrixView<const T> X, std::span<const double> weight,
                  MatrixView<const double> draws, std::span<std::int64_t> chosen,
                  const Context& ctx);

}  // namespace gramian::cluster
