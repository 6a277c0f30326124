// Rows that choose a neighbour at random, the nearer the likelier: row i takes row j with
//
//   P(i, j) = exp(-|e_i - e_j|^2) / sum over k != i of exp(-|e_i - e_k|^2).
//
// The same bits on every level.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian::distance {

struct CodedRows {
  const double* entries;  // entry k of row j at entries[k * stride + j], zero from n_rows on
  const double* codes;    // the class of each row, a whole number
  std::int64_t n_rows;
  std::int64_t stride;  // n_rows rounded up to whole vectors
  std::int64_t n_features;
};

// Of row i: how likely it takes one of its class, and the shift with P(i, j) = exp(shift - |..|^2).
struct Choice {
  double probability;
  double shift;
};

}  // namespace gramian::distance

namespace gramian {

// `squares` is room for `stride` numbers.
GRAMIAN_DECLARE_KERNEL(distance::Choice choice_of_row(const distance::CodedRows& rows,
                                                      std::int64_t i, double* squares))

// pull[k] = sum over j of (W(i, j) + W(j, i)) (e_jk - e_ik), where W(i, j) = P(i, j) times the
// indicator of equal classes less the probability of row i: 1/2 of the gradient of the sum of all
// probabilities with regard to e_i. `sums` is room for 8 numbers for each feature.
GRAMIAN_DECLARE_KERNEL(void pull_on_row(const distance::CodedRows& rows, std::int64_t i,
                                        const double* probabilities, const double* shifts,
                                        double* sums, double* pull))

}  // namespace gramian
