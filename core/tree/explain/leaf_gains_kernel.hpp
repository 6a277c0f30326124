// The gains of one row at one leaf, summed over background rows (see shap_background.hpp).
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian::tree {

// Background rows at a leaf by their patterns of n_words words each. Bit i of the n_sets words at
// sets[feature * n_sets] tells whether pattern i has the feature. Entry [v * stride + u] of
// `weights` is u! v! / (u + v + 1)!, for u and v up to n_features.
struct LeafTask {
  const std::uint64_t* patterns;
  const double* counts;
  const std::uint64_t* sets;
  std::int64_t n_patterns;
  std::int64_t n_features;
  std::int64_t n_words;
  std::int64_t n_sets;
  const double* weights;
  std::int64_t stride;
};

}  // namespace gramian::tree

namespace gramian {

// gains[j] = what the row gains by feature j of the path; false if no coalition reaches the leaf.
// O(features + patterns that reach the leaf together with the row's).
GRAMIAN_DECLARE_KERNEL(bool leaf_gains(const tree::LeafTask& task, const std::uint64_t* pattern,
                                       double* gains))

}  // namespace gramian
