// One step of expectation and maximisation in one pass over the rows: what each component has of
// every row is found in blocks that stay in a cache, added to the sums of the next parameters, and
// forgotten.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"
#include "mixture/components.hpp"

namespace gramian::mixture {

// With r_ic the part of component c in row i, w_i the weight of the row, and d = x_i - mean_c:
//   weight_c = sum w r,  sum_c = sum w r d,
//   scatter_c = sum w r d d' (full: p x p, both halves), sum w r d^2 (diagonal), nothing (tied).
struct StepSums {
  std::span<double> weight;
  MatrixView<double> sum;
  std::span<double> scatter;
};

struct StepFigures {
  double likelihood = 0.0;  // sum w log p(x)
  double entropy = 0.0;     // sum w r log r
  bool is_finite = true;
};

// The bits depend on the rows and the components only. Parts below 2^-100 count as zero.
template <class T>
StepFigures step(MatrixView<const T> X, std::span<const double> weight,
                 const Components& components, const StepSums& out, const Context& ctx);

// The same sums for given parts (n x k), about mean_c.
template <class T>
void sum_parts(MatrixView<const T> X, std::span<const double> weight,
               MatrixView<const double> parts, const Components& components, const StepSums& out,
               const Context& ctx);

// log p(x) of every row.
template <class T>
bool evidence(MatrixView<const T> X, const Components& components, std::span<double> out,
              const Context& ctx);

// What classes are to bayes::answer_rows.
template <class T>
bool answers(MatrixView<const T> X, const Components& components, const bayes::Asked<double>& asked,
             const Context& ctx);

}  // namespace gramian::mixture
