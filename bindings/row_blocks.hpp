// Rows that a Python object hands out in blocks, as an argument in the place of a matrix.
//
// The object has n_rows, n_columns, block_rows and holds_doubles, and `row_blocks()` iterates over
// arrays of float32 or float64, of block_rows rows each but for the last. It is read with the GIL;
// what it raises passes through the core to the caller.
//
// Where the rows are elsewhere it also has `block_sums(what, point, of_rows)`, which iterates over
// what `_core.block_sums` gives for each block: of_rows is a list of (numbers, width), each with
// width numbers for each row of all blocks, or None for their numbers; and `rows(numbers)` returns
// some rows as an array.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "base/row_blocks.hpp"
#include "bindings/any_matrix.hpp"

namespace gramian {

class PythonBlocks final : public RowBlocks {
 public:
  explicit PythonBlocks(nb::object source);

  std::int64_t n_rows() const override { return n_rows_; }
  std::int64_t n_cols() const override { return n_cols_; }
  std::int64_t block_rows() const override { return block_rows_; }
  bool holds_doubles() const override { return holds_doubles_; }
  // Called without the GIL.
  void pass(const OnBlock& on_block) const override;
  bool is_elsewhere() const override { return is_elsewhere_; }
  void sums(const RowSum& asked, const OnSums& on_sums) const override;
  void bring(std::span<const std::int64_t> numbers,
             const std::function<void(const AnyDense& rows)>& use) const override;

 private:
  nb::object source_;
  std::int64_t n_rows_, n_cols_, block_rows_;
  bool holds_doubles_, is_elsewhere_;
};

struct InBlocks {
  nb::object source;

  PythonBlocks view() const { return PythonBlocks(source); }
};

// Calls function(view), with the matrix that a variant holds or with rows in blocks.
template <class... Views, class Function>
auto visit_rows(const std::variant<Views...>& view, const Function& function) {
  return std::visit(function, view);
}
template <class Function>
auto visit_rows(const PythonBlocks& view, const Function& function) {
  return function(static_cast<const RowBlocks&>(view));
}

}  // namespace gramian

namespace nanobind::detail {

template <>
struct type_caster<gramian::InBlocks> {
  NB_TYPE_CASTER(gramian::InBlocks, const_name("object"))

  bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {
    if (!PyObject_HasAttrString(source.ptr(), "row_blocks")) return false;
    value.source = borrow(source);
    return true;
  }
};

}  // namespace nanobind::detail
