#include "bindings/any_matrix.hpp"

#include <nanobind/stl/pair.h>

#include <utility>

#include "linalg/sparse_structure.hpp"

namespace gramian {
namespace {

template <class Value>
bool take(nb::handle source, const char* name, Value& out) noexcept {
  const nb::object found = nb::getattr(source, name, nb::none());
  return nb::try_cast(found, out, false);
}

bool has_format(nb::handle source, const char* format) noexcept {
  const nb::object found = nb::getattr(source, "format", nb::none());
  return PyUnicode_Check(found.ptr()) && PyUnicode_CompareWithASCIIString(found.ptr(), format) == 0;
}

template <class T>
bool load_from(nb::handle source, Sparse, InMatrix<T>& out) noexcept {
  return nb::try_cast(source, out, false);
}

template <class T, class Index>
bool load_from(nb::handle source, Sparse format, CompressedArrays<T, Index>& out) noexcept {
  std::pair<std::int64_t, std::int64_t> shape;
  if (!take(source, "data", out.values) || !take(source, "indices", out.indices) ||
      !take(source, "indptr", out.indptr) || !take(source, "shape", shape))
    return false;
  if (format == Sparse::csc) std::swap(shape.first, shape.second);
  out.n_cols = shape.second;
  return static_cast<std::int64_t>(out.indptr.shape(0)) == shape.first + 1;
}

// Takes the first of these arrays that the object has.
template <class... Arrays, class Variant>
bool load_first(nb::handle source, Sparse format, Variant& out) noexcept {
  const auto try_one = [&]<class Array>(Array array) {
    if (!load_from(source, format, array)) return false;
    out = std::move(array);
    return true;
  };
  return (try_one(Arrays()) || ...);
}

template <class T>
MatrixView<const T> view_of(const InMatrix<T>& array) {
  return matrix(array);
}
template <class T, class Index>
CsrView<T, Index> view_of(const CompressedArrays<T, Index>& a) {
  const CsrView<T, Index> view{vec(a.values), vec(a.indices), vec(a.indptr), a.n_cols};
  const bool is_whole = !view.indptr.empty() && view.values.size() == view.indices.size();
  require(
      is_whole && linalg::check_compressed(view.indices, view.indptr, a.n_cols, Context{}).fault ==
                      linalg::SparseFault::none,
      "the sparse matrix is corrupt: its index arrays point outside of it");
  return view;
}

}  // namespace

bool MatrixArrays::load(nb::handle source, Sparse format) noexcept {
  if (PyObject_CheckBuffer(source.ptr()))
    return load_first<InMatrix<double>, InMatrix<float>>(source, format, arrays_);
  if (format == Sparse::none || !has_format(source, format == Sparse::csr ? "csr" : "csc"))
    return false;
  return load_first<CompressedArrays<double, std::int32_t>, CompressedArrays<double, std::int64_t>,
                    CompressedArrays<float, std::int32_t>, CompressedArrays<float, std::int64_t>>(
      source, format, arrays_);
}

AnyMatrix MatrixArrays::any() const {
  return std::visit([](const auto& arrays) { return AnyMatrix(view_of(arrays)); }, arrays_);
}

AnyDense MatrixArrays::dense() const {
  if (const auto* array = std::get_if<InMatrix<float>>(&arrays_)) return matrix(*array);
  return matrix(std::get<InMatrix<double>>(arrays_));
}

AnyMatrix InRows::contiguous_rows() const {
  const auto is_contiguous = []<class View>(const View& rows) {
    if constexpr (kIsSparse<View>)
      return true;
    else
      return rows.has_contiguous_rows();
  };
  const AnyMatrix rows = view();
  require(std::visit(is_contiguous, rows), "the rows of X must be contiguous");
  return rows;
}

}  // namespace gramian
