// Matrices for the tests of linear algebra: any layout, exact bounds, naive sums in long double.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/index.hpp"
#include "base/views.hpp"
#include "random/philox.hpp"

namespace test {

using gramian::at;

inline gramian::Context context_with(int n_threads) {
  gramian::Context ctx;
  ctx.n_threads = n_threads;
  return ctx;
}

// `strided` leaves gaps of NaN, `reversed` runs backwards along both sides.
enum class Layout { c, f, strided, reversed };
inline constexpr std::array kLayouts{Layout::c, Layout::f, Layout::strided, Layout::reversed};

// The memory ends with the last entry, so that a read behind it is seen by the address sanitizer.
template <class T>
class Matrix {
 public:
  template <class Source>
  Matrix(const gramian::MatrixView<const Source>& values, Layout layout) {
    const std::int64_t n = values.n_rows, p = values.n_cols;
    if (layout == Layout::f)
      place(n, p, 1, n);
    else if (layout == Layout::strided)
      place(n, p, 3 * p + 1, 3);
    else
      place(n, p, p, 1);
    if (layout == Layout::reversed && n * p > 0) {
      view_.data = &view_(n - 1, p - 1);
      view_.row_stride = -view_.row_stride;
      view_.col_stride = -view_.col_stride;
    }
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < p; ++j) view_(i, j) = static_cast<T>(values(i, j));
  }

  gramian::MatrixView<const T> view() const { return view_; }

 private:
  void place(std::int64_t n, std::int64_t p, std::int64_t row_stride, std::int64_t col_stride) {
    const bool is_empty = n == 0 || p == 0;
    memory_.assign(at(is_empty ? 0 : (n - 1) * row_stride + (p - 1) * col_stride + 1),
                   static_cast<T>(NAN));
    view_.data = memory_.data();
    view_.n_rows = n;
    view_.n_cols = p;
    view_.row_stride = row_stride;
    view_.col_stride = col_stride;
  }

  std::vector<T> memory_;
  gramian::MatrixView<T> view_;
};

// Normal entries, rounded to float so that both precisions hold the same matrix.
inline std::vector<double> normal_values(std::int64_t count, std::uint64_t seed,
                                         double offset = 0.0) {
  gramian::Stream stream(seed, 0, 0);
  std::vector<double> values(at(count));
  for (double& x : values) x = static_cast<double>(static_cast<float>(stream.normal() + offset));
  return values;
}

// Weights between 0 and 3, some of them zero.
inline std::vector<double> random_weights(std::int64_t count, std::uint64_t seed) {
  gramian::Stream stream(seed, 1, 0);
  std::vector<double> weight(at(count));
  for (double& w : weight) w = stream.below(5) == 0 ? 0.0 : 3.0 * stream.uniform();
  return weight;
}

inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

inline bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

inline bool is_close(double value, long double expected, long double tolerance) {
  return std::abs(static_cast<long double>(value) - expected) <= tolerance;
}

}  // namespace test
