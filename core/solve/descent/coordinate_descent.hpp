// Least squares with an L1 penalty, an L2 penalty, or both, by coordinate descent on working sets:
//   minimise over V  1/2 sum_c <r_c, r_c> + l1 sum_j |v_j| + l2/2 sum_j |v_j|^2,  r = y - X V,
// with |v_j| the norm of row j over the targets (penalty.hpp), for a sequence of penalties, each
// started from the solution before.
//
// Around the working set, a pass over all columns measures the duality gap, discards columns that
// the gap proves to be zero (Ndiaye et al., "Gap safe screening rules", 2017), and adds those
// nearest to leaving zero (Massias, Gramfort and Salmon, "Celer", 2018). Memory: the working set's
// Gram matrix and some vectors over the columns; the data are not copied.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"
#include "solve/descent/columns.hpp"
#include "solve/descent/penalty.hpp"

namespace gramian::solve {

struct DescentOptions {
  double tol;             // the gap is to be at most tol min(|y|^2, P / 100)
  std::int64_t max_iter;  // epochs for each penalty
  bool is_positive;
  bool random_order;    // visit the columns in random order
  bool round_to_float;  // the caller keeps the coefficients in single precision
  bool is_path;         // the gap is to be at most tol min(|y|^2, P)
};

// What was reached with one penalty, measured at the returned coefficients.
struct DescentResult {
  double primal;
  double gap;
  std::int64_t n_iter;
};

// `coef` holds the coefficients for penalty k (t x p) from coef + k t p on; the first block holds
// the starting point.
void coordinate_descent(const Columns& columns, std::span<const Penalty> penalties,
                        const DescentOptions& options, double* coef, DescentResult* results,
                        const Context& ctx);

}  // namespace gramian::solve
