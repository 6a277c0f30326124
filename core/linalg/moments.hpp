// Second moments of a design: what a least-squares fit needs from the data, and the two passes over
// the rows that use its solution.
//
// With rows x_i, targets y_i and weights w_i, about shifts a (columns of X) and b (columns of Y):
//   gram = sum_i w_i (x_i - a)(x_i - a)',  cross = sum_i w_i (x_i - a)(y_i - b)',
//   sum_x = sum_i w_i (x_i - a),  sum_y = sum_i w_i (y_i - b),  yy_t = sum_i w_i (y_it - b_t)^2.
// A shift near the mean keeps the later centring free of cancellation.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::linalg {

// What the targets give alone: the sum of the weights, sum_y and yy.
struct TargetMoments {
  double weight = 0.0;
  std::vector<double> sum, squares;
};

// About the shift. O(n t).
TargetMoments target_moments(MatrixView<const double> Y, std::span<const double> shift,
                             std::span<const double> weight, const Context& ctx);

struct Moments {
  Moments(std::int64_t n_features, std::int64_t n_targets);

  void set_targets(TargetMoments&& targets);

  std::int64_t p;
  std::int64_t t;
  Buffer<double> gram;   // p x p, symmetric, both halves
  Buffer<double> cross;  // p x t, row-major
  std::vector<double> sum_x, sum_y, yy;
  double weight = 0.0;  // sum of the weights
};

// A point at which the gradient is taken: the map x -> b + coef' (x - a), coef p x t row-major.
struct AffineMap {
  std::span<const double> coef;
  std::span<const double> shift_x;
  std::span<const double> shift_y;
};

struct Gradient {
  std::vector<double> values;  // p x t, row-major: (X - a)' W R with R = Y - b - (X - a) coef
  std::vector<double> rss;     // t: sum_i w_i R_it^2
};

// What a solver asks of the data. Implementations: a dense matrix of any layout, and CSR.
class Design {
 public:
  virtual ~Design() = default;
  virtual std::int64_t n_rows() const = 0;
  virtual std::int64_t n_features() const = 0;
  virtual std::int64_t n_targets() const = 0;
  virtual Moments moments(std::span<const double> shift_x, std::span<const double> shift_y,
                          const Context& ctx) const = 0;
  // `residuals` (n x t, row-major) receives R unless it is null.
  virtual Gradient gradient(const AffineMap& at, double* residuals, const Context& ctx) const = 0;
  // Whether moments can be taken about any shift; if not, about zero only.
  virtual bool can_shift() const = 0;
  // Weighted squares of the columns about `mean`, free of cancellation; of designs that cannot
  // shift.
  virtual std::vector<double> squares_about(std::span<const double>, const Context&) const {
    return {};
  }
  // A cheap guess of the weighted column means, from the first hundred rows that have weight.
  virtual void guess_means(std::span<double> mean_x, std::span<double> mean_y) const = 0;
};

template <class T>
class DenseDesign final : public Design {
 public:
  // An empty `weight` means one for every row.
  DenseDesign(MatrixView<const T> X, MatrixView<const double> Y, std::span<const double> weight);

  std::int64_t n_rows() const override { return X_.n_rows; }
  std::int64_t n_features() const override { return X_.n_cols; }
  std::int64_t n_targets() const override { return Y_.n_cols; }
  bool can_shift() const override { return true; }
  Moments moments(std::span<const double> shift_x, std::span<const double> shift_y,
                  const Context& ctx) const override;
  Gradient gradient(const AffineMap& at, double* residuals, const Context& ctx) const override;
  void guess_means(std::span<double> mean_x, std::span<double> mean_y) const override;

 private:
  MatrixView<const T> X_;
  MatrixView<const double> Y_;
  std::span<const double> weight_;
  std::vector<double> root_weight_;
};

// Sums of the columns first .. last with all columns that a row stores no later.
struct GramRows {
  Buffer<double> gram;   // (last - first) x p
  Buffer<double> cross;  // (last - first) x (t + 1): targets, then ones
};

// A row may name its columns in any order, but none twice.
template <class T, class Index>
class CsrDesign final : public Design {
 public:
  CsrDesign(CsrView<T, Index> X, MatrixView<const double> Y, std::span<const double> weight)
      : X_(X), Y_(Y), weight_(weight) {}

  std::int64_t n_rows() const override { return X_.n_rows(); }
  std::int64_t n_features() const override { return X_.n_cols; }
  std::int64_t n_targets() const override { return Y_.n_cols; }
  bool can_shift() const override { return false; }
  std::vector<double> squares_about(std::span<const double> mean,
                                    const Context& ctx) const override;
  // The shift of X must be zero: zeros stay zeros.
  Moments moments(std::span<const double> shift_x, std::span<const double> shift_y,
                  const Context& ctx) const override;
  Gradient gradient(const AffineMap& at, double* residuals, const Context& ctx) const override;
  void guess_means(std::span<double> mean_x, std::span<double> mean_y) const override;

 private:
  // Over the rows begin .. end.
  GramRows gram_rows(std::int64_t begin, std::int64_t end, std::int64_t first, std::int64_t last,
                     std::span<const double> shift_y, const Context& ctx) const;

  CsrView<T, Index> X_;
  MatrixView<const double> Y_;
  std::span<const double> weight_;
};

std::unique_ptr<Design> design_of(const AnyMatrix& X, MatrixView<const double> Y,
                                  std::span<const double> weight);

// out = (Z - row_shift 1')' (Z - row_shift 1') for n x m Z: the Gram matrix (m x m, both halves) of
// the columns of Z. With the transpose of X and its column means it is the kernel matrix X_c X_c'.
template <class T>
void centred_gram(MatrixView<const T> Z, std::span<const double> row_shift, double* out,
                  const Context& ctx);

// out(i, t) = intercept[t] + sum_j X(i, j) coef(j, t); every row's bits depend on that row alone.
template <class T>
void affine_predict(MatrixView<const T> X, MatrixView<const double> coef,
                    std::span<const double> intercept, MatrixView<T> out, const Context& ctx);

template <class T, class Index>
void affine_predict(CsrView<T, Index> X, MatrixView<const double> coef,
                    std::span<const double> intercept, MatrixView<T> out, const Context& ctx);

// Weighted means of the columns, summed about the first row that has weight; empty weights mean
// one.
template <class T>
void column_means(MatrixView<const T> X, std::span<const double> weight, std::span<double> out,
                  const Context& ctx);

template <class T>
bool all_finite(MatrixView<const T> X, const Context& ctx);

}  // namespace gramian::linalg
