// Losses of trees with shuffled columns: shapes checked, GIL released.
#include "bindings/binding.hpp"
#include "bindings/tree/tree_columns.hpp"
#include "bindings/tree/trees.hpp"
#include "tree/explain/shuffled_losses.hpp"

namespace gramian {
namespace {

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

void shuffled_losses(nb::handle trees, const InDense& X, const OptionalVector<std::int32_t>& labels,
                     const OptionalVector<double>& values, const InVector<std::int64_t>& offsets,
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
  const tree::Target target{or_empty(labels), or_empty(values), view.n_classes, n,
                            view.n_outputs()};
  require_target(target, n);
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
