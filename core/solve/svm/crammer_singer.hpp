// The linear machine for several classes at once of Crammer and Singer (2001):
//   minimise over v_1 .. v_K  sum_k |v_k|^2 / 2 + sum_i c_i max_k (z_ik + [k != y_i] - z_iy),
// z_ik = v_k' (x_i, s): the score of a row's own class should exceed all others by one. The
// intercepts are s times the coefficient of a column of s, penalised as the others.
//
// With u_ik, v_k = sum_i u_ik (x_i, s), the dual is to
//   minimise  sum_k |v_k|^2 / 2 + sum_i sum_{k != y_i} u_ik
//   over  u_ik <= c_i [k = y_i]  with  sum_k u_ik = 0.
// One step minimises over the u of one row, in O(K entries of the row + K log K), as proposed by
// Keerthi, Sundararajan, Chang, Hsieh and Lin (2008); rows come in a random order.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"
#include "solve/svm/linear_svm.hpp"

namespace gramian::solve {

struct CrammerSingerProblem {
  std::int64_t n_classes = 2;
  double intercept_scaling = 1.0;  // s; zero without an intercept
  std::span<const double> y;       // the positions of classes
  std::span<const double> cost;    // c_i >= 0
};

// `params` (K x (p + 1), the intercept last) receives the solution. The options' side is not used.
LinearSvmFit fit_crammer_singer(const AnyMatrix& X, const CrammerSingerProblem& problem,
                                const LinearSvmOptions& options, std::span<double> params,
                                const Context& ctx);

}  // namespace gramian::solve
