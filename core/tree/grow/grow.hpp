// Growing trees: one for each seed, all on the same columns and target.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "tree/columns/columns.hpp"
#include "tree/format/grown_tree.hpp"
#include "tree/format/target.hpp"

namespace gramian::tree {

// One tree to grow. The search takes the sample's rows for its own.
struct TreeTask {
  const Columns& columns;
  const Target& target;
  const Options& options;
  Sample sample;
  std::uint64_t seed;
  const Context& ctx;
  // Unless null, receives the rows of the sample, those of the first leaf first.
  std::vector<std::uint32_t>* rows_by_leaf = nullptr;
};

// Appends the tree.
void grow_tree(TreeTask task, GrownTrees& out);

// Which rows each tree sees, and with which weights.
struct Sampling {
  std::span<const std::uint64_t> seeds;  // one for each tree
  std::span<const double> weight;        // by row; empty: all one; rows of weight 0 are left out
  std::int64_t n_draws = 0;              // rows drawn with replacement; 0: every row once
  std::span<const double> tree_weight;   // n_trees x n_rows: given counts, in place of drawing
};

// How often each row is drawn by a tree's bootstrap.
void draw_bootstrap(std::uint64_t seed, std::int64_t n_draws, std::span<std::uint32_t> counts);

// The form of the columns that grow_trees() works with fastest, within a bound on memory.
Columns::Form form_for(const Options& options, std::int64_t n_rows, std::int64_t n_features,
                       std::int64_t n_trees, int n_threads);

GrownTrees grow_trees(const Columns& columns, const Target& target, const Options& options,
                      const Sampling& sampling, const Context& ctx);

}  // namespace gramian::tree
