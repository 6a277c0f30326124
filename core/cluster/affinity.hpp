// Affinity propagation (Frey & Dueck 2007): rows send each other messages until some of them are
// exemplars of all.
//
// An iteration is one pass over the rows of three n x n matrices. Availabilities need the column
// sums of the responsibilities, which the pass before has left, and those of the diagonal follow
// from the sums alone: so what ends the iteration is known before its availabilities are.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::cluster {

struct AffinityRule {
  double damping;
  std::int64_t max_iter;
  std::int64_t convergence_iter;  // iterations without a change that end it
};

struct AffinityMessages {
  MatrixView<const double> S;  // similarities, on the diagonal the preferences; C-contiguous
  MatrixView<double> A, R;     // zeros, C-contiguous
};

struct AffinityResult {
  std::int64_t n_iter = 0;
  bool is_converged = false;
};

// is_exemplar[k]: a(k,k) + r(k,k) > 0 in the end. A passed deadline ends it, too.
AffinityResult propagate_affinity(const AffinityMessages& messages, const AffinityRule& rule,
                                  std::span<std::uint8_t> is_exemplar, const Context& ctx);

}  // namespace gramian::cluster
