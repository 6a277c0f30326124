// Small trees on 64 rows at once, by bits: every split is asked for all rows, one comparison of 64
// bytes, and masks say which rows reach it. The cost is linear in the leaves and does not depend on
// the depth; there are no branches and no scattered loads.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian::tree {

inline constexpr std::int64_t kSliceRows = 64;
inline constexpr std::int64_t kMaxSlicedLeaves = 256;
inline constexpr std::int64_t kMaxCodes = 255;  // of a column, without the code of missing values
inline constexpr std::uint8_t kMissingCode = 255;

// Splits in preorder. A child that is a leaf has the number of splits as its number.
struct SlicedNode {
  std::uint16_t slot;  // of the codes
  std::uint16_t left;
  std::uint16_t right;
  std::uint8_t code;           // right if the row's code is above
  std::uint8_t n_left_leaves;  // what a step to the right adds to the number of the leaf
  std::uint8_t is_missing_left;
};

// One level of a symmetric tree, whose nodes all ask the same.
struct SlicedLevel {
  std::uint16_t slot;
  std::uint8_t code;  // right if the row's code is above
  std::uint8_t is_missing_left;
};

}  // namespace gramian::tree

namespace gramian {

// codes[i] = how many of the ascending thresholds are below keys[i], for 64 rows; kMissingCode for
// kMissingKey. The table has 2^n_bits - 1 entries, the last ones kMissingKey.
GRAMIAN_DECLARE_KERNEL(void write_codes(const std::uint32_t* keys, const std::uint32_t* thresholds,
                                        int n_bits, std::uint8_t* codes))

// leaves[64 * k + i] = number of the leaf that row i of slice k reaches, for n_slices slices of 64
// rows; codes[k * slice_size + slot * 64 + i].
GRAMIAN_DECLARE_KERNEL(void slice_rows(const tree::SlicedNode* nodes, int n_splits,
                                       const std::uint8_t* codes, std::int64_t slice_size,
                                       std::int64_t n_slices, bool has_missing,
                                       std::uint32_t* leaves))

// The same for a symmetric tree of n_levels <= 8 levels: the answers are the bits of the number.
GRAMIAN_DECLARE_KERNEL(void slice_symmetric(const tree::SlicedLevel* levels, int n_levels,
                                            const std::uint8_t* codes, std::int64_t slice_size,
                                            std::int64_t n_slices, bool has_missing,
                                            std::uint32_t* leaves))

}  // namespace gramian
