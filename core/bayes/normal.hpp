// Classes, or components of a mixture, with a normal distribution of full covariance.
#pragma once

#include <cstdint>
#include <span>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "base/views.hpp"
#include "bayes/posterior.hpp"
#include "bayes/triangular_kernel.hpp"

namespace gramian::bayes {

// log P(c, x) = constant_c - |F_c (x - mean_c)|^2 / 2 with lower triangular F_c. The distance from
// the mean is taken first, so that nothing cancels behind it.
class NormalClasses {
 public:
  // `mean` is k x p; `factor` holds k matrices of p x p, C order; what stands above their diagonals
  // is not read.
  NormalClasses(MatrixView<const double> mean, std::span<const double> factor,
                std::span<const double> constant);

  std::int64_t k() const { return mean_.n_rows; }
  std::int64_t p() const { return mean_.n_cols; }
  const double* mean(std::int64_t c) const { return &mean_(c, 0); }
  const double* packed(std::int64_t c) const {
    return packed_.data() + c * packed_factor_size(p());
  }
  double constant(std::int64_t c) const { return constant_[static_cast<std::size_t>(c)]; }

 private:
  MatrixView<const double> mean_;
  std::span<const double> constant_;
  Buffer<double> packed_;
};

// Writes the entries of a JointBlock for at most JointBlock::kMostRows rows; whether all squares
// were finite. Both scratch arrays have room for JointBlock::kMostRows x p numbers.
template <class T>
bool normal_joint(const DenseRows<T>& rows, const NormalClasses& classes, double* block,
                  double* centred, double* joint);

// Answers what is asked about every row in one pass over X; the bits of an answer depend on that
// row alone. Returns whether all squares were finite: if not, X may hold NaN or infinity.
template <class T>
bool normal_answers(MatrixView<const T> X, const NormalClasses& classes, const Asked<T>& asked,
                    const Context& ctx);

}  // namespace gramian::bayes
