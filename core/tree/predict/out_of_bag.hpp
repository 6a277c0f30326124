// Predictions of each row by the trees that have not seen it, and their error as trees are added.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"
#include "tree/format/target.hpp"
#include "tree/predict/predict.hpp"

namespace gramian::tree {

// What is known of n rows so far.
struct OutOfBag {
  MatrixView<double> sums;          // n x width: of the trees that have not seen a row
  MatrixView<double> squares;       // n x width: of their distances from the target; regression
  std::span<std::int64_t> n_trees;  // how many they are
  std::span<double> losses;         // of their mean: share of wrong classes, or squared error
};

// Over all rows, after each tree.
struct LossCurve {
  std::span<double> loss_sums;       // is added to
  std::span<std::int64_t> n_scored;  // rows that some tree has not seen; is added to
};

// Adds the trees, one after the other, to the rows that each has not seen: is_out(tree, row) != 0.
// `is_hard`: trees of classification vote for one class. The arrays must have these shapes.
void add_out_of_bag(const Predictor& trees, const AnyDense& X, const Target& target, bool is_hard,
                    MatrixView<const std::uint8_t> is_out, const OutOfBag& rows,
                    const LossCurve& curve, const Context& ctx);

}  // namespace gramian::tree
