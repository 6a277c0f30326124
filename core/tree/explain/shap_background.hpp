// Exact Shapley values of tree ensembles against background rows.
//
// The features that a coalition does not know come from a background row b. A leaf is reached by
// some coalition if, for each feature on its path, row x or row b goes the leaf's way at all splits
// on it. With u features on which only x does, and v on which only b does, each of the former gains
// value * (u - 1)! v! / (u + v)!, each of the latter loses value * u! (v - 1)! / (u + v)!.
//
// So a leaf sees of a row only the pattern of features on which it goes the leaf's way. Background
// rows of one pattern are counted together, and rows of one pattern get the same gains.
#pragma once

#include "tree/explain/shap.hpp"

namespace gramian::tree {

// As path_shap, but features that are not known are taken from the rows of `background`, each in
// turn, and the results averaged. For each tree O(leaves * patterns of X * patterns of background),
// where a shallow leaf has few patterns; the same bits for any number of threads.
template <class T>
void background_shap(const ShapEnsemble& ensemble, MatrixView<const T> X,
                     MatrixView<const T> background, std::span<double> phi,
                     std::span<double> expected, const Context& ctx);

}  // namespace gramian::tree
