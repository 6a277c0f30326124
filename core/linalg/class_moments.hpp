// Moments of the rows of each class, in one pass over dense rows of any layout.
//
// With rows x_i of class y_i and weights w_i:
//   weight_k = sum_{y_i = k} w_i,  mean_k = sum w_i x_i / weight_k,
//   scatter_k = sum w_i (x_i - mean_k)^2, column by column.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/row_blocks.hpp"
#include "base/views.hpp"

namespace gramian::linalg {

// Where the moments go: n_classes, and n_classes x n_features in C order.
struct ClassMomentsOut {
  std::span<double> weight;
  MatrixView<double> mean;
  MatrixView<double> scatter;
};

// An empty `weight` means one for every row; a row of weight 0 is as good as absent. Sums are taken
// about the mean of a class's first rows, so that columns far from zero keep their digits. The mean
// of a class without rows is 0. What is not finite in X or too large for squares leaves NaN or
// infinity in the scatter.
template <class T>
void class_moments(MatrixView<const T> X, std::span<const std::int64_t> codes,
                   std::span<const double> weight, const ClassMomentsOut& out, const Context& ctx);

// Of rows in blocks: the bits of the same rows in one matrix.
void class_moments(const RowBlocks& X, std::span<const std::int64_t> codes,
                   std::span<const double> weight, const ClassMomentsOut& out, const Context& ctx);

// What it asks of a block whose rows are elsewhere; nothing for others' questions.
std::optional<std::vector<double>> class_sums_of(const RowSum& asked, const AnyDense& rows,
                                                 const Context& ctx);

// sum_k = sum_{y_i = k} w_i x_i (n_classes x n_features, C order), and the weights.
template <class T>
void class_sums(MatrixView<const T> X, std::span<const std::int64_t> codes,
                std::span<const double> weight, std::span<double> class_weight,
                MatrixView<double> sum, const Context& ctx);
// Of rows in blocks: the bits of the same rows in one matrix.
void class_sums(const RowBlocks& X, std::span<const std::int64_t> codes,
                std::span<const double> weight, std::span<double> class_weight,
                MatrixView<double> sum, const Context& ctx);
// The same of sparse rows. Classes are the tasks: the sums of one stay in a cache.
template <class T, class Index>
void class_sums(const CsrView<T, Index>& X, std::span<const std::int64_t> codes,
                std::span<const double> weight, std::span<double> class_weight,
                MatrixView<double> sum, const Context& ctx);

}  // namespace gramian::linalg
