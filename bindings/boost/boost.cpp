// Boosting: the growing of trees on bins. Shapes checked, GIL released.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bindings/binding.hpp"
#include "bindings/tree/grown_trees.hpp"
#include "bindings/tree/linear_leaves.hpp"
#include "boost/bins/bins.hpp"
#include "boost/grow/leaf_values.hpp"
#include "boost/grow/linear_fit.hpp"
#include "boost/grow/renewal.hpp"
#include "boost/grow/tree_grower.hpp"

namespace gramian {
namespace {

using boost::Bins;
using boost::BoostedTree;
using boost::TreeGrower;
using boost::TreeOptions;

constexpr Named<boost::Growth> kGrowths[] = {{"leaf", boost::Growth::leaf},
                                             {"level", boost::Growth::level},
                                             {"symmetric", boost::Growth::symmetric}};

void bind_options(nb::module_& m) {
  nb::class_<TreeOptions> cls(m, "BoostOptions", "How a boosted tree grows.");
  cls.def(nb::init<>());
  cls.def_prop_rw(
      "growth", [](const TreeOptions& self) { return name_of(kGrowths, self.growth); },
      [](TreeOptions& self, std::string_view name) {
        self.growth = named(kGrowths, name, "unknown growth");
      });
  cls.def_rw("max_leaves", &TreeOptions::max_leaves);
  cls.def_rw("max_depth", &TreeOptions::max_depth);
  cls.def_rw("min_rows", &TreeOptions::min_rows);
  cls.def_rw("min_hessian", &TreeOptions::min_hessian);
  cls.def_rw("min_gain", &TreeOptions::min_gain);
  cls.def_rw("l1", &TreeOptions::l1);
  cls.def_rw("l2", &TreeOptions::l2);
  cls.def_rw("by_cosine", &TreeOptions::by_cosine);
  cls.def_rw("noise", &TreeOptions::noise);
  cls.def_rw("max_step", &TreeOptions::max_step);
  cls.def_rw("learning_rate", &TreeOptions::learning_rate);
  cls.def_rw("columns_by_tree", &TreeOptions::columns_by_tree);
  cls.def_rw("columns_by_level", &TreeOptions::columns_by_level);
  cls.def_rw("columns_by_node", &TreeOptions::columns_by_node);
  cls.def_rw("seed", &TreeOptions::seed);
  cls.def_rw("monotone", &TreeOptions::monotone);
  cls.def_rw("interaction_sets", &TreeOptions::interaction_sets);
  cls.def_rw("one_hot_levels", &TreeOptions::one_hot_levels);
  cls.def_rw("level_smoothing", &TreeOptions::level_smoothing);
  cls.def_rw("level_l2", &TreeOptions::level_l2);
  cls.def_rw("level_support", &TreeOptions::level_support);
  cls.def_rw("max_levels", &TreeOptions::max_levels);
  cls.def_rw("level_group", &TreeOptions::level_group);
  cls.def_rw("orders_absent", &TreeOptions::orders_absent);
}

void require_options(const TreeOptions& options, const Bins& bins) {
  const auto p = static_cast<std::size_t>(bins.n_features());
  require(options.monotone.empty() || options.monotone.size() == p,
          "monotone must have one entry per column");
  for (const auto& set : options.interaction_sets)
    for (const std::int32_t f : set)
      require(f >= 0 && f < bins.n_features(),
              "an interaction set names a column that is not there");
  require(options.l1 >= 0.0 && options.l2 >= 0.0, "l1 and l2 must not be negative");
  require(
      options.growth != boost::Growth::symmetric || options.max_depth > 0 || options.max_leaves > 0,
      "symmetric growth needs max_depth or max_leaves");
}

boost::GrowRows target_of(const TreeGrower& grower, const InVector<float>& gradient,
                          const OptionalVector<float>& hessian,
                          const OptionalVector<double>& weight) {
  require_entries(grower.bins().n_rows(),
                  "gradient, hessian and weight must have one entry per row", gradient, hessian,
                  weight);
  return {vec(gradient), or_empty(hessian), or_empty(weight), {}};
}

BoostedTree grow(TreeGrower& self, const InVector<float>& gradient,
                 const OptionalVector<float>& hessian, const OptionalVector<double>& weight,
                 const OptionalVector<std::uint32_t>& rows, const TreeOptions& options,
                 const Context& ctx) {
  boost::GrowRows target = target_of(self, gradient, hessian, weight);
  require(!rows || rows->shape(0) > 0, "rows must name a row");
  target.rows = or_empty(rows);
  for (const std::uint32_t row : target.rows)
    require(row < self.bins().n_rows(), "rows must be below the number of rows");
  require_options(options, self.bins());
  const ReleasedGil nogil;
  return self.grow(target, options, ctx);
}

// What linear leaves read: the rows of the bins as they were.
std::optional<AnyDense> raw_rows(const std::optional<InDense>& X, const Bins& bins,
                                 bool is_linear) {
  if (!X) {
    require(!is_linear, "linear leaves need X");
    return std::nullopt;
  }
  const AnyDense view = X->view();
  require(n_rows_of(view) == bins.n_rows() && n_cols_of(view) == bins.n_features(),
          "X must have the rows and columns of the bins");
  return view;
}

const AnyDense* or_null(const std::optional<AnyDense>& X) { return X ? &*X : nullptr; }

void bind_raw_rows(nb::class_<TreeGrower>& cls) {
  cls.def(
      "add_last",
      [](const TreeGrower& self, const BoostedTree& tree, const OutVector<double>& scores,
         const std::optional<InDense>& X, const Context& ctx) {
        require(has_entries(self.bins().n_rows(), scores) && tree.n_leaves() == self.n_leaves(),
                "scores must have one entry per row, and the tree be the last one");
        const auto rows = raw_rows(X, self.bins(), !tree.linear().empty());
        const ReleasedGil nogil;
        self.add_last(tree, or_null(rows), vec(scores), ctx);
      },
      "tree"_a, "scores"_a, nb::kw_only(), "X"_a = nb::none(), "ctx"_a,
      "Add what the tree grown last gives to the scores of all rows; X is for linear leaves.");
  cls.def(
      "fit_linear",
      [](const TreeGrower& self, BoostedTree& tree, const InDense& X,
         const InVector<float>& gradient, const OptionalVector<float>& hessian,
         const OptionalVector<double>& weight, double penalty, bool is_bounded,
         const Context& ctx) {
        require(tree.n_leaves() == self.n_leaves(), "the tree must be the last one");
        require(penalty >= 0.0, "penalty must not be negative");
        const auto target = target_of(self, gradient, hessian, weight);
        const auto rows = raw_rows(X, self.bins(), true);
        const ReleasedGil nogil;
        boost::fit_linear_leaves(self, target, *rows, {penalty, is_bounded}, tree, ctx);
      },
      "tree"_a, "X"_a, nb::kw_only(), "gradient"_a, "hessian"_a, "weight"_a, "penalty"_a,
      "is_bounded"_a, "ctx"_a,
      "Give the leaves of the tree grown last linear models of the columns on their paths.");
}

void bind_grower(nb::module_& m) {
  nb::class_<TreeGrower> cls(m, "BoostGrower", "Grows one boosted tree after another.");
  cls.def(
      "__init__",
      [](TreeGrower* self, std::shared_ptr<Bins> bins) { new (self) TreeGrower(std::move(bins)); },
      "bins"_a);
  cls.def("grow", &grow, "gradient"_a, nb::kw_only(), "hessian"_a, "weight"_a, "rows"_a,
          "options"_a, "ctx"_a, "A tree for these gradients; rows ascend, none: all.");
  bind_raw_rows(cls);
  cls.def(
      "renew_by_quantile",
      [](const TreeGrower& self, BoostedTree& tree, const InVector<double>& y,
         const InVector<double>& scores, const OptionalVector<double>& weight, double share,
         double scale, const Context& ctx) {
        require_entries(self.bins().n_rows(), "y, scores and weight must have one entry per row", y,
                        scores, weight);
        require(tree.n_leaves() == self.n_leaves(), "the tree must be the last one");
        const ReleasedGil nogil;
        boost::renew_by_quantile(self, {vec(y), vec(scores), or_empty(weight)}, share, scale, tree,
                                 ctx);
      },
      "tree"_a, nb::kw_only(), "y"_a, "scores"_a, "weight"_a, "share"_a, "scale"_a, "ctx"_a,
      "Set the leaves of the last tree to quantiles of what is left of y.");
}

// A tree in the flat format, waiting to be joined with others.
struct FlatTree {
  tree::GrownTrees arrays;

  FlatTree(const BoostedTree& tree, const Bins& bins) { tree.emit(bins, arrays); }
};

nb::dict joined_arrays(const std::vector<FlatTree*>& trees, const OptionalVector<double>& scale) {
  require_entries(trees.size(), "scale must have one entry per tree", scale);
  tree::GrownTrees joined;
  for (std::size_t k = 0; k < trees.size(); ++k) {
    const std::size_t n = joined.leaf_value.size(), n_inner = joined.node_value.size();
    joined.append(trees[k]->arrays);
    if (!scale) continue;
    for (std::size_t i = n; i < joined.leaf_value.size(); ++i)
      joined.leaf_value[i] *= vec(*scale)[k];
    for (std::size_t i = n_inner; i < joined.node_value.size(); ++i)
      joined.node_value[i] *= vec(*scale)[k];
  }
  std::vector<double> gains = std::move(joined.split_gain);
  nb::dict arrays = flat_arrays(std::move(joined));
  arrays["split_gain"] = owned(std::move(gains));
  return arrays;
}

void bind_flat_tree(nb::module_& m) {
  nb::class_<FlatTree> cls(m, "FlatTree", "A tree in the flat format.");
  cls.def_prop_ro("n_leaves", [](const FlatTree& self) { return self.arrays.leaf_value.size(); });
  cls.def_prop_ro("first_value", [](const FlatTree& self) { return self.arrays.leaf_value[0]; });
  m.def("join_flat_trees", &joined_arrays, "trees"_a, nb::kw_only(), "scale"_a = nb::none(),
        "The arrays of all trees by name, and split_gain; values times the scale of their tree.");
}

void bind_add(nb::class_<BoostedTree>& cls) {
  cls.def(
      "add",
      [](const BoostedTree& self, const Bins& bins, const OutVector<double>& scores, double scale,
         const std::optional<InDense>& X, const Context& ctx) {
        require_entries(bins.n_rows(), "scores must have one entry per row", scores);
        const auto rows = raw_rows(X, bins, !self.linear().empty());
        const ReleasedGil nogil;
        self.add(bins, or_null(rows), {}, scale, vec(scores), ctx);
      },
      "bins"_a, "scores"_a, nb::kw_only(), "scale"_a, "X"_a = nb::none(), "ctx"_a,
      "Add scale times what the rows' leaves give to the scores; X is for linear leaves.");
}

auto fit_values(const BoostedTree& self, const Bins& bins, const InVector<float>& gradient,
                const OptionalVector<float>& hessian, const OptionalVector<double>& weight,
                const TreeOptions& options, const OutVector<std::uint32_t>& leaf_of,
                bool finds_leaves, const Context& ctx) {
  require_entries(bins.n_rows(),
                  "gradient, hessian, weight and leaf_of must have one entry per row", gradient,
                  hessian, weight, leaf_of);
  const auto n_leaves = static_cast<std::uint32_t>(self.n_leaves());
  require(finds_leaves || std::ranges::all_of(vec(leaf_of), [&](auto k) { return k < n_leaves; }),
          "leaf_of must name leaves");
  const boost::Derivatives rows{vec(gradient), or_empty(hessian), or_empty(weight)};
  return owned(without_gil([&] {
    return boost::fit_values(self, bins, rows, options, vec(leaf_of), finds_leaves, ctx);
  }));
}

void bind_tree(nb::module_& m) {
  bind_flat_tree(m);
  nb::class_<BoostedTree> cls(m, "BoostTree", "A tree on bins.");
  cls.def_prop_ro("n_leaves", &BoostedTree::n_leaves);
  cls.def(
      "values",
      [](const BoostedTree& self) {
        std::vector<double> values;
        for (std::int64_t k = 0; k < self.n_leaves(); ++k) values.push_back(self.leaf(k).value);
        return owned(std::move(values));
      },
      "The values of the leaves, from left to right.");
  cls.def(
      "set_values",
      [](BoostedTree& self, const InVector<double>& values) {
        require_entries(self.n_leaves(), "values must have one entry per leaf", values);
        for (std::int64_t k = 0; k < self.n_leaves(); ++k)
          self.set_value(k, vec(values)[static_cast<std::size_t>(k)]);
      },
      "values"_a);
  cls.def(
      "count_rows",
      [](BoostedTree& self, const InVector<std::uint32_t>& leaf_of,
         const OptionalVector<double>& weight) {
        const auto leaves = vec(leaf_of);
        require_entries(leaves.size(), "weight must have one entry per row", weight);
        require(std::ranges::all_of(leaves, [&](auto k) { return k < self.n_leaves(); }),
                "leaf_of must name leaves");
        const ReleasedGil nogil;
        self.count_rows(leaves, or_empty(weight));
      },
      "leaf_of"_a, nb::kw_only(), "weight"_a, "Set numbers and weights of the leaves' rows.");
  bind_add(cls);
  cls.def(
      "flat", [](const BoostedTree& self, const Bins& bins) { return FlatTree(self, bins); },
      "bins"_a, "The tree in the flat format.");
  cls.def(
      "linear", [](const BoostedTree& self) { return arrays_of(self.linear()); },
      "The arrays of the linear leaves by name; None if there are none.");
  cls.def(
      "find_leaves",
      [](const BoostedTree& self, const Bins& bins, const OutVector<std::uint32_t>& leaf_of,
         const Context& ctx) {
        require_entries(bins.n_rows(), "leaf_of must have one entry per row", leaf_of);
        const ReleasedGil nogil;
        self.find_leaves(bins, vec(leaf_of), ctx);
      },
      "bins"_a, "leaf_of"_a, nb::kw_only(), "ctx"_a, "Write the leaf of each row.");
  cls.def("fit_values", &fit_values, "bins"_a, nb::kw_only(), "gradient"_a, "hessian"_a, "weight"_a,
          "options"_a, "leaf_of"_a, "finds_leaves"_a = true, "ctx"_a,
          "The values of the leaves that are best for other rows; writes the leaf of each row, "
          "unless they are known.");
}

}  // namespace

void bind_boost(nb::module_& m) {
  bind_options(m);
  bind_tree(m);
  bind_grower(m);
}

}  // namespace gramian
