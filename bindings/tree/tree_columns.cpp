// Columns for growing trees, and criterion and limits of their growth: checked and kept.
#include "bindings/tree/tree_columns.hpp"

#include "bindings/binding.hpp"
#include "tree/grow/grow.hpp"

namespace gramian {
namespace {

void make_options(TreeOptions* self, std::string_view criterion, bool random_splits,
                  std::int64_t max_depth, std::int64_t min_samples_split,
                  std::int64_t min_samples_leaf, double min_weight_leaf, std::int64_t max_features,
                  std::int64_t max_leaf_nodes, double min_impurity_decrease,
                  OptionalVector<std::int8_t> monotone, bool keeps_nodes, bool random_ties) {
  tree::Options options;
  options.criterion = criterion_of(criterion);
  options.random_splits = random_splits;
  options.keeps_nodes = keeps_nodes;
  options.random_ties = random_ties;
  if (max_depth >= 0) options.limits.max_depth = max_depth;
  options.limits.min_samples_split = min_samples_split;
  options.limits.min_samples_leaf = min_samples_leaf;
  options.limits.min_weight_leaf = min_weight_leaf;
  options.limits.max_features = max_features;
  options.limits.max_leaf_nodes = max_leaf_nodes;
  options.limits.min_impurity_decrease = min_impurity_decrease;
  new (self) TreeOptions(options, std::move(monotone));
}

}  // namespace

tree::CriterionKind criterion_of(std::string_view name) {
  using tree::CriterionKind;
  return named<CriterionKind>({{"gini", CriterionKind::gini},
                               {"entropy", CriterionKind::entropy},
                               {"log_loss", CriterionKind::entropy},
                               {"misclassification", CriterionKind::misclassification},
                               {"squared_error", CriterionKind::squared_error},
                               {"poisson", CriterionKind::poisson},
                               {"absolute_error", CriterionKind::absolute_error}},
                              name, "unknown criterion");
}

TreeOptions::TreeOptions(tree::Options options, OptionalVector<std::int8_t> monotone)
    : options_(options) {
  if (!monotone) return;
  monotone_ = copied(vec(*monotone));
  options_.monotone = monotone_;
}

TreeColumns::TreeColumns(InDense X, const OptionalVector<std::int32_t>& n_levels,
                         const TreeOptions& options, std::int64_t n_trees, const Context& ctx)
    : X_(std::move(X)) {
  const AnyDense features = X_.view();
  const std::int64_t n = n_rows_of(features), p = n_cols_of(features);
  require(n > 0 && p > 0, "X must have rows and columns");
  require_entries(p, "n_levels must have one entry per column", n_levels);
  const auto levels = or_empty(n_levels);
  const auto form = tree::form_for(options.get(), n, p, n_trees, ctx.n_threads);
  const ReleasedGil nogil;
  columns_.emplace(features, levels, form, ctx);
}

void TreeColumns::require_for(const tree::Options& options) const {
  const bool is_plain = columns_->form() == tree::Columns::Form::values;
  require(is_plain == options.random_splits, "the columns were made for other splits");
  require(options.monotone.empty() ||
              static_cast<std::int64_t>(options.monotone.size()) == columns_->n_features(),
          "monotone must have one entry per column");
}

void require_target(const tree::Target& target, std::int64_t n_rows) {
  require(target.n_rows == n_rows, "the target must have one entry per row");
  require(target.n_outputs > 0, "n_outputs must be positive");
  const auto n_entries = static_cast<std::size_t>(target.n_rows * target.n_outputs);
  if (!target.is_classification()) {
    require(target.values.size() == n_entries, "values must have one entry per row and output");
    return;
  }
  require(target.labels.size() == n_entries, "labels must have one entry per row and output");
  require(target.n_classes.size() == static_cast<std::size_t>(target.n_outputs),
          "n_classes must have one entry per output");
  for (std::size_t i = 0; i < n_entries; ++i) {
    const std::int32_t k = target.n_classes[i % target.n_classes.size()];
    require(target.labels[i] >= 0 && target.labels[i] < k, "a label is not a class number");
  }
}

nb::dict arrays_of(tree::GrownTrees&& trees, const tree::Columns& columns) {
  std::vector<std::uint8_t> is_double;
  for (std::int64_t f = 0; f < columns.n_features(); ++f) is_double.push_back(columns[f].is_double);
  nb::dict out = flat_arrays(std::move(trees));
  out["is_double"] = owned(std::move(is_double));
  return out;
}

void bind_tree_columns(nb::module_& m) {
  nb::class_<TreeOptions>(m, "TreeOptions", "Criterion and limits of growing trees.")
      .def("__init__", &make_options, nb::kw_only(), "criterion"_a, "random_splits"_a,
           "max_depth"_a, "min_samples_split"_a, "min_samples_leaf"_a, "min_weight_leaf"_a,
           "max_features"_a, "max_leaf_nodes"_a, "min_impurity_decrease"_a, "monotone"_a,
           "keeps_nodes"_a, "random_ties"_a);
  nb::class_<TreeColumns>(m, "TreeColumns",
                          "A matrix sorted or coded for trees; shared by all that grow on it.")
      .def(nb::init<InDense, OptionalVector<std::int32_t>, const TreeOptions&, std::int64_t,
                    const Context&>(),
           "X"_a, nb::kw_only(), "n_levels"_a, "options"_a, "n_trees"_a, "ctx"_a);
}

}  // namespace gramian
