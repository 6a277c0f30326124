// From log-densities to the parts that the components of a mixture have in each row.
#pragma once

#include "bayes/posterior_kernel.hpp"
#include "simd/level.hpp"

namespace gramian {

// Replaces the entries z(c, i) of a block by exp(z(c, i) - l_i) with l_i = log sum_c exp z(c, i),
// and writes l_i to evidence[i] and sum_c r log r to entropy[i]; whole vectors of rows.
GRAMIAN_DECLARE_KERNEL(void share_rows(const JointBlock& block, double* evidence, double* entropy))

// evidence[i] = log sum_c exp z(c, i).
GRAMIAN_DECLARE_KERNEL(void sum_evidence(const JointBlock& block, double* evidence))

}  // namespace gramian
