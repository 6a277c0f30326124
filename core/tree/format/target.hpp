// What a tree is grown for: the target, the rows of one tree and the limits of its growth.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace gramian::tree {

enum class CriterionKind {
  gini,
  entropy,
  misclassification,
  squared_error,
  poisson,
  absolute_error,
};

// n rows x n_outputs, row after row. Either labels (classification) or values (regression).
struct Target {
  std::span<const std::int32_t> labels;
  std::span<const double> values;
  std::span<const std::int32_t> n_classes;  // of each output; empty for regression
  std::int64_t n_rows = 0;
  std::int64_t n_outputs = 1;

  bool is_classification() const { return !n_classes.empty(); }

  // Entries of a leaf's value: the classes of all outputs side by side, or the outputs.
  std::int64_t width() const {
    if (!is_classification()) return n_outputs;
    std::int64_t sum = 0;
    for (const std::int32_t k : n_classes) sum += k;
    return sum;
  }
};

// The rows that a tree sees, each once, and their weights.
struct Sample {
  std::vector<std::uint32_t> rows;
  std::span<const double> weight;  // by row number, positive for all of `rows`; empty: all one
  double total_weight = 0.0;
  std::vector<double> own_weight;  // what `weight` shows, if it belongs to this sample

  bool has_whole_weights() const {
    return weight.empty() || std::all_of(rows.begin(), rows.end(), [&](std::uint32_t row) {
             return weight[row] == std::floor(weight[row]);
           });
  }
};

struct Limits {
  std::int64_t max_depth = std::numeric_limits<std::int64_t>::max();
  std::int64_t min_samples_split = 2;
  std::int64_t min_samples_leaf = 1;
  double min_weight_leaf = 0.0;
  std::int64_t max_leaf_nodes = 0;  // 0: no limit, else leaves are split in the order of their gain
  double min_impurity_decrease = 0.0;
  std::int64_t max_features = 0;  // columns looked at in a node
};

struct Options {
  CriterionKind criterion = CriterionKind::gini;
  bool random_splits = false;  // extra-trees: one random cut for each column
  Limits limits;
  std::span<const std::int8_t> monotone;  // by column: 1 rising, -1 falling, 0 free; may be empty
  bool keeps_nodes = false;               // values and impurities of inner nodes are kept, too
  // Of equal splits a column drawn at random wins, otherwise the first: the trees of an ensemble
  // share what columns that say the same explain.
  bool random_ties = false;
};

}  // namespace gramian::tree
