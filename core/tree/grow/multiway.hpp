// Growing a tree with a branch for every level of a category, by information gain (ID3, C4.5).
//
// All nodes of a depth are treated together. Of a category a node counts the classes of each level;
// a number is cut in two at the threshold with the largest gain. Gains that differ by less than
// 1e-12 bits are equal, and the first column wins.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "tree/columns/columns.hpp"
#include "tree/format/target.hpp"

namespace gramian::tree {

struct MultiwayTask {
  Features X;                              // compared in its own precision
  std::span<const std::int32_t> n_levels;  // 0: numbers
  Target target;                           // classes of one output
  std::span<const double> weight;          // positive; empty: all one
  bool use_ratio;                          // of the gain to the entropy of the split itself
  Limits limits;                           // max_depth and min_samples_split
  double min_gain;                         // bits
};

// One entry for each node, depth by depth; siblings are side by side, their branches ascending.
struct MultiwayNodes {
  std::vector<std::int64_t> parent;          // -1: the root
  std::vector<std::int64_t> branch;          // a level, -1 if missing; a number's side, 1 above
  std::vector<std::int64_t> feature;         // -1: a leaf
  std::vector<double> threshold;             // NaN but for splits of numbers
  std::vector<std::int64_t> missing_branch;  // of splits of numbers; -1: none was missing
  std::vector<double> counts;                // node after node: the weight of each class
  std::vector<std::int64_t> n_node_samples;
};

MultiwayNodes grow_multiway(const MultiwayTask& task, const Context& ctx);

}  // namespace gramian::tree
