// From log P(class, row) to what is asked about a row.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian {

enum class Answer { joint, log_probability, probability, label };

// log P(c, x_i) of n rows and k classes stands at joint[kMostRows c + i]; whole vectors of rows may
// be read, and are overwritten. Rows that no class can have are judged by `log_prior` alone.
struct JointBlock {
  double* joint;
  std::int64_t n;  // at most kMostRows
  std::int64_t k;
  const double* log_prior;

  static constexpr std::int64_t kMostRows = 64;
};

// Writes n rows of k numbers, `ld` apart: any answer but labels.
GRAMIAN_DECLARE_KERNEL(void write_answers(const JointBlock& block, Answer answer, double* out,
                                          std::int64_t ld))
GRAMIAN_DECLARE_KERNEL(void write_answers(const JointBlock& block, Answer answer, float* out,
                                          std::int64_t ld))

// Writes the number of the likeliest class of each row, the first of several.
GRAMIAN_DECLARE_KERNEL(void write_labels(const JointBlock& block, std::int64_t* out))

}  // namespace gramian
