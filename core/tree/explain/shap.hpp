// Exact Shapley values of tree ensembles.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"
#include "tree/format/trees.hpp"

namespace gramian::tree {

// A sum of trees: output c of a row is the sum over the trees of scale * what its leaf gives to c.
struct ShapEnsemble {
  const TreesView& trees;
  MatrixView<const double> leaf_outputs;  // leaves of all trees x outputs; interleaved: x 1
  std::span<const double> scale;          // of each tree
  std::int64_t n_outputs = 1;
  bool is_interleaved = false;  // tree t gives to output t % n_outputs only
};

// phi[(row * n_features + feature) * n_outputs + output] += the feature's part of the row's
// prediction, and expected[output] += the prediction of nobody in particular, when features that
// are not known are averaged over the training weight, split by split.
// O(n_rows * splits * features on a path); the same bits for any number of threads.
template <class T>
void path_shap(const ShapEnsemble& ensemble, MatrixView<const T> X, std::span<double> phi,
               std::span<double> expected, const Context& ctx);

// Interaction values: phi[((row * p + i) * p + j) * n_outputs + output] for i != j is half of what
// features i and j give together beyond what each gives alone. The entries i == j are left alone.
template <class T>
void path_interactions(const ShapEnsemble& ensemble, MatrixView<const T> X, std::span<double> phi,
                       const Context& ctx);

}  // namespace gramian::tree
