// Non-owning views of memory that somebody else allocated. Vectors are std::span.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>
#include <variant>

namespace gramian {

// A matrix with any two strides, counted in elements; a stride may be negative or zero.
template <class T>
struct MatrixView {
  using Number = std::remove_const_t<T>;

  T* data = nullptr;
  std::int64_t n_rows = 0;
  std::int64_t n_cols = 0;
  std::int64_t row_stride = 0;  // from (i, j) to (i + 1, j)
  std::int64_t col_stride = 1;  // from (i, j) to (i, j + 1)

  MatrixView() = default;
  MatrixView(T* values, std::int64_t rows, std::int64_t cols)  // C order
      : MatrixView(values, rows, cols, cols, 1) {}
  MatrixView(T* values, std::int64_t rows, std::int64_t cols, std::int64_t stride_of_rows,
             std::int64_t stride_of_cols)
      : data(values),
        n_rows(rows),
        n_cols(cols),
        row_stride(stride_of_rows),
        col_stride(stride_of_cols) {}
  // A template: a plain constructor from MatrixView<T> would take the copy constructor's place.
  template <class U>
    requires(std::is_const_v<T> && std::same_as<U, std::remove_const_t<T>>)
  MatrixView(const MatrixView<U>& other)
      : MatrixView(other.data, other.n_rows, other.n_cols, other.row_stride, other.col_stride) {}

  T& operator()(std::int64_t i, std::int64_t j) const {
    return data[i * row_stride + j * col_stride];
  }

  // Whether the entries of one row (column) are adjacent in memory.
  bool has_contiguous_rows() const { return col_stride == 1 || n_cols <= 1; }
  bool has_contiguous_cols() const { return row_stride == 1 || n_rows <= 1; }
  bool is_c_contiguous() const {
    return has_contiguous_rows() && (row_stride == n_cols || n_rows <= 1);
  }
  bool is_f_contiguous() const { return transposed().is_c_contiguous(); }

  // Requires has_contiguous_rows() (has_contiguous_cols()).
  std::span<T> row(std::int64_t i) const {
    return {data + i * row_stride, static_cast<std::size_t>(n_cols)};
  }
  std::span<T> col(std::int64_t j) const {
    return {data + j * col_stride, static_cast<std::size_t>(n_rows)};
  }

  MatrixView rows(std::int64_t begin, std::int64_t end) const {
    return {data + begin * row_stride, end - begin, n_cols, row_stride, col_stride};
  }
  MatrixView cols(std::int64_t begin, std::int64_t end) const {
    return {data + begin * col_stride, n_rows, end - begin, row_stride, col_stride};
  }
  MatrixView transposed() const { return {data, n_cols, n_rows, col_stride, row_stride}; }
};

// One row of a CSR matrix: the values and the columns they stand in.
template <class T, std::signed_integral Index>
struct CsrRow {
  std::span<const T> values;
  std::span<const Index> cols;
};

// Compressed sparse rows: row i owns entries indptr[i] .. indptr[i + 1] of values and indices.
template <class T, std::signed_integral Index>
struct CsrView {
  using Number = T;

  std::span<const T> values;
  std::span<const Index> indices;
  std::span<const Index> indptr;  // n_rows + 1 entries
  std::int64_t n_cols = 0;

  std::int64_t n_rows() const { return static_cast<std::int64_t>(indptr.size()) - 1; }
  std::int64_t n_stored() const { return static_cast<std::int64_t>(values.size()); }

  CsrRow<T, Index> row(std::int64_t i) const {
    const auto k = static_cast<std::size_t>(i);
    const auto begin = static_cast<std::size_t>(indptr[k]);
    const auto length = static_cast<std::size_t>(indptr[k + 1]) - begin;
    return {values.subspan(begin, length), indices.subspan(begin, length)};
  }

  // The rows begin .. end, without copying: indptr keeps counting from the parent's first entry.
  CsrView rows(std::int64_t begin, std::int64_t end) const {
    const auto first = static_cast<std::size_t>(begin);
    return {values, indices, indptr.subspan(first, static_cast<std::size_t>(end - begin) + 1),
            n_cols};
  }

  // Whether every offset and index stays inside the arrays. O(n_rows + n_stored).
  bool is_valid() const {
    if (indptr.empty() || indptr.front() < 0 || values.size() != indices.size()) return false;
    for (std::size_t i = 1; i < indptr.size(); ++i)
      if (indptr[i] < indptr[i - 1]) return false;
    if (static_cast<std::size_t>(indptr.back()) > values.size()) return false;
    for (const Index j : indices)
      if (j < 0 || j >= n_cols) return false;
    return true;
  }
};

// Matrices of the numbers and layouts that callers may hold.
using AnyDense = std::variant<MatrixView<const float>, MatrixView<const double>>;
using AnyMatrix = std::variant<MatrixView<const float>, MatrixView<const double>,
                               CsrView<float, std::int32_t>, CsrView<float, std::int64_t>,
                               CsrView<double, std::int32_t>, CsrView<double, std::int64_t>>;

template <class View>
inline constexpr bool kIsSparse = requires(const View& X) { X.indptr; };

template <class... Views>
bool is_sparse(const std::variant<Views...>& X) {
  return std::visit([]<class View>(const View&) { return kIsSparse<View>; }, X);
}

template <class T>
std::int64_t n_rows_of(const MatrixView<T>& X) {
  return X.n_rows;
}
template <class T, class Index>
std::int64_t n_rows_of(const CsrView<T, Index>& X) {
  return X.n_rows();
}
template <class... Views>
std::int64_t n_rows_of(const std::variant<Views...>& X) {
  return std::visit([](const auto& view) { return n_rows_of(view); }, X);
}
template <class... Views>
std::int64_t n_cols_of(const std::variant<Views...>& X) {
  return std::visit([](const auto& view) { return view.n_cols; }, X);
}

template <class... Views>
bool holds_doubles(const std::variant<Views...>& X) {
  return std::visit(
      []<class View>(const View&) { return std::same_as<typename View::Number, double>; }, X);
}

}  // namespace gramian
