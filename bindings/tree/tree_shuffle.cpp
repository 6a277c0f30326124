// Losses of trees with shuffled columns: shapes checked, GIL released.
#include "bindings/binding.hpp"
#include "bindings/tree/trees.hpp"
#include "tree/explain/shuffled_losses.hpp"

namespace gramian {
namespace {

using OptionalLabels = OptionalVector<std::int32_t>;
using OptionalValues = OptionalVector<double>;

tree::Target checked_target(const tree::TreesView& trees, std::int64_t n_rows,
                            const OptionalLabels& labels, const OptionalValues& values) {
  tree::Target target;
  target.n_rows = n_rows;
  target.n_outputs = trees.n_outputs();
  target.n_classes = trees.n_classes;
  const auto n_entries = static_cast<std::size_t>(n_rows * target.n_outputs);
  if (target.is_classification()) {
    require(labels && labels->shape(0) == n_entries,
            "labels must have an entry per row and output");
    target.labels = vec(*labels);
  } else {
    require(values && values->shape(0) == n_entries,
            "values must have an entry per row and output");
    target.values = vec(*values);
  }
  return target;
}

void check_rows(const tree::TreesView& trees, std::int64_t n_rows,
                const tree::ShuffledRows& shuffled) {
  const auto& offsets = shuffled.offsets;
  require(static_cast<std::int64_t>(offsets.size()) == trees.n_trees() + 1 && offsets[0] == 0 &&
              std::is_sorted(offsets.begin(), offsets.end()) &&
              offsets.back() == static_cast<std::int64_t>(shuffled.rows.size()),
          "offsets must cut rows into a part for each tree");
  require(shuffled.order.size() == shuffled.rows.size(), "order must have an entry for each row");
  for (std::size_t t = 0; t + 1 < offsets.size(); ++t)
    for (std::int64_t i = offsets[t]; i < offsets[t + 1]; ++i) {
      const auto k = static_cast<std::size_t>(i);
      require(shuffled.rows[k] >= 0 && shuffled.rows[k] < n_rows, "rows must be rows of X");
      require(shuffled.order[k] >= 0 && shuffled.order[k] < offsets[t + 1] - offsets[t],
              "order must number the rows of a tree");
    }
}

void shuffled_losses(nb::handle trees, const InDense& X, const OptionalLabels& labels,
                     const OptionalValues& values, const InVector<std::int64_t>& offsets,
                     const InVector<std::int32_t>& rows, const InVector<std::int32_t>& order,
                     const OutMatrix<double>& out, const Context& ctx) {
  const TreesArrays arrays(trees);
  const auto& view = arrays.view();
  const AnyDense table = X.view();
  const std::int64_t n = n_rows_of(table);
  const auto losses = matrix(out);
  require(n_cols_of(table) == view.n_features(),
          "X must have a column for each feature of the trees");
  require(losses.n_rows == view.n_trees() && losses.n_cols == view.n_features(),
          "out must have one row per tree and one column per feature");
  const auto target = checked_target(view, n, labels, values);
  const tree::ShuffledRows shuffled{vec(offsets), vec(rows), vec(order)};
  check_rows(view, n, shuffled);
  const ReleasedGil nogil;
  std::visit(
      [&](const auto& all) { tree::shuffled_losses(view, all, target, shuffled, losses, ctx); },
      table);
}

}  // namespace

void bind_tree_shuffle(nb::module_& m) {
  m.def(
      "tree_shuffled_losses", &shuffled_losses, "trees"_a, "X"_a, nb::kw_only(), "labels"_a,
      "values"_a, "offsets"_a, "rows"_a, "order"_a, "out"_a, "ctx"_a,
      "Rise of each tree's mean loss (row) when each feature (column) is shuffled among its rows.");
}

}  // namespace gramian
