// Shapley values of one row against 64 background rows at once, in one tree.
//
// The features that a coalition does not know come from a background row b. A leaf is reached by
// some coalition if, for each feature on its path, row x or row b goes the leaf's way at all splits
// on it. With u features on which only x does, and v on which only b does, each of the former gains
// value * (u - 1)! v! / (u + v)!, each of the latter loses value * u! (v - 1)! / (u + v)!.
//
// The background rows are the bits of a word. v is the same for all of them, so they are kept apart
// by u only, and counted at the leaves. Branches that no pair of rows reaches are cut.
#pragma once

#include <cstdint>
#include <vector>

#include "base/views.hpp"
#include "tree/trees.hpp"

namespace gramian::tree {

// A tree made ready. A child is the number of a split, or ~leaf.
struct PairTree {
  struct Split {
    std::int32_t feature;
    std::int32_t left;
    std::int32_t right;
  };

  std::vector<Split> splits;
  std::vector<double> values;  // leaves x outputs
  std::int64_t n_outputs = 0;
  std::int64_t first_split = 0;     // among the splits of all trees
  std::vector<std::uint64_t> left;  // words x splits: background rows that go left
};

// `outputs` has what each leaf of all trees gives; `scale` multiplies it. `left` is left empty.
PairTree make_pair_tree(const TreesView& trees, std::int64_t number,
                        MatrixView<const double> outputs, double scale);

class PairWalk {
 public:
  explicit PairWalk(std::int64_t n_features);

  // The bits of `rows` are the background rows of `word`; bit `x` of x_left[split] tells whether
  // the row goes left. phi[feature * stride + output] is added to.
  void run(const PairTree& tree, std::int64_t word, std::uint64_t rows, const std::uint64_t* x_left,
           int x, double* phi, std::int64_t stride);

 private:
  // A feature on the path.
  struct Known {
    std::int32_t feature;
    bool is_off;           // x has left the path on it
    std::uint64_t failed;  // background rows that have
  };
  // A child to go to, or a feature of the path to put back as it was before.
  struct Task {
    enum class Kind : std::uint8_t { go, restore, forget } kind;
    bool is_off;         // go: x goes to the sibling
    std::int32_t child;  // go: split or ~leaf; restore: position in known_
    std::int32_t level;  // go: of the parent
    std::int32_t n_off;  // go: v at the parent
    Known known;         // go: feature, background rows that go to the sibling; restore: before
  };

  void open(std::int32_t split, std::int32_t level, std::int32_t n_off);
  void go(const Task& task);
  void gain_at(std::int32_t leaf, const std::vector<std::uint64_t>& sets, std::int32_t n_off);
  double weight(std::size_t u, std::size_t v);

  std::vector<std::int32_t> position_;  // by feature: in known_, or -1
  std::vector<Known> known_;
  std::vector<Task> tasks_;
  std::vector<std::vector<std::uint64_t>> levels_;  // by depth: background rows by u
  std::vector<std::vector<double>> weights_;        // u! v! / (u + v + 1)!

  const PairTree* tree_ = nullptr;
  const std::uint64_t* b_left_ = nullptr;
  const std::uint64_t* x_left_ = nullptr;
  int x_ = 0;
  double* phi_ = nullptr;
  std::int64_t stride_ = 0;
};

}  // namespace gramian::tree
