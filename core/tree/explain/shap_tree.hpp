// A tree made ready for shap_walk: the fractions of training weight, the moves and the quadrature.
#pragma once

#include <cstdint>
#include <vector>

#include "base/views.hpp"
#include "tree/explain/shap_kernel.hpp"
#include "tree/format/trees.hpp"

namespace gramian::tree {

struct ShapTree {
  std::int64_t first_split = 0;  // among the splits of all trees
  std::vector<ShapSplit> splits;
  std::vector<ShapStep> steps;
  std::vector<double> inverses;
  std::vector<double> rule;            // nodes, complements and weights, each padded to eights
  std::vector<double> values;          // n_leaves of the first output, of the second, ...
  std::vector<double> expected;        // mean of the values over the training weight, by output
  std::vector<std::int32_t> features;  // those of the splits, rising
  std::int64_t n_leaves = 0;
  std::int64_t n_levels = 0;  // depths at which there are splits
  std::int32_t n_nodes = 1;   // of the rule

  ShapProgram program() const;
};

// `outputs` has what each leaf of all trees gives; `scale` multiplies it.
ShapTree make_shap_tree(const TreesView& trees, std::int64_t number,
                        MatrixView<const double> outputs, double scale);

}  // namespace gramian::tree
