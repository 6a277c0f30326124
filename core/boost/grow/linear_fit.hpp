// Linear models in the leaves of a boosted tree (Shi, Li and Li, "Gradient boosting with piece-wise
// linear regression trees", 2019).
//
// With m the means of a leaf's columns, weighted by the hessians h, the model c + b (x - m)
// minimises
//
//   sum_i [g_i (c + b (x_i - m)) + h_i (c + b (x_i - m))^2 / 2] + penalties
//
// As the columns are centred, c and b do not touch each other: c is the Newton step of a plain leaf
// with all of its penalties, and b solves (C + lambda D / H) b = -sum_i g_i (x_i - m), with C the
// weighted products of the centred columns, D its diagonal and H the sum of the hessians. The
// penalty does thus not depend on the units of the columns.
#pragma once

#include <cstdint>

#include "base/context.hpp"
#include "boost/grow/tree_grower.hpp"
#include "tree/predict/keys.hpp"

namespace gramian::boost {

struct LinearOptions {
  double lambda = 0.0;
  bool is_bounded = true;  // a leaf gives nothing beyond what it gives to the rows of its fit
};

// Gives every leaf of the tree that `grower` grew last for `target` a linear model of the numeric
// columns on its path, fitted to those of its rows in which none of them is missing or infinite.
// Columns that the others determine get no coefficient.
void fit_linear_leaves(const TreeGrower& grower, const GrowRows& target, const AnyDense& X,
                       const LinearOptions& options, BoostedTree& tree, const Context& ctx);

}  // namespace gramian::boost
