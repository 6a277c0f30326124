// Bindings of core/cluster: Lloyd's algorithm, nearest centres, and the seeds of k-means++.
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bindings/binding.hpp"
#include "bindings/row_blocks.hpp"
#include "cluster/lloyd.hpp"
#include "cluster/seeding.hpp"

namespace gramian {
namespace {

template <class View>
void require_rows(const View& X) {
  if constexpr (!kIsSparse<View>)
    require(X.has_contiguous_rows(), "the rows of X must be contiguous");
}

template <class T>
MatrixView<T> centres_of(const OutDense& centres, std::int64_t n_features) {
  const auto view = out_matrix<T>(centres);
  require(view.n_rows > 0 && view.n_cols == n_features && view.is_c_contiguous(),
          "centres must be rows of as many columns as X, in C order");
  return view;
}

std::tuple<std::int64_t, double, double, bool, bool> lloyd(
    const InRows& X, const OptionalVector<double>& weight, const OutDense& centres,
    std::int64_t max_iter, double tol, const OutVector<std::int32_t>& labels,
    const std::optional<OutVector<double>>& history, const Context& ctx) {
  const cluster::LloydOptions options{max_iter, tol};
  require(max_iter >= 0, "max_iter must not be negative");
  const auto result = std::visit(
      [&]<class View>(const View& rows) {
        require_rows(rows);
        const auto view = centres_of<typename View::Number>(centres, rows.n_cols);
        require_entries(n_rows_of(rows), "weight and labels must have one entry per row of X",
                        weight, labels);
        require_entries(max_iter, "history must have max_iter entries", history);
        const auto weights = or_empty(weight);
        const ReleasedGil nogil;
        return cluster::lloyd(rows, weights, view, options, vec(labels), or_empty(history), ctx);
      },
      X.view());
  return {result.n_iter, result.inertia, result.moved, result.is_settled, result.is_converged};
}

std::tuple<std::int64_t, double, double, bool, bool> lloyd_of_blocks(
    const InBlocks& X, const InDense& near, const OptionalVector<double>& weight,
    const OutDense& centres, std::int64_t max_iter, double tol,
    const OutVector<std::int32_t>& labels, const std::optional<OutVector<double>>& history,
    const Context& ctx) {
  const cluster::LloydOptions options{max_iter, tol};
  const PythonBlocks blocks = X.view();
  require(max_iter >= 0, "max_iter must not be negative");
  require_entries(blocks.n_rows(), "weight and labels must have one entry per row of X", weight,
                  labels);
  require_entries(max_iter, "history must have max_iter entries", history);
  const auto result = std::visit(
      [&]<class View>(const View& rows) {
        require_rows(rows);
        require(rows.n_rows > 0 && rows.n_cols == blocks.n_cols(),
                "near must be rows of as many columns as X");
        const auto view = centres_of<typename View::Number>(centres, rows.n_cols);
        const auto weights = or_empty(weight);
        const ReleasedGil nogil;
        return cluster::lloyd(blocks, rows, weights, view, options, vec(labels), or_empty(history),
                              ctx);
      },
      near.view());
  return {result.n_iter, result.inertia, result.moved, result.is_settled, result.is_converged};
}

void nearest_centres(const InRows& X, const InDense& centres, const OutVector<std::int32_t>& labels,
                     const std::optional<OutVector<double>>& squared, const Context& ctx) {
  std::visit(
      [&]<class View>(const View& rows) {
        using T = typename View::Number;
        require_rows(rows);
        const auto view =
            alternative<MatrixView<const T>>(centres.view(), "centres must have the dtype of X");
        require(view.n_rows > 0 && view.n_cols == rows.n_cols && view.is_c_contiguous(),
                "centres must be rows of as many columns as X, in C order");
        require_entries(n_rows_of(rows), "labels and squared must have one entry per row of X",
                        labels, squared);
        const ReleasedGil nogil;
        cluster::nearest_centres(rows, view, vec(labels), or_empty(squared), ctx);
      },
      X.view());
}

void sums_of_blocks(const InBlocks& X, const OptionalVector<double>& weight,
                    const InVector<std::int32_t>& labels, const InVector<double>& shift,
                    const OutMatrix<double>& sums, const OutVector<double>& weights,
                    const Context& ctx) {
  const PythonBlocks blocks = X.view();
  const auto out = matrix(sums);
  require_entries(blocks.n_rows(), "weight and labels must have one entry per row of X", weight,
                  labels);
  require_entries(blocks.n_cols(), "shift must have one entry per column of X", shift);
  require(out.n_cols == blocks.n_cols(), "sums must have the columns of X");
  require_entries(out.n_rows, "weights must have one entry per cluster", weights);
  for (const std::int32_t label : vec(labels))
    require(label >= 0 && label < out.n_rows, "labels must be numbers of clusters");
  const ReleasedGil nogil;
  cluster::cluster_sums(blocks, or_empty(weight), vec(labels), vec(shift), out, vec(weights), ctx);
}

void cluster_sums(const InRows& X, const OptionalVector<double>& weight,
                  const InVector<std::int32_t>& labels, const InVector<double>& shift,
                  const OutMatrix<double>& sums, const OutVector<double>& weights,
                  const Context& ctx) {
  std::visit(
      [&]<class View>(const View& rows) {
        require_rows(rows);
        const auto out = matrix(sums);
        require_entries(n_rows_of(rows), "weight and labels must have one entry per row of X",
                        weight, labels);
        require_entries(rows.n_cols, "shift must have one entry per column of X", shift);
        require(out.n_cols == rows.n_cols, "sums must have the columns of X");
        require_entries(out.n_rows, "weights must have one entry per cluster", weights);
        for (const std::int32_t label : vec(labels))
          require(label >= 0 && label < out.n_rows, "labels must be numbers of clusters");
        const ReleasedGil nogil;
        cluster::cluster_sums<View, typename View::Number>(rows, or_empty(weight), vec(labels),
                                                           vec(shift), out, vec(weights), ctx);
      },
      X.view());
}

void seed_centres(const InDense& X, const OptionalVector<double>& weight,
                  const InMatrix<double>& draws, const OutVector<std::int64_t>& chosen,
                  const Context& ctx) {
  std::visit(
      [&](const auto& rows) {
        require_rows(rows);
        const auto uniform = matrix(draws);
        require_entries(rows.n_rows, "weight must have one entry per row of X", weight);
        require(
            uniform.n_cols > 0 && uniform.n_rows + 1 == static_cast<std::int64_t>(chosen.shape(0)),
            "draws must have a row for each centre but the first");
        require(vec(chosen)[0] >= 0 && vec(chosen)[0] < rows.n_rows,
                "the first centre must be a row of X");
        const ReleasedGil nogil;
        cluster::seed_centres(rows, or_empty(weight), uniform, vec(chosen), ctx);
      },
      X.view());
}

}  // namespace

void bind_cluster_kmeans(nb::module_& m) {
  m.def("lloyd", &lloyd, "X"_a, "weight"_a.none(), nb::kw_only(), "centres"_a, "max_iter"_a,
        "tol"_a, "labels"_a, "history"_a.none(), "ctx"_a,
        "Move the centres to the means of their rows until they rest: the number of steps, the "
        "inertia, the squared moves of the last step, whether no row changed, and converged.");
  m.def("lloyd_of_blocks", &lloyd_of_blocks, "X"_a, "near"_a, "weight"_a.none(), nb::kw_only(),
        "centres"_a, "max_iter"_a, "tol"_a, "labels"_a, "history"_a.none(), "ctx"_a,
        "The same for rows in blocks; `near` are some of them, about which sums are taken.");
  m.def("nearest_centres", &nearest_centres, "X"_a, "centres"_a, nb::kw_only(), "labels"_a,
        "squared"_a.none(), "ctx"_a,
        "The nearest centre of each row, and the squared distance to it.");
  m.def("cluster_sums", &cluster_sums, "X"_a, "weight"_a.none(), "labels"_a, nb::kw_only(),
        "shift"_a, "sums"_a, "weights"_a, "ctx"_a,
        "The weighted sum of the rows of each cluster about a shift, which sparse rows ignore.");
  m.def("cluster_sums", &sums_of_blocks, "X"_a, "weight"_a.none(), "labels"_a, nb::kw_only(),
        "shift"_a, "sums"_a, "weights"_a, "ctx"_a, "The same of rows in blocks.");
  m.def("seed_centres", &seed_centres, "X"_a, "weight"_a.none(), "draws"_a, nb::kw_only(),
        "chosen"_a, "ctx"_a, "The rows that greedy k-means++ chooses after the first.");
}

}  // namespace gramian
