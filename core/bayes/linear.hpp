// Classes whose joint log-probability is linear in the row: those of counts and of events.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"
#include "bayes/posterior.hpp"

namespace gramian::bayes {

// log P(c, x) = constant_c + sum_j coef(c, j) x_j; coef is n_classes x n_features in C order, and
// for sparse rows also, sooner, by columns. The bits of an answer depend on that row alone, and are
// the same for sparse rows in the order of the columns as for dense ones.
template <class T>
void linear_answers(MatrixView<const T> X, MatrixView<const double> coef,
                    std::span<const double> constant, const Asked<double>& asked,
                    const Context& ctx);
template <class T, class Index>
void linear_answers(const CsrView<T, Index>& X, MatrixView<const double> coef,
                    std::span<const double> constant, const Asked<double>& asked,
                    const Context& ctx);

// What becomes of the counts of each column: base_j + sign count + added_j, with sign 1 or -1.
struct Smoothing {
  std::span<const double> base, added;
  double sign;
};

// out(c, j) = sign log((base_j + sign counts(c, j) + added_j) / total_c): counts in C order, out by
// columns.
void log_shares(MatrixView<const double> counts, const Smoothing& smoothing,
                std::span<const double> total, MatrixView<double> out, const Context& ctx);

// Of joint log-probabilities that are known.
void joint_answers(MatrixView<const double> joint, const Asked<double>& asked, const Context& ctx);

}  // namespace gramian::bayes
