// The tree of clustering features of BIRCH (Zhang, Ramakrishnan & Livny 1996).
//
// A feature stands for rows: how many they are, their mean, and the sum of their squared distances
// from it. BIRCH's own features hold the sums of the rows and of their squares, whose difference
// cancels where rows are far from the origin; these three are merged without any such loss
// (Lang & Schubert 2020, "BETULA").
//
// A row goes down to the leaf whose features are nearest, and joins the nearest one there if the
// root mean squared distance of its rows from their mean stays within the threshold; else it begins
// a feature. A node of too many features is parted in two, about the two that are farthest apart.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::cluster {

struct CfRule {
  double threshold;
  std::int64_t branching_factor;  // the most features of a node, at least 2
};

// A tree as plain arrays: node 0 is the first leaf, features stand node by node.
struct CfArrays {
  std::int64_t root = 0;
  std::vector<std::int64_t> n_entries;  // of each node
  std::vector<std::int64_t> next_leaf;  // of each node; -1 behind the last leaf, and for others
  std::vector<std::int64_t> counts;     // of each feature
  std::vector<std::int64_t> children;   // -1 in a leaf
  std::vector<double> scatters;         // sums of squared distances from the mean
  std::vector<double> means;            // n_features numbers for each feature
};

class CfTree {
 public:
  CfTree(std::int64_t n_features, const CfRule& rule);
  // Throws InvalidArgument unless the arrays are those of a tree.
  CfTree(std::int64_t n_features, const CfRule& rule, const CfArrays& arrays);

  template <class View>
  void insert(const View& X, const Context& ctx);
  CfArrays arrays() const;

 private:
  struct Feature {
    double count = 0.0, scatter = 0.0;
    std::vector<double> mean{};
  };
  struct Step {
    std::int64_t node, entry;
  };

  std::int64_t add_node(bool is_leaf);
  double* means_of(std::int64_t node) { return means_.data() + node * stride_ * n_features_; }
  const double* means_of(std::int64_t node) const {
    return means_.data() + node * stride_ * n_features_;
  }
  void distances_from(const double* x, std::int64_t node, std::vector<double>& out) const;
  void read_mean(std::int64_t node, std::int64_t entry, double* out) const;
  void set_feature(std::int64_t node, std::int64_t entry, const Feature& feature,
                   std::int64_t child);
  void append(std::int64_t node, const Feature& feature, std::int64_t child);
  void add_row(std::int64_t node, std::int64_t entry, double squared);
  void insert_row();
  bool join_leaf(std::int64_t leaf);
  void split_up(std::int64_t level);
  std::int64_t split(std::int64_t node, Feature& first, Feature& second);
  void take_in(Feature& sum, std::int64_t node, std::int64_t entry) const;

  std::int64_t n_features_;
  CfRule rule_;
  std::int64_t stride_;
  std::int64_t root_ = 0;
  std::vector<std::int64_t> n_entries_, next_leaf_;
  std::vector<std::uint8_t> is_leaf_;
  // stride_ places for each node; feature k of entry e of a node's means at [k * stride_ + e]
  std::vector<double> counts_, scatters_, means_;
  std::vector<std::int64_t> children_;
  // of the row on its way
  std::vector<double> x_, distances_;
  std::vector<Step> path_;
  std::vector<double> path_squared_;
};

}  // namespace gramian::cluster
