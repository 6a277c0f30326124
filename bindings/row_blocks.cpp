#include "bindings/row_blocks.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <bit>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "bindings/binding.hpp"
#include "cluster/block_steps.hpp"
#include "linalg/block_design.hpp"
#include "linalg/class_moments.hpp"
#include "preprocessing/columns.hpp"
#include "solve/glm/far_losses.hpp"

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

nb::object iterator_of(const nb::object& iterable) {
  nb::object iterator = nb::steal(PyObject_GetIter(iterable.ptr()));
  if (!iterator.is_valid()) nb::raise_python_error();
  return iterator;
}

// Not valid at the end.
nb::object next_of(const nb::object& iterator) {
  nb::object next = nb::steal(PyIter_Next(iterator.ptr()));
  if (!next.is_valid() && PyErr_Occurred()) nb::raise_python_error();
  return next;
}

// A view, which must not outlive the numbers.
nb::object array_of(std::span<const double> values) {
  return nb::cast(nb::ndarray<nb::numpy, const double, nb::ndim<1>>(values.data(), {values.size()},
                                                                    nb::handle()),
                  nb::rv_policy::reference);
}

std::vector<double> sums_of_block(const RowSum& asked, const AnyDense& rows, const Context& ctx) {
  if (auto sums = linalg::design_sums(asked, rows, ctx)) return *std::move(sums);
  if (auto sums = linalg::class_sums_of(asked, rows, ctx)) return *std::move(sums);
  if (auto sums = preprocessing::column_sums_of(asked, rows, ctx)) return *std::move(sums);
  if (auto sums = solve::loss_sums_of(asked, rows, ctx)) return *std::move(sums);
  if (auto sums = cluster::cluster_sums_of(asked, rows, ctx)) return *std::move(sums);
  throw InvalidArgument("nothing is known of the sum that is asked for");
}

using PerRow = std::pair<OptionalVector<double>, std::int64_t>;

nb::bytes block_sums(const InDense& X, std::string_view what, const InVector<double>& point,
                     const std::vector<PerRow>& of_rows, const Context& ctx) {
  RowSum asked{what, {point.data(), point.data() + point.size()}, {}};
  for (const auto& [values, width] : of_rows) asked.of_rows.push_back({or_empty(values), width});
  const AnyDense rows = X.view();
  const auto sums = without_gil([&] { return sums_of_block(asked, rows, ctx); });
  return nb::bytes(sums.data(), sums.size() * sizeof(double));
}

class BoundMeans {
 public:
  BoundMeans(std::int64_t n_rows, std::int64_t n_cols, std::int64_t block_rows,
             OptionalVector<double> weight)
      : n_rows_(n_rows),
        n_cols_(n_cols),
        weight_(std::move(weight)),
        means_(n_cols, block_rows, or_empty(weight_)) {
    require(n_rows > 0 && n_cols > 0 && block_rows > 0, "there must be rows and columns");
    require_entries(n_rows, "weight must have one entry per row", weight_);
  }

  bool add(std::int64_t first, const InDense& block, const Context& ctx) {
    const AnyDense rows = block.view();
    require(first == end_ && n_rows_of(rows) <= n_rows_ - first && n_cols_of(rows) == n_cols_,
            "blocks must come in the order of their rows");
    end_ += n_rows_of(rows);
    return without_gil([&] { return means_.add(first, rows, ctx); });
  }

  void write(const OutVector<double>& out) {
    require_entries(n_cols_, "out must have one entry per column", out);
    require(end_ == n_rows_, "there are rows that no block has brought");
    means_.write(vec(out));
  }

 private:
  std::int64_t n_rows_, n_cols_, end_ = 0;
  OptionalVector<double> weight_;
  linalg::BlockMeans means_;
};

}  // namespace

void bind_row_blocks(nb::module_& m) {
  nb::class_<BoundMeans>(m, "BlockMeans", "Means of columns whose blocks somebody else reads.")
      .def(nb::init<std::int64_t, std::int64_t, std::int64_t, OptionalVector<double>>(), "n_rows"_a,
           "n_columns"_a, "block_rows"_a, "weight"_a.none())
      .def("add", &BoundMeans::add, "first"_a, "block"_a, "ctx"_a,
           "Add a block; tell whether its sums are finite.")
      .def("write", &BoundMeans::write, "out"_a);
  m.def("block_sums", &block_sums, "X"_a, "what"_a, "point"_a, "of_rows"_a, "ctx"_a,
        "The sums of one block of rows, as bytes of float64, for those who ask elsewhere.");
}

PythonBlocks::PythonBlocks(nb::object source)
    : source_(std::move(source)),
      n_rows_(nb::cast<std::int64_t>(source_.attr("n_rows"))),
      n_cols_(nb::cast<std::int64_t>(source_.attr("n_columns"))),
      block_rows_(nb::cast<std::int64_t>(source_.attr("block_rows"))),
      holds_doubles_(nb::cast<bool>(source_.attr("holds_doubles"))),
      is_elsewhere_(nb::hasattr(source_, "block_sums")) {
  constexpr std::int64_t kLargestTile = 8192;  // of the sums over blocks of rows
  require(n_rows_ > 0 && n_cols_ > 0, "there must be rows and columns");
  require(
      block_rows_ >= kLargestTile && std::has_single_bit(static_cast<std::uint64_t>(block_rows_)),
      "block_rows must be a power of two, at least 8192");
}

void PythonBlocks::sums(const RowSum& asked, const OnSums& on_sums) const {
  const TakenGil gil;
  nb::list of_rows;
  for (const auto& [values, width] : asked.of_rows)
    of_rows.append(nb::make_tuple(values.empty() ? nb::none() : array_of(values), width));
  const nb::object blocks =
      iterator_of(source_.attr("block_sums")(asked.what, array_of(asked.point), of_rows));
  std::int64_t first = 0;
  for (nb::object block = next_of(blocks); block.is_valid(); block = next_of(blocks)) {
    InVector<double> numbers;
    require(nb::try_cast(block, numbers), "the sums of a block must be a vector of float64");
    require(first < n_rows_, "there are sums of more blocks than there should be");
    on_sums(first, vec(numbers));
    first += block_rows_;
  }
  require(first >= n_rows_, "there are sums of fewer blocks than there should be");
}

void PythonBlocks::bring(std::span<const std::int64_t> numbers,
                         const std::function<void(const AnyDense& rows)>& use) const {
  const TakenGil gil;
  const auto wanted = nb::cast(nb::ndarray<nb::numpy, const std::int64_t, nb::ndim<1>>(
                                   numbers.data(), {numbers.size()}, nb::handle()),
                               nb::rv_policy::copy);
  InDense array;
  require(array.load(nb::object(source_.attr("rows")(wanted))),
          "rows must be an array of float32 or float64");
  const AnyDense rows = array.view();
  require(n_rows_of(rows) == std::ssize(numbers) && n_cols_of(rows) == n_cols_ &&
              gramian::holds_doubles(rows) == holds_doubles_,
          "there are other rows than those that were asked for");
  without_gil([&] { use(rows); });
}

void PythonBlocks::pass(const OnBlock& on_block) const {
  const TakenGil gil;
  const nb::object blocks = iterator_of(source_.attr("row_blocks")());
  for (std::int64_t first = 0;;) {
    const nb::object block = next_of(blocks);
    if (!block.is_valid()) {
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
