// Mutual information (in nats) estimated from distances to nearest neighbours. Estimates may be
// negative. Both functions look at several pairs of variables, spread over threads; rows of the
// matrices are variables.
//
// psi is the digamma function at 0, 1, ..., n (the entry at 0 is not used).
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::metrics {

// out[j] = information between the continuous row j of x and the continuous y, by Kraskov,
// Stoegbauer and Grassberger (2004), estimator 1: with n_x (n_y) rows strictly closer in x (in y)
// than the k-th neighbour in the plane, by the larger of both distances,
//   psi(n) + psi(k) - <psi(n_x + 1)> - <psi(n_y + 1)>.
// Needs 1 <= k < n.
void continuous_information(MatrixView<const double> x, std::span<const double> y, std::int64_t k,
                            std::span<const double> psi, std::span<double> out, const Context& ctx);

// out[j] = information between the continuous row j of x and the discrete row j of codes (0 ..
// n_classes - 1; a matrix of one row stands for as many as needed), by Ross (2014): with N_i rows
// in the class of row i, k_i = min(k, N_i - 1), and m_i rows closer than the k_i-th neighbour of
// its own class,
//   psi(n) + <psi(k_i)> - <psi(N_i)> - <psi(m_i)>.
// Classes of one row are left out; NaN if there are no others.
void class_information(MatrixView<const double> x, MatrixView<const std::int64_t> codes,
                       std::int64_t n_classes, std::int64_t k, std::span<const double> psi,
                       std::span<double> out, const Context& ctx);

}  // namespace gramian::metrics
