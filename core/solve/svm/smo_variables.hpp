// The variables of sequential minimal optimisation: which violate optimality, which to solve for
// next, and which may be left out.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "kernel/source.hpp"
#include "solve/svm/smo.hpp"
#include "solve/svm/smo_kernel.hpp"

namespace gramian::solve {

// By group (all variables, or those of sign 1 and of sign -1): min f over I_up, max f over I_low.
struct Violation {
  double least_up[2];
  double most_low[2];
  double gap;
};

// The kernel rows of a working set, each once, and the place of each variable's row among them.
struct WorkingRows {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> place;
};

struct SmoVariables {
  std::int64_t n_rows;
  std::int64_t copies;
  bool by_sign;
  std::vector<double> sign;
  std::vector<double> upper;
  std::vector<double> alpha;
  std::vector<double> f;

  SmoVariables(const SmoProblem& problem, std::int64_t n_kernel_rows);

  bool may_rise(std::size_t v) const {
    return sign[v] > 0.0 ? alpha[v] < upper[v] : alpha[v] > 0.0;
  }
  bool may_fall(std::size_t v) const {
    return sign[v] > 0.0 ? alpha[v] > 0.0 : alpha[v] < upper[v];
  }
  std::size_t group(std::size_t v) const { return by_sign && sign[v] < 0.0 ? 1 : 0; }

  Violation violation() const;

  // Of each kernel row: the sum of sign * alpha.
  std::vector<double> row_coefficients() const;

  // f = sums of the kernel + sign * linear
  void set_f(std::span<const double> sums, const SmoProblem& problem);

  // Rows of which some variable is free, or may yet be: not strictly optimal at its bound.
  std::vector<std::int64_t> kept(const Violation& violation) const;
  SmoVariables subset(std::span<const std::int64_t> kept) const;
  // Writes alpha to the variables of a larger set, of which these are the rows `rows`.
  void scatter_alpha(std::span<const std::int64_t> rows, SmoVariables& all) const;

  // Up to `size` variables: the newer half of the last set, and those that violate most, taken in
  // turn from both ends.
  std::vector<std::int64_t> working_set(std::span<const std::int64_t> last,
                                        std::int64_t size) const;
  WorkingRows rows_of(std::span<const std::int64_t> working) const;

  // The mean f of the free variables, or the middle of what the others allow; of both signs' values
  // half the sum, and half the difference into `margin`.
  double rho(double& margin) const;
};

// Copies of a working set's variables and of their kernel matrix, for the inner level.
template <class T>
class LocalVariables {
 public:
  LocalVariables(const SmoVariables& from, std::span<const std::int64_t> working,
                 const WorkingRows& used, std::span<const T* const> kernels);

  LocalProblem<T> problem;

  // Writes alpha back; returns the change of each kernel row's coefficient.
  std::vector<double> take(SmoVariables& to, std::span<const std::int64_t> working,
                           const WorkingRows& used) const;

 private:
  static constexpr std::int64_t kArrays = 9;
  Buffer<T> gram_;
  Buffer<double> arrays_;
};

}  // namespace gramian::solve
