// Pruning of a tree: shapes and the preorder checked, GIL released, results written into arrays
// that Python allocated.
#include "bindings/binding.hpp"
#include "tree/grow/pruning.hpp"

namespace gramian {
namespace {

// The number of splits of a preorder sequence, which must be one whole tree.
std::size_t checked_splits(std::span<const std::int32_t> feature) {
  std::int64_t open = 1;
  std::size_t n_splits = 0;
  for (const std::int32_t f : feature) {
    require(open > 0, "feature must be one tree in preorder; nodes follow its end");
    open += f < 0 ? -1 : 1;
    n_splits += f >= 0;
  }
  require(open == 0, "feature must be one tree in preorder; its end is missing");
  return n_splits;
}

std::int64_t weakest_links(const InVector<std::int32_t>& feature, const InVector<double>& risk,
                           const OutVector<double>& alphas, const OutVector<double>& risks,
                           const OutVector<std::int32_t>& steps, const Context& ctx) {
  const std::size_t n_nodes = feature.shape(0);
  require_entries(n_nodes, "risk and steps must have one entry per node", risk, steps);
  const std::size_t room = checked_splits(vec(feature)) + 1;
  require(alphas.shape(0) >= room && risks.shape(0) >= room,
          "alphas and risks must have one entry more than there are splits");
  const ReleasedGil nogil;
  return tree::weakest_links(vec(feature), vec(risk), vec(alphas), vec(risks), vec(steps), ctx);
}

void reduced_error_leaves(const InVector<std::int32_t>& feature, const InVector<double>& error,
                          const OutVector<std::uint8_t>& is_leaf) {
  checked_splits(vec(feature));
  require_entries(feature.shape(0), "error and is_leaf must have one entry per node", error,
                  is_leaf);
  const ReleasedGil nogil;
  tree::reduced_error_leaves(vec(feature), vec(error), vec(is_leaf));
}

}  // namespace

void bind_tree_prune(nb::module_& m) {
  m.def("weakest_links", &weakest_links, "feature"_a, "risk"_a, nb::kw_only(), "alphas"_a,
        "risks"_a, "steps"_a, "ctx"_a,
        "Steps of cost-complexity pruning of a tree in preorder; how many there are.");
  m.def("reduced_error_leaves", &reduced_error_leaves, "feature"_a, "error"_a, nb::kw_only(),
        "is_leaf"_a, "Which nodes of a tree in preorder are leaves after reduced-error pruning.");
}

}  // namespace gramian
