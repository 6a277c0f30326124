// Exact Shapley values of tree ensembles against background rows.
#pragma once

#include "tree/shap.hpp"

namespace gramian::tree {

// As path_shap, but features that are not known are taken from the rows of `background`, each in
// turn, and the results averaged. O(n_rows * background * nodes that a pair of rows reaches).
template <class T>
void background_shap(const ShapEnsemble& ensemble, MatrixView<const T> X,
                     MatrixView<const T> background, std::span<double> phi,
                     std::span<double> expected, const Context& ctx);

}  // namespace gramian::tree
