// What boosting makes of a loss: which hessians it takes to be one.
#pragma once

#include "loss/objective.hpp"

namespace gramian::boost {

// For the losses that bend nowhere, or nowhere more than the squared one, trees are fitted to
// gradients alone, with every hessian one; medians and quantiles then renew the leaves.
inline bool has_unit_hessian(loss::Kind kind) {
  return kind == loss::Kind::squared || kind == loss::Kind::absolute || kind == loss::Kind::huber ||
         kind == loss::Kind::pinball;
}

}  // namespace gramian::boost
