// Matrices of either number and of any layout as one argument: a NumPy array of float64 or float32
// with any strides or, where a function takes them, SciPy's matrix of compressed rows or columns.
// As with all arrays, one that does not fit is refused with TypeError, never converted.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/variant.h>

#include <cstdint>
#include <type_traits>
#include <variant>

#include "bindings/arrays.hpp"

namespace gramian {

enum class Sparse { none, csr, csc };

// The arrays of a CSR matrix, or of a CSC matrix: those of its transpose in compressed rows.
template <class T, class Index>
struct CompressedArrays {
  InVector<T> values;
  InVector<Index> indices, indptr;
  std::int64_t n_cols = 0;
};

// An array or a sparse matrix, kept alive.
class MatrixArrays {
 public:
  // Whether the object is an array, or a sparse matrix of this format.
  bool load(nb::handle source, Sparse format) noexcept;

  // Checks every index of a sparse matrix, O(n_stored).
  AnyMatrix any() const;
  // Of an array.
  AnyDense dense() const;

 private:
  std::variant<InMatrix<double>, InMatrix<float>, CompressedArrays<double, std::int32_t>,
               CompressedArrays<double, std::int64_t>, CompressedArrays<float, std::int32_t>,
               CompressedArrays<float, std::int64_t>>
      arrays_;
};

template <Sparse kSparse>
struct MatrixArgument : MatrixArrays {
  bool load(nb::handle source) noexcept { return MatrixArrays::load(source, kSparse); }
};

struct InDense : MatrixArgument<Sparse::none> {
  AnyDense view() const { return dense(); }
};
struct InRows : MatrixArgument<Sparse::csr> {
  AnyMatrix view() const { return any(); }
  // Throws ValueError if the rows of an array are not contiguous.
  AnyMatrix contiguous_rows() const;
};
// Of sparse columns the view is that of the transpose, in compressed rows.
struct InColumns : MatrixArgument<Sparse::csc> {
  AnyMatrix view() const { return any(); }
};

using OutDense = std::variant<OutMatrix<double>, OutMatrix<float>>;

// The alternative of this type, such as the array of a result with the numbers of X.
template <class Alternative, class... Alternatives>
const Alternative& alternative(const std::variant<Alternatives...>& any, const char* message) {
  const auto* found = std::get_if<Alternative>(&any);
  if (found == nullptr) throw nb::type_error(message);
  return *found;
}

template <class T>
MatrixView<T> out_matrix(const OutDense& out) {
  return matrix(alternative<OutMatrix<T>>(out, "out must have the dtype of X"));
}

// Calls function(rows, others) with views of the same type.
template <class... Views, class Function>
auto visit_alike(const std::variant<Views...>& X, const std::variant<Views...>& Y,
                 const Function& function) {
  return std::visit(
      [&]<class View>(const View& rows) {
        return function(rows, alternative<View>(Y, "both matrices must have the same dtype"));
      },
      X);
}

}  // namespace gramian

namespace nanobind::detail {

template <class Argument>
  requires std::is_base_of_v<gramian::MatrixArrays, Argument>
struct type_caster<Argument> {
  static constexpr auto kArray = union_name(make_caster<gramian::InMatrix<double>>::Name,
                                            make_caster<gramian::InMatrix<float>>::Name);
  static constexpr auto name() {
    if constexpr (std::is_same_v<Argument, gramian::InRows>)
      return union_name(kArray, const_name("scipy.sparse.csr_array"));
    else if constexpr (std::is_same_v<Argument, gramian::InColumns>)
      return union_name(kArray, const_name("scipy.sparse.csc_array"));
    else
      return kArray;
  }

  NB_TYPE_CASTER(Argument, name())

  bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {
    return value.load(source);
  }
};

}  // namespace nanobind::detail
