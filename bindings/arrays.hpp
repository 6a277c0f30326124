// NumPy arrays as the core's views. Every parameter of these types is bound with :
// an array of another dtype, dimension or order is refused with TypeError, never copied.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/views.hpp"

namespace gramian {

namespace nb = nanobind;

// nanobind's array, but for its caster below: that of nanobind would convert other arrays.
template <class T, class... Options>
struct Array : nb::ndarray<T, Options..., nb::device::cpu> {
  using Base = nb::ndarray<T, Options..., nb::device::cpu>;
  Array() = default;
  explicit Array(Base&& array) : Base(std::move(array)) {}
};

// Inputs may be read-only; matrices may have any strides, vectors are contiguous.
template <class T>
using InMatrix = Array<const T, nb::ndim<2>>;
template <class T>
using InVector = Array<const T, nb::ndim<1>, nb::c_contig>;
template <class T>
using OutMatrix = Array<T, nb::ndim<2>>;
template <class T>
using OutVector = Array<T, nb::ndim<1>, nb::c_contig>;

// What may be None.
template <class T>
using OptionalVector = std::optional<InVector<T>>;
template <class T>
using OptionalMatrix = std::optional<InMatrix<T>>;

inline void require(bool condition, const char* message) {
  if (!condition) throw nb::value_error(message);
}

template <class Array>
void require_aligned(const Array& array) {
  using Scalar = typename Array::Scalar;
  if (reinterpret_cast<std::uintptr_t>(array.data()) % alignof(Scalar) != 0)
    throw nb::type_error("the array's memory is not aligned to its dtype; pass a copy of it");
}

template <class T, class... Options>
std::span<T> vec(const nb::ndarray<T, nb::ndim<1>, Options...>& x) {
  require_aligned(x);
  return {x.data(), x.shape(0)};
}

// Of an argument that may be None: an empty span then.
template <class T>
std::span<const T> or_empty(const OptionalVector<T>& values) {
  return values ? vec(*values) : std::span<const T>{};
}

template <class T>
std::span<T> or_empty(const std::optional<OutVector<T>>& values) {
  return values ? vec(*values) : std::span<T>{};
}

// Whether a vector has so many entries; None has any number.
template <class T, class... Options>
bool has_entries(std::integral auto n, const nb::ndarray<T, nb::ndim<1>, Options...>& values) {
  return std::cmp_equal(values.shape(0), n);
}
template <class Vector>
bool has_entries(std::integral auto n, const std::optional<Vector>& values) {
  return !values || has_entries(n, *values);
}
template <class... Vectors>
void require_entries(std::integral auto n, const char* message, const Vectors&... vectors) {
  require((has_entries(n, vectors) && ...), message);
}

template <class T, class... Options>
bool has_shape(std::integral auto n_rows, std::integral auto n_cols,
               const nb::ndarray<T, nb::ndim<2>, Options...>& X) {
  return std::cmp_equal(X.shape(0), n_rows) && std::cmp_equal(X.shape(1), n_cols);
}

template <class T, class... Options>
MatrixView<T> matrix(const nb::ndarray<T, nb::ndim<2>, Options...>& X) {
  require_aligned(X);
  return {X.data(), static_cast<std::int64_t>(X.shape(0)), static_cast<std::int64_t>(X.shape(1)),
          X.stride(0), X.stride(1)};
}

// The CSR matrix with these three arrays; checks every index, O(n_stored).
template <class T, class Index>
CsrView<T, Index> csr(const InVector<T>& values, const InVector<Index>& indices,
                      const InVector<Index>& indptr, std::int64_t n_cols) {
  const CsrView<T, Index> view{vec(values), vec(indices), vec(indptr), n_cols};
  require(view.is_valid(), "the sparse matrix is corrupt: its index arrays point outside of it");
  return view;
}

template <class T>
std::vector<T> copied(std::span<const T> values) {
  return {values.begin(), values.end()};
}

// A NumPy array that owns the vector's memory.
template <class T>
nb::object owned(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

}  // namespace gramian

namespace nanobind::detail {

template <class T, class... Options>
struct type_caster<gramian::Array<T, Options...>> {
  using Exact = gramian::Array<T, Options...>;
  using Caster = make_caster<typename Exact::Base>;

  NB_TYPE_CASTER(Exact, Caster::Name)

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    Caster found;
    if (!found.from_python(source, flags & ~std::uint32_t(cast_flags::convert), cleanup))
      return false;
    value = Exact(std::move(found.value));
    return true;
  }
};

}  // namespace nanobind::detail
