// Bindings of core/cluster: mean shift.
#include "bindings/binding.hpp"
#include "bindings/distance/kd_tree.hpp"
#include "cluster/mean_shift.hpp"

namespace gramian {
namespace {

void shift_to_means(const nb::tuple& tree, double bandwidth, std::int64_t max_iter,
                    const OutMatrix<double>& means, const OutVector<std::int64_t>& n_within,
                    const OutVector<std::int64_t>& n_iter,
                    const OutVector<std::uint8_t>& is_settled, const Context& ctx) {
  require(bandwidth >= 0.0, "bandwidth must not be negative");
  require(max_iter >= 0, "max_iter must not be negative");
  const auto seeds = matrix(means);
  require_entries(seeds.n_rows, "n_within, n_iter and is_settled must have one entry per seed",
                  n_within, n_iter, is_settled);
  const TreeArguments given(tree, "euclidean", 2.0, seeds.n_cols);
  const cluster::ShiftedSeeds out{seeds, vec(n_within), vec(n_iter), vec(is_settled)};
  const ReleasedGil nogil;
  cluster::shift_to_means(given.tree, {bandwidth, max_iter}, out, ctx);
}

void keep_apart(const InMatrix<double>& Y, const nb::tuple& tree, double radius,
                const OutVector<std::uint8_t>& keeps, const Context& ctx) {
  require(radius >= 0.0, "radius must not be negative");
  const auto rows = matrix(Y);
  require_entries(rows.n_rows, "keeps must have one entry per row of Y", keeps);
  const TreeArguments given(tree, "euclidean", 2.0, rows.n_cols);
  require(given.tree.shape.n_rows == rows.n_rows, "the tree must be that of Y");
  const auto out = vec(keeps);
  const ReleasedGil nogil;
  cluster::keep_apart(rows, given.tree, radius, out, ctx);
}

void kth_distances(const InDense& X, std::int64_t k, const OutVector<double>& out,
                   const Context& ctx) {
  std::visit(
      [&](const auto& rows) {
        require_entries(rows.n_rows, "out must have one entry per row of X", out);
        require(k >= 1 && k <= rows.n_rows, "k must be between 1 and the number of rows");
        const auto distances = vec(out);
        const ReleasedGil nogil;
        distance::kth_distances(rows, k, distances, ctx);
      },
      X.view());
}

}  // namespace

void bind_cluster_mean_shift(nb::module_& m) {
  m.def("shift_to_means", &shift_to_means, "tree"_a, nb::kw_only(), "bandwidth"_a, "max_iter"_a,
        "means"_a.noconvert(), "n_within"_a.noconvert(), "n_iter"_a.noconvert(),
        "is_settled"_a.noconvert(), "ctx"_a,
        "Move seeds to the mean of the rows within a bandwidth, until they rest.");
  m.def("keep_apart", &keep_apart, "Y"_a.noconvert(), "tree"_a, nb::kw_only(), "radius"_a,
        "keeps"_a.noconvert(), "ctx"_a,
        "Which rows, in their order, are not within the radius of one that is kept.");
  m.def("kth_distances", &kth_distances, "X"_a, "k"_a, nb::kw_only(), "out"_a.noconvert(), "ctx"_a,
        "The distance of each row to the k-th nearest row, itself the first.");
}

}  // namespace gramian
