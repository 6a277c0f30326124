// One cluster against all others: scores of centroids in blocks of kScanLanes slots, coordinate k
// of lane l at [k * kScanLanes + l]. A score is |c_a - c_b|^2, or with sizes
// |c_a - c_b|^2 n_a n_b / (n_a + n_b), half of Ward's squared distance. An unused slot has an
// infinite coordinate, and so an infinite score.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian::linkage {
inline constexpr std::int64_t kScanLanes = 16;
}

namespace gramian {

// Scores in float32 of n_blocks blocks, a multiple of 4; the least of them. sizes: null, or that of
// each slot.
GRAMIAN_DECLARE_KERNEL(float scan_narrow(const float* query, float size, const float* blocks,
                                         const float* sizes, std::int64_t n_blocks,
                                         std::int64_t n_features, float* scores))

// The blocks with a score up to the limit; how many.
GRAMIAN_DECLARE_KERNEL(std::int64_t find_blocks(const float* scores, std::int64_t n_blocks,
                                                float limit, std::int32_t* found))

// The scores of one block in float64.
GRAMIAN_DECLARE_KERNEL(void scan_wide(const double* query, double size, const double* block,
                                      const double* sizes, std::int64_t n_features, double* scores))

// The first place of the least of n entries, which it sets; of no entry the size of all and
// infinity.
GRAMIAN_DECLARE_KERNEL(std::int64_t least_entry(const double* values, std::int64_t n,
                                                double* least))

// values[i] = min, max of values[i] and others[i], and the mean of the two by these weights.
GRAMIAN_DECLARE_KERNEL(void smaller_of_each(double* values, const double* others, std::int64_t n))
GRAMIAN_DECLARE_KERNEL(void larger_of_each(double* values, const double* others, std::int64_t n))
GRAMIAN_DECLARE_KERNEL(void mean_of_each(double* values, const double* others, double weight,
                                         double other_weight, std::int64_t n))

}  // namespace gramian
