// Partial dependence of tree ensembles by walking through their trees (Friedman, 2001, section
// 8.2).
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"
#include "tree/explain/shap.hpp"

namespace gramian::tree {

// out(i, c) += output c at point i when the columns with is_known != 0 have the values of row i of
// X, and the others are averaged over the training weight, split by split: a split on a known
// column is followed, others are passed on both sides, in the fractions of their training weight.
// O(n_points / 64 x nodes + n_points x leaves that they reach); the same bits for any number of
// threads.
void partial_dependence(const ShapEnsemble& ensemble, MatrixView<const double> X,
                        std::span<const std::uint8_t> is_known, MatrixView<double> out,
                        const Context& ctx);

}  // namespace gramian::tree
