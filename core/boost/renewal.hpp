// Leaf values that no Newton step gives: quantiles of what is left to explain.
#pragma once

#include <span>

#include "base/context.hpp"
#include "boost/tree_grower.hpp"

namespace gramian::boost {

// Sets the value of every leaf of the tree that `grower` grew last to scale times the quantile of
// the residuals y - score of its rows: the least one up to which the share of the weight is
// reached.
void renew_by_quantile(const TreeGrower& grower, std::span<const double> y,
                       std::span<const double> scores, std::span<const double> weight, double share,
                       double scale, BoostedTree& tree, const Context& ctx);

}  // namespace gramian::boost
