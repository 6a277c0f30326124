// What rows gain at one leaf against background rows (see shap_background.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "tree/explain/leaf_gains_kernel.hpp"

namespace gramian::tree {

// Background rows at a leaf: their patterns, and how many rows have each.
struct LeafPatterns {
  std::int64_t n_features = 0;
  std::int64_t n_words = 0;  // of a pattern
  std::vector<std::uint64_t> patterns;
  std::vector<double> counts;
  std::vector<std::uint64_t> sets;  // by feature, the patterns that have it
  double n_inside = 0.0;            // rows in the leaf
};

// Collects patterns, equal ones together where there are few features.
class PatternCounter {
 public:
  // Of n_rows rows over n_features features of a path.
  LeafPatterns count(const std::vector<std::uint64_t>& patterns, std::int64_t n_rows,
                     std::int64_t n_features);

 private:
  std::vector<std::int32_t> place_;  // by pattern: where it is among those found, -1 if nowhere
};

class LeafGains {
 public:
  void open(const LeafPatterns& others);

  // What a row of this pattern gains by each feature of the path, for a leaf of value 1 and summed
  // over the background; null if it gains nothing. Holds until the next call.
  const double* of(const std::uint64_t* pattern);

 private:
  void grow_weights(std::int64_t n_features);

  LeafTask task_{};
  std::int64_t stamp_ = 0;  // tells the leaves apart
  struct Memo {
    std::int64_t stamp = 0;
    std::int64_t place = 0;  // of the gains; -1: there are none
  };
  std::vector<Memo> memo_;  // by pattern, of leaves with few features
  std::vector<double> gains_;
  std::vector<double> weights_;
};

}  // namespace gramian::tree
