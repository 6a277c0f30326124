// Where the entries of a kernel matrix come from: dense rows, sparse rows, or a matrix given whole.
//
// Entries are computed when they are asked for, in single or double precision T, in blocks whose
// bounds depend on the data only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "base/views.hpp"
#include "kernel/gram_kernel.hpp"

namespace gramian::kernel {

inline constexpr std::int64_t kChunkCols = 512;  // of one task; a multiple of every panel

inline std::int64_t padded(std::int64_t n) { return (n + 15) / 16 * 16; }

// Brings rows to length 1: x -> x 2^exponent / length, with squares that stay in range.
struct UnitLength {
  int exponent = 0;
  double length = 1.0;  // of the scaled row; 1 for a row of zeros

  template <class Values>  // value(k) for k < n
  UnitLength(std::int64_t n, Values value) {
    double largest = 0.0, squares = 0.0;
    for (std::int64_t k = 0; k < n; ++k) largest = std::max(largest, std::abs(value(k)));
    if (largest == 0.0) return;
    exponent = -std::ilogb(largest);
    for (std::int64_t k = 0; k < n; ++k) {
      const double x = std::scalbn(value(k), exponent);
      squares = __builtin_fma(x, x, squares);
    }
    length = std::sqrt(squares);
  }
  double operator()(double x) const { return std::scalbn(x, exponent) / length; }
};

template <class T>
class Source {
 public:
  virtual ~Source() = default;

  virtual std::int64_t n_rows() const = 0;

  // out[r * stride + c - begin] = K(row which[r] of `of`, row c of this) for begin <= c < end;
  // begin is a multiple of 16, and up to 15 entries behind `end` are written as well. `of` is a
  // source of the same class and function.
  virtual void block(const Source& of, std::span<const std::int64_t> which, std::int64_t begin,
                     std::int64_t end, T* out, std::int64_t stride) const = 0;

  // The rows `kept` alone, in that order.
  virtual std::unique_ptr<Source> subset(std::span<const std::int64_t> kept) const = 0;

  // Time to compute one entry.
  virtual double entry_ns() const = 0;

  // out[r][c] = K(row which[r], row c) for every row c; each of out has padded(n_rows()) entries.
  void rows(std::span<const std::int64_t> which, std::span<T* const> out, const Context& ctx) const;

  // sums[o * n_rows() + c] += sum_r coef(o, r) K(row which[r] of `of`, row c), one sum for each row
  // of coef.
  void add_sums(const Source& of, std::span<const std::int64_t> which,
                MatrixView<const double> coef, std::span<double> sums, const Context& ctx) const;

  // out(r, c) = K(row r of `of`, row c); rows of out are contiguous. Of its own rows a source
  // computes one half, and copies it to the other.
  void values(const Source& of, MatrixView<T> out, const Context& ctx) const;

 private:
  // The sums for few rows: kernels are computed with the rows of `of` as columns, so that no lane
  // of a vector is idle. The bits are the same.
  void add_few(const Source& of, MatrixView<const double> coef, std::span<double> sums,
               const Context& ctx) const;
};

// The rows of X, less `shift` where that is not empty: it changes no distance.
template <class T, class S>
std::unique_ptr<Source<T>> dense_source(const Function& function, MatrixView<const S> X,
                                        std::span<const double> shift, const Context& ctx);

template <class T, class S, class Index>
std::unique_ptr<Source<T>> sparse_source(const Function& function, const CsrView<S, Index>& X,
                                         const Context& ctx);

// K(i, j) = gram(i, j)
template <class T>
std::unique_ptr<Source<T>> given_source(MatrixView<const double> gram);

// Computed in double precision, then rounded to single: rounding errors of the computation, which
// depend on how the data are stored, do not show.
std::unique_ptr<Source<float>> rounded_source(std::unique_ptr<Source<double>> exact);

}  // namespace gramian::kernel
