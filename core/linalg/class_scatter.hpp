// Scatter matrices within classes: sum_i w_i (x_i - m_c)(x_i - m_c)' about the means m_c of the
// classes, which a pass before has found: nothing cancels, however far apart the classes are.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/row_blocks.hpp"
#include "base/views.hpp"

namespace gramian::linalg {

// Rows, the numbers of their classes, their weights (none: one each), and a mean for each class
// (n_classes x n_features, C order).
template <class T>
struct ClassedRows {
  MatrixView<const T> X;
  std::span<const std::int64_t> codes;
  std::span<const double> weight;
  MatrixView<const double> mean;
};

// The sum over all classes: n_features x n_features, both halves.
template <class T>
void pooled_scatter(const ClassedRows<T>& rows, double* out, const Context& ctx);

// Of rows in blocks: the bits of the same rows in one matrix.
void pooled_scatter(const RowBlocks& X, std::span<const std::int64_t> codes,
                    std::span<const double> weight, MatrixView<const double> mean, double* out,
                    const Context& ctx);

// One matrix for each class, one after the other. Fewer than 2^31 rows.
template <class T>
void class_scatters(const ClassedRows<T>& rows, double* out, const Context& ctx);

}  // namespace gramian::linalg
