// Shapley values and partial dependence of tree ensembles: shapes checked, GIL released.
#include "bindings/binding.hpp"
#include "bindings/tree/trees.hpp"
#include "tree/explain/partial_dependence.hpp"
#include "tree/explain/shap.hpp"
#include "tree/explain/shap_background.hpp"

namespace gramian {
namespace {

// An ensemble whose arrays fit together.
class CheckedEnsemble {
 public:
  CheckedEnsemble(nb::handle trees, const InMatrix<double>& leaf_outputs,
                  const InVector<double>& scale, std::int64_t n_outputs, bool is_interleaved)
      : arrays_(trees),
        ensemble_{arrays_.view(), matrix(leaf_outputs), vec(scale), n_outputs, is_interleaved} {
    const auto& view = arrays_.view();
    require(n_outputs > 0, "n_outputs must be positive");
    require(has_shape(view.n_leaves(), is_interleaved ? 1 : n_outputs, leaf_outputs),
            "leaf_outputs must have a row for each leaf, and a column for each output, or one if "
            "trees take turns");
    require_entries(view.n_trees(), "scale must have one entry per tree", scale);
  }

  const tree::ShapEnsemble& get() const { return ensemble_; }

  void require_columns(std::int64_t n_cols) const {
    require(n_cols == ensemble_.trees.n_features(),
            "X must have a column for each feature of the trees");
  }
  AnyDense rows(const InDense& X) const {
    const AnyDense view = X.view();
    require_columns(n_cols_of(view));
    return view;
  }

 private:
  TreesArrays arrays_;
  tree::ShapEnsemble ensemble_;
};

// The number of values of n_rows rows with `per_feature` numbers for each feature.
std::size_t size_of(const tree::ShapEnsemble& ensemble, std::int64_t n_rows,
                    std::int64_t per_feature) {
  return static_cast<std::size_t>(n_rows * ensemble.trees.n_features() * per_feature *
                                  ensemble.n_outputs);
}

void path_shap(nb::handle trees, const InMatrix<double>& leaf_outputs,
               const InVector<double>& scale, std::int64_t n_outputs, bool is_interleaved,
               const InDense& X, const OutVector<double>& phi, const OutVector<double>& expected,
               const Context& ctx) {
  const CheckedEnsemble ensemble(trees, leaf_outputs, scale, n_outputs, is_interleaved);
  const AnyDense rows = ensemble.rows(X);
  require_entries(size_of(ensemble.get(), n_rows_of(rows), 1),
                  "phi must have one entry per row, feature and output", phi);
  require_entries(n_outputs, "expected must have one entry per output", expected);
  const auto sums = vec(phi), means = vec(expected);
  const ReleasedGil nogil;
  std::visit([&](const auto& view) { tree::path_shap(ensemble.get(), view, sums, means, ctx); },
             rows);
}

void path_interactions(nb::handle trees, const InMatrix<double>& leaf_outputs,
                       const InVector<double>& scale, std::int64_t n_outputs, bool is_interleaved,
                       const InDense& X, const OutVector<double>& phi, const Context& ctx) {
  const CheckedEnsemble ensemble(trees, leaf_outputs, scale, n_outputs, is_interleaved);
  const AnyDense rows = ensemble.rows(X);
  require(
      phi.shape(0) == size_of(ensemble.get(), n_rows_of(rows), ensemble.get().trees.n_features()),
      "phi must have one entry per row, pair of features and output");
  const auto sums = vec(phi);
  const ReleasedGil nogil;
  std::visit([&](const auto& view) { tree::path_interactions(ensemble.get(), view, sums, ctx); },
             rows);
}

void background_shap(nb::handle trees, const InMatrix<double>& leaf_outputs,
                     const InVector<double>& scale, std::int64_t n_outputs, bool is_interleaved,
                     const InDense& X, const InDense& background, const OutVector<double>& phi,
                     const OutVector<double>& expected, const Context& ctx) {
  const CheckedEnsemble ensemble(trees, leaf_outputs, scale, n_outputs, is_interleaved);
  const AnyDense rows = ensemble.rows(X);
  const AnyDense others = ensemble.rows(background);
  require(n_rows_of(others) > 0, "background must have rows");
  require_entries(size_of(ensemble.get(), n_rows_of(rows), 1),
                  "phi must have one entry per row, feature and output", phi);
  require_entries(n_outputs, "expected must have one entry per output", expected);
  const auto sums = vec(phi), means = vec(expected);
  visit_alike(rows, others, [&](const auto& of_rows, const auto& of_others) {
    const ReleasedGil nogil;
    tree::background_shap(ensemble.get(), of_rows, of_others, sums, means, ctx);
  });
}

void partial_dependence(nb::handle trees, const InMatrix<double>& leaf_outputs,
                        const InVector<double>& scale, std::int64_t n_outputs, bool is_interleaved,
                        const InMatrix<double>& X, const InVector<std::uint8_t>& is_known,
                        const OutMatrix<double>& out, const Context& ctx) {
  const CheckedEnsemble ensemble(trees, leaf_outputs, scale, n_outputs, is_interleaved);
  const auto points = matrix(X);
  ensemble.require_columns(points.n_cols);
  require_entries(X.shape(1), "is_known must have one entry per column", is_known);
  require(has_shape(X.shape(0), n_outputs, out), "out must have one entry per point and output");
  const auto known = vec(is_known);
  const auto sums = matrix(out);
  const ReleasedGil nogil;
  tree::partial_dependence(ensemble.get(), points, known, sums, ctx);
}

}  // namespace

void bind_tree_shap(nb::module_& m) {
  m.def(
      "path_shap", &path_shap, "trees"_a, "leaf_outputs"_a, "scale"_a, "n_outputs"_a,
      "is_interleaved"_a, "X"_a, "phi"_a, "expected"_a, nb::kw_only(), "ctx"_a,
      "phi += Shapley values, expected += the mean prediction, by the shares of training weight.");
  m.def("path_interactions", &path_interactions, "trees"_a, "leaf_outputs"_a, "scale"_a,
        "n_outputs"_a, "is_interleaved"_a, "X"_a, "phi"_a, nb::kw_only(), "ctx"_a,
        "phi += Shapley interaction values off the diagonal, by the shares of training weight.");
  m.def("background_shap", &background_shap, "trees"_a, "leaf_outputs"_a, "scale"_a, "n_outputs"_a,
        "is_interleaved"_a, "X"_a, "background"_a, "phi"_a, "expected"_a, nb::kw_only(), "ctx"_a,
        "phi += Shapley values, expected += the mean prediction, by background rows.");
  m.def("tree_partial_dependence", &partial_dependence, "trees"_a, "leaf_outputs"_a, "scale"_a,
        "n_outputs"_a, "is_interleaved"_a, "X"_a, "is_known"_a, "out"_a, nb::kw_only(), "ctx"_a,
        "out (n x n_outputs) += the ensemble where known columns are those of X and the others are "
        "averaged by the shares of training weight.");
}

}  // namespace gramian
