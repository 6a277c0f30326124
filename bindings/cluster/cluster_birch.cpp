// Bindings of core/cluster: the tree of clustering features of BIRCH.
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bindings/binding.hpp"
#include "cluster/cf_tree.hpp"

namespace gramian {
namespace {

using cluster::CfArrays;
using cluster::CfTree;

template <class T>
std::vector<T> copied(nb::handle array) {
  const auto values = vec(nb::cast<InVector<T>>(array));
  return {values.begin(), values.end()};
}

CfArrays arrays_of(const nb::tuple& given) {
  require(given.size() == 7, "a tree of features has seven parts");
  return {nb::cast<std::int64_t>(given[0]), copied<std::int64_t>(given[1]),
          copied<std::int64_t>(given[2]),   copied<std::int64_t>(given[3]),
          copied<std::int64_t>(given[4]),   copied<double>(given[5]),
          copied<double>(given[6])};
}

nb::tuple grow_cf_tree(const InRows& X, const std::optional<nb::tuple>& tree, double threshold,
                       std::int64_t branching_factor, const Context& ctx) {
  require(threshold > 0.0, "threshold must be positive");
  require(branching_factor > 1, "branching_factor must be greater than 1");
  CfArrays out;
  const std::optional<CfArrays> given = tree ? std::optional(arrays_of(*tree)) : std::nullopt;
  std::visit(
      [&](const auto& rows) {
        require(rows.n_cols > 0, "X must have columns");
        const cluster::CfRule rule{threshold, branching_factor};
        const ReleasedGil nogil;
        CfTree grown = given ? CfTree(rows.n_cols, rule, *given) : CfTree(rows.n_cols, rule);
        grown.insert(rows, ctx);
        out = grown.arrays();
      },
      X.view());
  return nb::make_tuple(out.root, owned(std::move(out.n_entries)), owned(std::move(out.next_leaf)),
                        owned(std::move(out.counts)), owned(std::move(out.children)),
                        owned(std::move(out.scatters)), owned(std::move(out.means)));
}

}  // namespace

void bind_cluster_birch(nb::module_& m) {
  m.def("grow_cf_tree", &grow_cf_tree, "X"_a, "tree"_a.none(), nb::kw_only(), "threshold"_a,
        "branching_factor"_a, "ctx"_a,
        "Put rows into a tree of clustering features: its root, then for each node the number of "
        "features and the next leaf, then for each feature count, child, scatter and mean.");
}

}  // namespace gramian
