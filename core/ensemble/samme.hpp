// AdaBoost by SAMME (Zhu, Zou, Rosset and Hastie, 2009) over trees that share their columns.
//
// Round t grows a tree on the weights w, with the error e = sum of w over the rows it gets wrong,
// as a share of all. It speaks with the weight
//   a = rate (log((1 - e) / e) + log(K - 1))
// in the vote of the K classes, and w of the rows it got wrong grows by exp(a). For two classes and
// rate 1 that is Freund and Schapire's AdaBoost, whose a is the half: w exp(-a y h) is the same up
// to a factor that all rows have.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "tree/columns/columns.hpp"
#include "tree/format/grown_tree.hpp"
#include "tree/format/target.hpp"

namespace gramian::ensemble {

struct SammeTrees {
  tree::GrownTrees trees;
  std::vector<double> weights;  // a of each tree
  std::vector<double> errors;   // e of each tree
  bool has_overflown = false;   // the weights of the rows have: boosting has stopped
};

// One tree for each seed, fewer if a tree is perfect or no better than chance; the latter is left
// out, so that there may be none at all. `weight`: of the rows, their sum one.
// options.limits.min_weight_leaf is a share of the total weight.
SammeTrees boost_samme(const tree::Columns& columns, const tree::Target& target,
                       const tree::Options& options, std::span<const double> weight, double rate,
                       std::span<const std::uint64_t> seeds, const Context& ctx);

}  // namespace gramian::ensemble
