// Rows and the trees that have not seen them: shapes checked, GIL released, results added to arrays
// that Python allocated.
#include "bindings/binding.hpp"
#include "tree/predict/out_of_bag.hpp"

namespace gramian {
namespace {

tree::Target checked_target(std::int64_t n_rows, std::int64_t width,
                            const OptionalMatrix<std::int32_t>& labels,
                            const OptionalMatrix<double>& values,
                            const OptionalVector<std::int32_t>& n_classes) {
  tree::Target target;
  target.n_rows = n_rows;
  require(labels.has_value() == n_classes.has_value() && labels.has_value() != values.has_value(),
          "the target must be labels and n_classes, or values");
  const auto take = [&](const auto& array, auto& span) {
    const auto view = matrix(array);
    require(view.n_rows == n_rows && view.col_stride == 1 && view.row_stride == view.n_cols,
            "the target must have a row for each of X, one after the other");
    span = {view.data, static_cast<std::size_t>(view.n_rows * view.n_cols)};
    target.n_outputs = view.n_cols;
  };
  if (values) {
    take(*values, target.values);
  } else {
    take(*labels, target.labels);
    target.n_classes = vec(*n_classes);
    require(static_cast<std::int64_t>(target.n_classes.size()) == target.n_outputs,
            "n_classes must have one entry per output");
  }
  require(target.width() == width, "the target must be that of the trees");
  return target;
}

void add_out_of_bag(const tree::Predictor& trees, const InDense& X,
                    const OptionalMatrix<std::int32_t>& labels,
                    const OptionalMatrix<double>& values,
                    const OptionalVector<std::int32_t>& n_classes, bool is_hard,
                    const InMatrix<std::uint8_t>& is_out, const OutMatrix<double>& sums,
                    const OutMatrix<double>& squares, const OutVector<std::int64_t>& n_trees,
                    const OutVector<double>& losses, const OutVector<double>& loss_sums,
                    const OutVector<std::int64_t>& n_scored, const Context& ctx) {
  const AnyDense rows = X.view();
  const std::int64_t n = n_rows_of(rows);
  require(n_cols_of(rows) == trees.n_features(), "X must have the columns of the trees");
  const tree::Target target = checked_target(n, trees.width(), labels, values, n_classes);
  const tree::OutOfBag known{matrix(sums), matrix(squares), vec(n_trees), vec(losses)};
  const auto has_shape = [&](const auto& view) {
    return view.n_rows == n && view.n_cols == trees.width() && view.col_stride == 1;
  };
  const auto has_rows = [&](const auto& span) {
    return static_cast<std::int64_t>(span.size()) == n;
  };
  require(has_shape(known.sums), "sums must be n x width");
  require(target.is_classification() || has_shape(known.squares), "squares must be n x width");
  require(has_rows(known.n_trees) && has_rows(known.losses),
          "n_trees and losses must have an entry per row");
  const auto asked = matrix(is_out);
  require(asked.n_rows == trees.n_trees() && asked.n_cols == n, "is_out must be n_trees x n");
  const tree::LossCurve curve{vec(loss_sums), vec(n_scored)};
  require(static_cast<std::int64_t>(curve.loss_sums.size()) == trees.n_trees() &&
              curve.n_scored.size() == curve.loss_sums.size(),
          "loss_sums and n_scored must have an entry per tree");
  const ReleasedGil nogil;
  tree::add_out_of_bag(trees, rows, target, is_hard, asked, known, curve, ctx);
}

}  // namespace

void bind_tree_out_of_bag(nb::module_& m) {
  m.def("tree_out_of_bag", &add_out_of_bag, "trees"_a, "X"_a, nb::kw_only(), "labels"_a, "values"_a,
        "n_classes"_a, "is_hard"_a, "is_out"_a, "sums"_a, "squares"_a, "n_trees"_a, "losses"_a,
        "loss_sums"_a, "n_scored"_a, "ctx"_a,
        "Add trees, one after the other, to the rows that each has not seen: is_out[tree, row].");
}

}  // namespace gramian
