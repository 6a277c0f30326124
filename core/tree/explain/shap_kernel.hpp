// The walk through one tree that gives the Shapley values of eight rows at once.
//
// Let a coalition know each feature with probability t. The tree then returns, in the mean, the
// sum over its leaves of value * prod_j F_j(t), the product running over the features on the
// leaf's path, with
//
//   F_j(t) = on_j t + fraction_j (1 - t),
//
// on_j = 1 if the row goes the leaf's way at all splits on j, fraction_j the product of the
// fractions of training weight that go it. Feature j gains (on_j - fraction_j) times the product of
// the others, integrated over t in [0, 1]: a polynomial, for which Gauss-Legendre quadrature is
// exact.
//
// Walking down, `P` is the product of the factors above a node, times the weight of the rule;
// walking up, `S` is the sum of value times the factors below. At a split on j with the children
// L and R let R_L be what F_j is multiplied by on the way to L. Then R_R = 1 - R_L, and
//
//   S = S_R + R_L (S_L - S_R),   gain of j += c * sum_k P_k (S_L - S_R)_k / F_before(t_k)^2,
//
// F_before being F_j above the split, and c = fraction_before * (fraction going right) for rows
// that go left, -fraction_before * (fraction going left) for those that go right, 0 for rows that
// have left the path at an earlier split on j. So nothing is divided by a factor that may vanish,
// and all terms of the products are positive: there is no cancellation, however deep the tree. Cost
// O(splits * nodes of the rule) per row; memory O(depth * nodes).
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian::tree {

struct ShapSplit {
  std::int32_t feature;
  std::int32_t depth;
  std::int32_t above;       // depth of the next split above on the same feature, -1 if none
  std::int32_t left_leaf;   // number of the left child if it is a leaf, else -1
  std::int32_t right_leaf;  // likewise
  bool is_right_child;
  std::int64_t inverse;  // where 1 / F_before begins in `inverses`, if above >= 0
  double left_fraction;  // fraction of the training weight here that goes left
  double fraction_left;  // fraction_j on the way to the left child
  double gain_left;      // c of rows that go left
  double gain_right;     // c of rows that go right
};

// One move of the walk.
enum class ShapMove : std::uint8_t {
  leaves,    // past a split whose children are both leaves
  to_left,   // from a split to its left child, which is a split
  to_right,  // from a split to its right child, which is a split
  up,        // back to a split, its children done
};

struct ShapStep {
  std::int32_t split;
  ShapMove move;
};

// One tree made ready. `inverses` and the arrays of the rule come in eights: behind the n_nodes
// first entries they are zero up to a multiple of eight.
struct ShapProgram {
  const ShapStep* steps;
  std::int64_t n_steps;
  const ShapSplit* splits;  // in preorder
  const double* inverses;
  const double* node;
  const double* complement;  // 1 - node
  const double* weight;
  std::int32_t n_nodes;
};

// Eight rows. Bit shift + lane of left[split] tells whether the row goes left there; values[leaf]
// is what the leaf gives. phi[feature * 8 + lane] is added to. `workspace` has
// shap_workspace(...) numbers, `on` one for each depth of a split.
struct ShapRows {
  const std::uint64_t* left;
  int shift;
  const double* values;
  double* phi;
  double* workspace;
  std::uint8_t* on;
};

// A feature that every coalition knows, or none: it then gains nothing.
struct ShapCondition {
  std::int32_t feature = -1;  // -1: no condition
  bool is_known = false;
};

inline constexpr std::int64_t kShapLanes = 8;

// `n_levels`: how many depths splits have.
inline std::int64_t shap_workspace(std::int64_t n_nodes, std::int64_t n_levels) {
  return (n_levels + 1) * 4 * n_nodes * kShapLanes;
}

}  // namespace gramian::tree

namespace gramian {

GRAMIAN_DECLARE_KERNEL(void shap_walk(const tree::ShapProgram& program,
                                      const tree::ShapCondition& condition,
                                      const tree::ShapRows& rows))

// Bit i tells whether x[i] <= threshold, of 64 numbers; NaN is not.
GRAMIAN_DECLARE_KERNEL(std::uint64_t less_equal_bits(const double* x, double threshold))

}  // namespace gramian
