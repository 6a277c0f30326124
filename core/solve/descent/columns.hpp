// The columns of a centred, weighted design, as coordinate descent asks for them.
//
// With rows x_i, means m and M, weights w_i (or one):  x~_i = x_i - m,  y~_i = y_i - M, and
//   <x_j, r> = sum_i w_i x~_ij r_i.
// Implementations: a dense matrix of either layout, compressed sparse columns, and a Gram matrix.
// Arrays over columns and targets are target-major: entry (j, c) stands at [c * p + j].
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::solve {

// Coefficients that are not zero: values(k, c) of column cols[k] stands at [c * cols.size() + k].
struct ActiveCoef {
  std::vector<std::int64_t> cols;
  std::vector<double> values;

  std::int64_t size() const { return static_cast<std::int64_t>(cols.size()); }
};

// A few columns beside the residuals of all targets, for descent in residual space.
class ResidualSpace {
 public:
  virtual ~ResidualSpace() = default;
  virtual double dot(std::int64_t k, std::int64_t target) const = 0;         // <x_k, r_c>
  virtual void subtract(std::int64_t k, std::int64_t target, double d) = 0;  // r_c -= d x_k
  virtual double squared_norm() const = 0;                                   // sum_c <r_c, r_c>
  // All that `subtract` changes: affine combinations of it are those of the residuals.
  virtual std::span<double> state() = 0;
};

// What one pass over the data at zero coefficients tells.
struct ColumnSums {
  std::vector<double> squares;  // p: <x_j, x_j>, zero for columns constant up to rounding
  std::vector<double> cross;    // t x p: <x_j, y_c>
  double yy = 0.0;              // sum_c <y_c, y_c>
};

class Columns {
 public:
  virtual ~Columns() = default;
  virtual std::int64_t n_rows() const = 0;
  virtual std::int64_t n_features() const = 0;
  virtual std::int64_t n_targets() const = 0;
  virtual ColumnSums sums(const Context& ctx) const = 0;

  // slope(j, c) = <x_j, r_c> for r = y - X coef; returns sum_c <r_c, r_c>. Columns with a mark in
  // `skipped` are left as they are if can_skip().
  virtual double slopes(const ActiveCoef& coef, std::span<const char> skipped, double* slope,
                        const Context& ctx) const = 0;

  // Whether leaving out columns makes a pass cheaper.
  virtual bool can_skip() const = 0;

  // gram(k, l) = gram(l, k) = <x_k, x_l> for every column k of `cols` and l = first, first + 1 ...;
  // rows are ld apart.
  virtual void extend_gram(std::span<const std::int64_t> cols, std::int64_t first, double* gram,
                           std::int64_t ld, const Context& ctx) const = 0;

  // Largest working set for which a Gram matrix is worth its memory and time.
  virtual std::int64_t max_gram_size() const = 0;

  virtual std::unique_ptr<ResidualSpace> residual_space(std::span<const std::int64_t> cols,
                                                        const ActiveCoef& coef,
                                                        const Context& ctx) const = 0;
};

struct Targets {
  MatrixView<const double> Y;      // n x t
  std::span<const double> weight;  // empty means one for every row
  std::span<const double> mean_x;  // p; zeros where the columns are not centred
  std::span<const double> mean_y;  // t
};

// A dense X has contiguous rows or contiguous columns; a sparse one is given by its transpose in
// compressed rows, that is in compressed columns.
std::unique_ptr<Columns> columns_of(const AnyMatrix& X, const Targets& targets);

// What it chooses from.
template <class T>
std::unique_ptr<Columns> dense_columns(MatrixView<const T> X, const Targets& targets);
template <class T, class Index>
std::unique_ptr<Columns> sparse_columns(CsrView<T, Index> Xt, const Targets& targets);

// Moments instead of data: gram (p x p, C order), cross (p x t) and yy = sum_c <y_c, y_c>.
std::unique_ptr<Columns> gram_columns(MatrixView<const double> gram, MatrixView<const double> cross,
                                      double yy, std::int64_t n_rows);

// A column whose centred square is no more than rounding of its mean is constant.
double square_or_zero(double square, double mean, double weight);

}  // namespace gramian::solve
