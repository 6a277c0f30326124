// A row of the messages of affinity propagation.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian::cluster {

// Row i of the similarities S, the availabilities A and the responsibilities R. `sums` holds the
// column sums of max(R, 0), on the diagonal of R itself, after the last pass, and is null before
// the first; `next` takes what this row adds to those of this pass.
struct AffinityRow {
  const double* S;
  double* A;
  double* R;
  const double* sums;
  double* next;
  std::int64_t n;
  std::int64_t i;
  double damping;
};

}  // namespace gramian::cluster

namespace gramian {

// One pass over a row, each entry damped:
//   a(i,k) <- min(0, sums(k) - max(r(i,k), 0)),  a(i,i) <- sums(i) - r(i,i)
//   r(i,k) <- s(i,k) - max_{j != k} (a(i,j) + s(i,j))
GRAMIAN_DECLARE_KERNEL(void pass_messages(const cluster::AffinityRow& row))

}  // namespace gramian
