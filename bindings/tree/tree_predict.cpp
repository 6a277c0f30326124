// Prediction by trees: shapes checked, GIL released, results written into arrays that Python
// allocated.
#include "bindings/binding.hpp"
#include "bindings/tree/linear_leaves.hpp"
#include "bindings/tree/trees.hpp"
#include "tree/predict/paths.hpp"
#include "tree/predict/predict.hpp"

namespace gramian {
namespace {

using tree::Predictor;

template <auto kMethod, class Out>
void call(const Predictor& self, const InDense& X, const OutMatrix<Out>& out, const Context& ctx) {
  const AnyDense rows = X.view();
  const auto result = matrix(out);
  const ReleasedGil nogil;
  (self.*kMethod)(rows, result, ctx);
}

template <auto kMethod, class Out>
void bind_method(nb::class_<Predictor>& cls, const char* name, const char* doc) {
  cls.def(name, &call<kMethod, Out>, "X"_a, nb::kw_only(), "out"_a, "ctx"_a, doc);
}

void make_predictor(Predictor* self, nb::handle trees, nb::handle linear, const Context& ctx) {
  const auto arrays = TreesArrays::unchecked(trees);
  tree::LinearLeaves leaves = linear_leaves_of(linear);
  const ReleasedGil nogil;
  new (self) Predictor(arrays.view(), std::move(leaves), ctx);
}

void sums(const Predictor& self, const InDense& X, const InVector<double>& bias,
          const OutMatrix<double>& out, const Context& ctx) {
  const AnyDense rows = X.view();
  const auto constants = vec(bias);
  const auto result = matrix(out);
  const ReleasedGil nogil;
  self.sums(rows, constants, result, ctx);
}

void path_offsets(nb::handle trees, const InMatrix<std::int64_t>& leaves,
                  const OutVector<std::int64_t>& indptr) {
  const TreesArrays arrays(trees);
  const auto reached = matrix(leaves);
  const ReleasedGil nogil;
  tree::path_offsets(arrays.view(), reached, vec(indptr));
}

void path_nodes(nb::handle trees, const InMatrix<std::int64_t>& leaves,
                const InVector<std::int64_t>& indptr, const OutVector<std::int64_t>& indices,
                const Context& ctx) {
  const TreesArrays arrays(trees);
  const auto reached = matrix(leaves);
  const ReleasedGil nogil;
  tree::path_nodes(arrays.view(), reached, vec(indptr), vec(indices), ctx);
}

}  // namespace

void bind_tree_predict(nb::module_& m) {
  nb::class_<Predictor> cls(m, "TreePredictor", "Trees in the form in which they predict fast.");
  cls.def("__init__", &make_predictor, "trees"_a, "linear"_a.none() = nb::none(), nb::kw_only(),
          "ctx"_a, "linear: the linear functions of the leaves, if they have any.");
  bind_method<&Predictor::mean, double>(
      cls, "mean", "out (n x width): mean over the trees of the class proportions or values.");
  cls.def("sums", &sums, "X"_a, nb::kw_only(), "bias"_a, "out"_a, "ctx"_a,
          "out (n x (n_groups width)): bias plus the sum of the trees; tree t adds to the columns "
          "of group t % n_groups.");
  bind_method<&Predictor::votes, double>(
      cls, "votes", "out (n x width): how many trees vote for each class of each output.");
  bind_method<&Predictor::each, double>(
      cls, "each", "out (n x n_trees width): proportions or values of one tree after another.");
  bind_method<&Predictor::apply, std::int64_t>(
      cls, "apply", "out (n x n_trees): number of the node in which a row ends.");
  m.def("tree_path_offsets", &path_offsets, "trees"_a, "leaves"_a, nb::kw_only(), "indptr"_a,
        "indptr of the sparse matrix of the nodes that each row passes; leaves are from apply.");
  m.def("tree_path_nodes", &path_nodes, "trees"_a, "leaves"_a, nb::kw_only(), "indptr"_a,
        "indices"_a, "ctx"_a, "indices of the sparse matrix of the nodes that each row passes.");
}

}  // namespace gramian
