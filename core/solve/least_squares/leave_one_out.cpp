#include "solve/least_squares/leave_one_out.hpp"

#include <algorithm>
#include <vector>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "linalg/panels_kernel.hpp"
#include "parallel/tiles.hpp"
#include "solve/least_squares/leave_one_out_kernel.hpp"

namespace gramian::solve {
namespace {

constexpr std::int64_t kTileRows = 1024;
constexpr std::int64_t kAlphaGroup = 64;  // penalties whose filtered block stays in the L2 cache
constexpr double kMultiplyNs = 0.05;      // one multiply-add of a register tile

// A matrix packed for the panel kernels, which sum over its rows: kBlockRows of them at a time.
class PackedMatrix {
 public:
  PackedMatrix(std::int64_t n_rows, std::int64_t n_cols)
      : n_rows_(n_rows), panels_(n_panels(n_cols)), values_(n_parts() * panels_ * kPanelStride) {}

  std::int64_t n_parts() const { return (n_rows_ + kBlockRows - 1) / kBlockRows; }
  std::int64_t n_panels_of_part() const { return panels_; }
  std::int64_t rows_of(std::int64_t part) const {
    return std::min<std::int64_t>(n_rows_ - part * kBlockRows, kBlockRows);
  }
  double* part(std::int64_t k) { return values_.data() + k * panels_ * kPanelStride; }
  const double* part(std::int64_t k) const { return values_.data() + k * panels_ * kPanelStride; }

  template <class T>
  void pack(MatrixView<const T> M, const double* row_shift = nullptr) {
    for (std::int64_t k = 0; k < n_parts(); ++k) {
      PackSource<T> source{M.data + k * kBlockRows * M.row_stride, M.row_stride, M.col_stride,
                           rows_of(k), M.n_cols};
      if (row_shift) source.row_shift = row_shift + k * kBlockRows;
      GRAMIAN_DISPATCH(pack_panels, source, part(k));
    }
  }

 private:
  std::int64_t n_rows_;
  std::int64_t panels_;
  Buffer<double> values_;
};

// acc (column-major, kBlockRows apart) = a' b for some panels of b.
void multiply(const PackedMatrix& a, std::int64_t panels_a, const PackedMatrix& b,
              std::int64_t first_b, std::int64_t panels_b, double* acc) {
  std::fill_n(acc, panels_b * kLanes * kBlockRows, 0.0);
  for (std::int64_t k = 0; k < a.n_parts(); ++k)
    GRAMIAN_DISPATCH(add_product, a.part(k), panels_a, b.part(k) + first_b * kPanelStride, panels_b,
                     a.rows_of(k), acc, kBlockRows);
}

// 1 / (lambda_j + alpha_a), packed.
PackedMatrix packed_filters(const RidgeSpectrum& spectrum) {
  const auto p = static_cast<std::int64_t>(spectrum.values.size());
  const auto n_alphas = static_cast<std::int64_t>(spectrum.alpha.size());
  Buffer<double> filters(p * n_alphas);
  for (std::int64_t j = 0; j < p; ++j)
    for (std::int64_t a = 0; a < n_alphas; ++a)
      filters[j * n_alphas + a] = 1.0 / (spectrum.values[at(j)] + spectrum.alpha[at(a)]);
  PackedMatrix packed(p, n_alphas);
  packed.pack(MatrixView<const double>(filters.data(), p, n_alphas));
  return packed;
}

// Rotates blocks of dense rows: z' = Q' (x - mean), packed with one row for each eigenvector.
template <class T>
class DenseRotation {
 public:
  DenseRotation(MatrixView<const T> X, const RidgeSpectrum& spectrum)
      : X_(X), mean_(spectrum.mean_x.data()), basis_(X.n_cols, X.n_cols) {
    basis_.pack(spectrum.vectors);
  }

  std::int64_t n_rows() const { return X_.n_rows; }
  double multiplies() const {
    return static_cast<double>(X_.n_rows) * static_cast<double>(X_.n_cols * X_.n_cols);
  }

  struct Scratch {
    Scratch(std::int64_t p, std::int64_t n_rows)
        : rows(p, n_rows), rotated(n_panels(p) * kLanes * kBlockRows) {}
    PackedMatrix rows;
    Buffer<double> rotated;
  };

  void rotate(std::int64_t begin, std::int64_t end, Scratch& scratch, PackedMatrix& out) const {
    const std::int64_t p = X_.n_cols;
    scratch.rows.pack(X_.rows(begin, end).transposed(), mean_);
    multiply(scratch.rows, n_panels(end - begin), basis_, 0, basis_.n_panels_of_part(),
             scratch.rotated.data());
    out.pack(MatrixView<const double>(scratch.rotated.data(), p, end - begin, kBlockRows, 1));
  }

 private:
  MatrixView<const T> X_;
  const double* mean_;
  PackedMatrix basis_;
};

// The same for sparse rows, one after the other.
template <class T, class Index>
class SparseRotation {
 public:
  SparseRotation(CsrView<T, Index> X, const RidgeSpectrum& spectrum)
      : X_(X), basis_(X.n_cols * X.n_cols), rotated_mean_(at(X.n_cols), 0.0) {
    const std::int64_t p = X.n_cols;
    for (std::int64_t j = 0; j < p; ++j) {
      for (std::int64_t k = 0; k < p; ++k) basis_[j * p + k] = spectrum.vectors(j, k);
      GRAMIAN_DISPATCH(add_scaled_row, basis_.data() + j * p, -spectrum.mean_x[at(j)], p,
                       rotated_mean_.data());
    }
  }

  std::int64_t n_rows() const { return X_.n_rows(); }
  double multiplies() const {
    return static_cast<double>(X_.n_stored()) * static_cast<double>(X_.n_cols);
  }

  struct Scratch {
    Scratch(std::int64_t p, std::int64_t) : row(at(p)) {}
    std::vector<double> row;
  };

  void rotate(std::int64_t begin, std::int64_t end, Scratch& scratch, PackedMatrix& out) const {
    const std::int64_t p = X_.n_cols;
    const std::int64_t padded = n_panels(end - begin) * kLanes;
    for (std::int64_t i = begin; i < begin + padded; ++i) {
      if (i < end)
        rotate_row(X_.row(i), scratch.row);
      else
        std::fill(scratch.row.begin(), scratch.row.end(), 0.0);
      const std::int64_t place = (i - begin) / kLanes * kPanelStride + (i - begin) % kLanes;
      for (std::int64_t j = 0; j < p; ++j)
        out.part(j / kBlockRows)[place + j % kBlockRows * kLanes] = scratch.row[at(j)];
    }
  }

 private:
  void rotate_row(const CsrRow<T, Index>& row, std::vector<double>& z) const {
    z = rotated_mean_;
    for (std::size_t e = 0; e < row.cols.size(); ++e)
      GRAMIAN_DISPATCH(add_scaled_row, basis_.data() + row.cols[e] * X_.n_cols,
                       static_cast<double>(row.values[e]), X_.n_cols, z.data());
  }

  CsrView<T, Index> X_;
  Buffer<double> basis_;
  std::vector<double> rotated_mean_;  // -Q' mean
};

// What one block of rows needs besides its rotation: filtered by all penalties, a group at a time.
template <class Rotation>
class Worker {
 public:
  Worker(const Rotation& rotation, MatrixView<const double> Y, std::span<const double> weight,
         const RidgeSpectrum& spectrum, const PackedMatrix& filters, const LeaveOneOutErrors& out)
      : rotation_(rotation),
        Y_(Y),
        weight_(weight),
        spectrum_(spectrum),
        filters_(filters),
        out_(out),
        scratch_(p(), block_rows()),
        z_(p(), block_rows()),
        scaled_(p(), block_rows()),
        inverse_(group_columns() * kBlockRows),
        errors_(group_columns() * kBlockRows),
        block_weight_(at(kBlockRows)),
        target_(at(kBlockRows)) {}

  // Adds the weighted squares of rows begin .. end to sums (t x n_alphas).
  void add_block(std::int64_t begin, std::int64_t end, std::vector<double>& sums) {
    begin_ = begin;
    n_ = end - begin;
    padded_ = n_panels(n_) * kLanes;
    rotation_.rotate(begin, end, scratch_, z_);
    for (std::int64_t i = 0; i < padded_; ++i)
      block_weight_[at(i)] = i >= n_ ? 0.0 : weight_.empty() ? 1.0 : weight_[at(begin + i)];
    for (std::int64_t first = 0; first < n_alphas(); first += kAlphaGroup) {
      const std::int64_t count = std::min(n_alphas() - first, kAlphaGroup);
      fill_inverse(first, count);
      for (std::int64_t c = 0; c < Y_.n_cols; ++c) add_target(c, first, count, sums);
    }
  }

 private:
  std::int64_t p() const { return static_cast<std::int64_t>(spectrum_.values.size()); }
  std::int64_t n_alphas() const { return static_cast<std::int64_t>(spectrum_.alpha.size()); }
  std::int64_t block_rows() const { return std::min<std::int64_t>(Y_.n_rows, kBlockRows); }
  std::int64_t group_columns() const {
    return n_panels(std::min(n_alphas(), kAlphaGroup)) * kLanes;
  }

  // 1 / (1 - leverage) of the block's rows, for some penalties.
  void fill_inverse(std::int64_t first, std::int64_t count) {
    for (std::int64_t k = 0; k < z_.n_parts(); ++k)
      for (std::int64_t v = 0; v < n_panels(n_); ++v)
        GRAMIAN_DISPATCH(square_panel, z_.part(k) + v * kPanelStride, z_.rows_of(k),
                         scaled_.part(k) + v * kPanelStride);
    filter(first, count, inverse_.data());
    for (std::int64_t a = 0; a < count; ++a)
      GRAMIAN_DISPATCH(invert_complements, block_weight_.data(), spectrum_.offset, padded_,
                       inverse_.data() + a * kBlockRows);
  }

  void add_target(std::int64_t c, std::int64_t first, std::int64_t count,
                  std::vector<double>& sums) {
    std::vector<double> cross(at(kBlockRows));
    for (std::int64_t k = 0; k < z_.n_parts(); ++k) {
      for (std::int64_t j = 0; j < z_.rows_of(k); ++j)
        cross[at(j)] = spectrum_.cross(k * kBlockRows + j, c);
      for (std::int64_t v = 0; v < n_panels(n_); ++v)
        GRAMIAN_DISPATCH(scale_panel, z_.part(k) + v * kPanelStride, cross.data(), z_.rows_of(k),
                         scaled_.part(k) + v * kPanelStride);
    }
    filter(first, count, errors_.data());
    for (std::int64_t i = 0; i < padded_; ++i)
      target_[at(i)] = i < n_ ? Y_(begin_ + i, c) - spectrum_.mean_y[at(c)] : 0.0;
    for (std::int64_t a = 0; a < count; ++a) {
      double* error = errors_.data() + a * kBlockRows;
      sums[at(c * n_alphas() + first + a)] +=
          GRAMIAN_DISPATCH(leave_out, target_.data(), block_weight_.data(),
                           inverse_.data() + a * kBlockRows, padded_, error);
    }
    if (out_.errors.data) write_errors(c * n_alphas() + first, count);
  }

  // out = scaled' times the filters of some penalties.
  void filter(std::int64_t first, std::int64_t count, double* out) {
    multiply(scaled_, n_panels(n_), filters_, first / kLanes, n_panels(count), out);
  }

  void write_errors(std::int64_t first_col, std::int64_t count) {
    for (std::int64_t i = 0; i < n_; ++i)
      for (std::int64_t a = 0; a < count; ++a)
        out_.errors(begin_ + i, first_col + a) = errors_[a * kBlockRows + i];
  }

  const Rotation& rotation_;
  MatrixView<const double> Y_;
  std::span<const double> weight_;
  const RidgeSpectrum& spectrum_;
  const PackedMatrix& filters_;
  const LeaveOneOutErrors& out_;
  typename Rotation::Scratch scratch_;
  PackedMatrix z_, scaled_;
  Buffer<double> inverse_, errors_;  // column-major, one column for each penalty of a group
  std::vector<double> block_weight_, target_;
  std::int64_t begin_ = 0, n_ = 0, padded_ = 0;
};

template <class Rotation>
void sum_errors(const Rotation& rotation, MatrixView<const double> Y,
                std::span<const double> weight, const RidgeSpectrum& spectrum,
                const LeaveOneOutErrors& out, const Context& ctx) {
  const PackedMatrix filters = packed_filters(spectrum);
  const std::int64_t n = rotation.n_rows();
  const auto n_alphas = static_cast<std::int64_t>(spectrum.alpha.size());
  const auto of_tile = [&](std::int64_t first, std::int64_t last) {
    std::vector<double> sums(at(Y.n_cols * n_alphas), 0.0);
    Worker<Rotation> worker(rotation, Y, weight, spectrum, filters, out);
    for (std::int64_t begin = first; begin < last; begin += kBlockRows) {
      ctx.check();
      worker.add_block(begin, std::min<std::int64_t>(begin + kBlockRows, last), sums);
    }
    return sums;
  };
  const auto combine = [](std::vector<double>& total, const std::vector<double>& next) {
    add_each(total, next);
  };
  const auto filtered = static_cast<double>(n) * static_cast<double>(spectrum.values.size()) *
                        static_cast<double>(n_alphas * (Y.n_cols + 1));
  const std::vector<double> sums =
      parallel_reduce(ctx, Tiles::of_rows(n, kTileRows),
                      kMultiplyNs * (rotation.multiplies() + filtered), of_tile, combine);
  for (std::int64_t c = 0; c < Y.n_cols; ++c)
    for (std::int64_t a = 0; a < n_alphas; ++a) out.sums(c, a) = sums[at(c * n_alphas + a)];
}

template <class T>
DenseRotation<T> rotation_of(const MatrixView<const T>& X, const RidgeSpectrum& spectrum) {
  return {X, spectrum};
}
template <class T, class Index>
SparseRotation<T, Index> rotation_of(const CsrView<T, Index>& X, const RidgeSpectrum& spectrum) {
  return {X, spectrum};
}

}  // namespace

void leave_one_out(const AnyMatrix& X, MatrixView<const double> Y, std::span<const double> weight,
                   const RidgeSpectrum& spectrum, const LeaveOneOutErrors& out,
                   const Context& ctx) {
  std::visit(
      [&](const auto& rows) {
        sum_errors(rotation_of(rows, spectrum), Y, weight, spectrum, out, ctx);
      },
      X);
}

}  // namespace gramian::solve
