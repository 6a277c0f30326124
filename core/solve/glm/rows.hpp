// Passes over the rows of a design that serve every loss: scores of a block of rows, whatever the
// loss makes of them, and the sums of the columns times that, in one read of the data.
//
// Parameters are one vector of p + 1 entries after the other for each of t outputs, the
// coefficients and then the constant:  z_ic = b_c + sum_j (x_ij - a_j) v_cj.  The shift a is zero
// for sparse rows. Any number of threads gives the same bits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/row_blocks.hpp"
#include "base/views.hpp"
#include "linalg/moments.hpp"

namespace gramian::solve {

// Scores of the rows begin .. end, `ld` apart; ld is 1 for one output, else a multiple of 8.
struct ScoreBlock {
  std::int64_t begin;
  std::int64_t end;
  double* z;
  std::int64_t ld;
  double* values;  // one number for each output, to add to
};

// Replaces the scores r_ic by what is to be multiplied with the columns; returns a number to sum.
using OnBlock = std::function<double(const ScoreBlock&)>;

struct PassSums {
  double value = 0.0;            // the sum of what OnBlock returned
  std::vector<double> products;  // t x (p + 1): sum_i (x_ij - a_j) r_ic, then sum_i r_ic
  std::vector<double> values;    // t: what OnBlock added for each output
};

class Rows {
 public:
  virtual ~Rows() = default;
  virtual std::int64_t n_rows() const = 0;
  virtual std::int64_t n_features() const = 0;
  virtual std::span<const double> shift() const = 0;
  virtual PassSums pass(std::span<const double> params, std::int64_t n_outputs,
                        const OnBlock& on_block, const Context& ctx) const = 0;
  // Moments about the shift with the weights d: the Hessian of one output.
  virtual linalg::Moments moments(std::span<const double> d, const Context& ctx) const = 0;
  // The same with several weights: weights(k, begin, end, d) writes the k-th of the rows begin ..
  // end. One after the other, or in one pass where a pass is dear.
  using RowWeights =
      std::function<void(std::int64_t k, std::int64_t begin, std::int64_t end, double* d)>;
  virtual std::vector<linalg::Moments> moments_of(std::int64_t count, const RowWeights& weights,
                                                  const Context& ctx) const {
    std::vector<linalg::Moments> out;
    std::vector<double> d(static_cast<std::size_t>(n_rows()));
    for (std::int64_t k = 0; k < count; ++k) {
      weights(k, 0, n_rows(), d.data());
      out.push_back(moments(d, ctx));
    }
    return out;
  }
  // sum_i d_i (x_ij - a_j)^2 for every column.
  virtual std::vector<double> squares(std::span<const double> d, const Context& ctx) const = 0;
  // Every stride-th row; refers to the data of this object.
  virtual std::unique_ptr<Rows> sample(std::int64_t stride) const = 0;
  // These columns of every row, copied.
  virtual std::unique_ptr<Rows> columns(std::span<const std::int64_t> kept,
                                        const Context& ctx) const = 0;
  // The rows themselves, if they are elsewhere: a pass would bring them here.
  virtual const RowBlocks* elsewhere() const { return nullptr; }
  // What one pass costs, in nanoseconds on one core; for the choice of the method.
  virtual double pass_ns(std::int64_t n_outputs) const = 0;
  virtual double moments_ns() const = 0;
};

// With `centred`, the shift of dense rows is a guess of the weighted column means (empty: one for
// each row): large means then cost no digits. That of sparse rows is zero.
std::unique_ptr<Rows> rows_for_passes(const AnyMatrix& X, std::span<const double> weight = {},
                                      bool centred = false);

// What it chooses from.
template <class T>
std::unique_ptr<Rows> dense_rows(MatrixView<const T> X, std::span<const double> weight,
                                 bool centred);
template <class T, class Index>
std::unique_ptr<Rows> csr_rows(CsrView<T, Index> X);

}  // namespace gramian::solve
