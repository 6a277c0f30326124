// The scores of all cuts of a histogram's column.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

// In the whole numbers of the pairs: a cut's score is T(G_l)^2 / (H_l + l2) + T(G_r)^2 / (H_r + l2)
// with T(G) = sign(G) max(|G| - l1, 0).
struct CutRules {
  double l2 = 0.0;
  double l1 = 0.0;
  std::int64_t min_hessian = 1;  // of either side; at least 1, so that no side is empty
};

// scores[i], i < n: of the cut that has `start` and the cells up to i on the left, out of `total`;
// -1 where a side has too little hessian. Returns the best of them.
GRAMIAN_DECLARE_KERNEL(double score_cuts(const std::int64_t* cells, std::int64_t n,
                                         std::int64_t start, std::int64_t total,
                                         const CutRules& rules, double* scores))

// At least the best of these scores, and at most a few millionths above it: half as long as finding
// it. For rules that `may_bound` allows.
GRAMIAN_DECLARE_KERNEL(double bound_cuts(const std::int64_t* cells, std::int64_t n,
                                         std::int64_t start, std::int64_t total,
                                         const CutRules& rules))

// Single precision holds the terms of a score, and no difference makes it lose digits.
inline bool may_bound(const CutRules& rules) { return rules.l1 == 0.0 && rules.l2 < 0x1p40; }

// scores[i], i < n: of the cut that has cell i alone on one side.
GRAMIAN_DECLARE_KERNEL(double score_each(const std::int64_t* cells, std::int64_t n,
                                         std::int64_t total, const CutRules& rules, double* scores))

}  // namespace gramian
