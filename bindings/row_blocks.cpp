#include "bindings/row_blocks.hpp"

#include <bit>
#include <optional>

#include "base/error.hpp"
#include "bindings/gil.hpp"

namespace gramian {
namespace {

// Holds the GIL for the lifetime of the object.
class TakenGil {
 public:
  TakenGil() {
    take_gil_or_sleep([this] { state_ = PyGILState_Ensure(); });
  }
  ~TakenGil() { PyGILState_Release(state_); }
  TakenGil(const TakenGil&) = delete;
  TakenGil& operator=(const TakenGil&) = delete;

 private:
  PyGILState_STATE state_{};
};

}  // namespace

PythonBlocks::PythonBlocks(nb::object source)
    : source_(std::move(source)),
      n_rows_(nb::cast<std::int64_t>(source_.attr("n_rows"))),
      n_cols_(nb::cast<std::int64_t>(source_.attr("n_columns"))),
      block_rows_(nb::cast<std::int64_t>(source_.attr("block_rows"))),
      holds_doubles_(nb::cast<bool>(source_.attr("holds_doubles"))) {
  constexpr std::int64_t kLargestTile = 8192;  // of the sums over blocks of rows
  require(n_rows_ > 0 && n_cols_ > 0, "there must be rows and columns");
  require(
      block_rows_ >= kLargestTile && std::has_single_bit(static_cast<std::uint64_t>(block_rows_)),
      "block_rows must be a power of two, at least 8192");
}

void PythonBlocks::pass(const OnBlock& on_block) const {
  const TakenGil gil;
  const nb::object blocks = nb::steal(PyObject_GetIter(source_.attr("row_blocks")().ptr()));
  if (!blocks.is_valid()) nb::raise_python_error();
  for (std::int64_t first = 0;;) {
    const nb::object block = nb::steal(PyIter_Next(blocks.ptr()));
    if (!block.is_valid()) {
      if (PyErr_Occurred()) nb::raise_python_error();
      require(first == n_rows_, "the blocks have fewer rows than there should be");
      return;
    }
    InDense array;
    require(array.load(block), "a block must be an array of float32 or float64");
    const AnyDense rows = array.view();
    const std::int64_t n = n_rows_of(rows), last = first + n;
    require(n_cols_of(rows) == n_cols_ && gramian::holds_doubles(rows) == holds_doubles_,
            "a block has another number of columns, or another type, than it should have");
    require(last <= n_rows_ && (n == block_rows_ || last == n_rows_),
            "a block has another number of rows than it should have");
    if (!without_gil([&] { return on_block(first, rows); })) return;
    first = last;
  }
}

}  // namespace gramian
