// HDBSCAN's clusters: the tree of single linkage without the splits in which a part is too small to
// be a cluster, and those of its clusters that last longest as the distance falls.
//
// Density is lambda = 1 / distance. A cluster is born at the lambda at which it parts from its
// sibling, and its rows leave it one after the other; its stability is the sum over its rows of the
// lambda at which they leave less the one at which it was born (Campello, Moulavi, Sander 2013).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::linkage {

// Clusters are numbered from 0, the root, parents before their children. Row i leaves cluster
// cluster_of[i] at lambda_of[i].
struct CondensedTree {
  std::vector<std::int64_t> parents;  // of the root -1
  std::vector<std::int64_t> sizes;
  std::vector<double> births, deaths, stabilities;  // deaths: the largest lambda of rows and parts
  std::vector<std::int64_t> cluster_of;
  std::vector<double> lambda_of;

  std::int64_t n_clusters() const { return static_cast<std::int64_t>(parents.size()); }
};

CondensedTree condense_tree(MatrixView<const std::int64_t> children,
                            std::span<const double> heights, std::int64_t min_size,
                            const Context& ctx);

struct Selection {
  bool takes_leaves = false;  // rather than the most stable clusters
  bool allows_root = false;
  double epsilon = 0.0;        // clusters that part below this distance are joined again
  std::int64_t max_size = -1;  // of the most stable clusters; -1: any
};

// The chosen clusters, ascending.
std::vector<std::int64_t> select_clusters(const CondensedTree& tree, const Selection& rule);

// Labels of the rows by the chosen clusters, -1 for noise, and how long each stays in its cluster.
void label_rows(const CondensedTree& tree, std::span<const std::int64_t> chosen,
                const Selection& rule, std::span<std::int64_t> labels,
                std::span<double> probabilities);

}  // namespace gramian::linkage
