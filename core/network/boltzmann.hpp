// A restricted Boltzmann machine of binary units: p visible ones v and k hidden ones h with
//   P(h_j = 1 | v) = s(c_j + sum_i v_i w_ij),  P(v_i = 1 | h) = s(a_i + sum_j w_ij h_j),
// s the logistic function. Fitted by persistent contrastive divergence (Tieleman, "Training
// restricted Boltzmann machines using approximations to the likelihood gradient", ICML 2008):
// chains of hidden states that outlast the batches stand for the model's own distribution.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"
#include "network/rows.hpp"

namespace gramian::network {

// Row i of the weights belongs to visible unit i. Rows are `width` apart, a whole number of cache
// lines; what is beyond n_hidden is zero.
template <class T>
struct Machine {
  T* weights;
  T* hidden_bias;  // width
  T* visible_bias;
  std::int64_t n_visible;
  std::int64_t n_hidden;
  std::int64_t width;
};

// Some steps of a fit, one for each batch of the rows. The draws are in [0, 1): for each batch
// first those of the visible units of all chains, then those of the hidden ones.
template <class T>
struct Contrast {
  Inputs<T> X;
  std::int64_t n_rows;
  std::int64_t batch_rows;
  double rate;           // of a step, before it is divided by the rows of the batch
  MatrixView<T> chains;  // n_chains x n_hidden, zeros and ones
  std::span<const double> draws;

  std::int64_t n_chains() const { return chains.n_rows; }
  std::int64_t n_batches() const { return (n_rows + batch_rows - 1) / batch_rows; }
};

template <class T>
void take_contrastive_steps(const Machine<T>& machine, const Contrast<T>& contrast,
                            const Context& ctx);

// Of each row of X, n_rows x n_hidden.
template <class T>
void hidden_probabilities(const Machine<T>& machine, const Inputs<T>& X, MatrixView<T> out,
                          const Context& ctx);

// n_visible log s(F(x') - F(x)) for each row, F the free energy and x' the row with the visible
// unit `flips[i]` turned over: a row of good fit has a neighbour of higher energy.
template <class T>
void pseudo_likelihood(const Machine<T>& machine, const Inputs<T>& X,
                       std::span<const std::int64_t> flips, std::span<double> out,
                       const Context& ctx);

}  // namespace gramian::network
