// Models of the first rows of an order. Shapes checked, GIL released.
#include "boost/grow/prefix_models.hpp"

#include "bindings/binding.hpp"
#include "bindings/tree/grown_trees.hpp"
#include "boost/grow/renewal.hpp"

namespace gramian {
namespace {

using boost::PrefixModels;

void require_leaves(std::span<const std::uint32_t> leaf_of, std::int64_t n_leaves) {
  require(n_leaves > 0 && std::ranges::all_of(leaf_of, [&](auto k) { return k < n_leaves; }),
          "leaf_of must name leaves");
}

void make_models(PrefixModels* self, const InVector<std::uint32_t>& order,
                 const OptionalVector<double>& weight) {
  const auto rows = vec(order);
  std::vector<std::uint8_t> is_named(rows.size());
  for (const std::uint32_t row : rows) {
    require(row < rows.size() && is_named[row] == 0, "order must name each row once");
    is_named[row] = 1;
  }
  require_entries(rows.size(), "weight must have one entry per row", weight);
  new (self) PrefixModels(rows, or_empty(weight));
}

template <class... Vectors>
void require_scores(const PrefixModels& self, const Vectors&... vectors) {
  require_entries(self.n_scores(), "scores, gradient and hessian must have one entry per score",
                  vectors...);
}

auto newton_values(const PrefixModels& self, const InVector<float>& gradient,
                   const OptionalVector<float>& hessian, const boost::TreeOptions& options,
                   const Context& ctx) {
  require_scores(self, gradient, hessian);
  return owned(without_gil(
      [&] { return self.newton_values(vec(gradient), or_empty(hessian), options, ctx); }));
}

auto quantile_values(const PrefixModels& self, const InVector<double>& y,
                     const InVector<double>& scores, double share, double scale,
                     const Context& ctx) {
  require_entries(self.n_rows(), "y must have one entry per row", y);
  require_scores(self, scores);
  return owned(
      without_gil([&] { return self.quantile_values(vec(y), vec(scores), share, scale, ctx); }));
}

auto leaf_quantiles(const InVector<std::uint32_t>& leaf_of, std::int64_t n_leaves,
                    const InVector<double>& y, const InVector<double>& scores,
                    const OptionalVector<double>& weight, double share, double scale,
                    const Context& ctx) {
  require_entries(leaf_of.shape(0), "y, scores and weight must have one entry per row", y, scores,
                  weight);
  require_leaves(vec(leaf_of), n_leaves);
  return owned(without_gil([&] {
    return boost::leaf_quantiles({vec(leaf_of), n_leaves}, {vec(y), vec(scores), or_empty(weight)},
                                 share, scale, ctx);
  }));
}

}  // namespace

void bind_prefix_models(nb::module_& m) {
  nb::class_<PrefixModels> cls(m, "BoostPrefixModels",
                               "Models of the first 0, 1, 2, 4, ... rows of an order.");
  cls.def("__init__", &make_models, "order"_a, nb::kw_only(), "weight"_a);
  cls.def(
      "rows", [](const PrefixModels& self) { return owned(self.rows()); },
      "The row of each score, one model after the other.");
  cls.def(
      "own_places", [](const PrefixModels& self) { return owned(self.own_places()); },
      "Of each row: the place of its score by the largest model that has not seen it.");
  cls.def(
      "set_leaves",
      [](PrefixModels& self, const InVector<std::uint32_t>& leaf_of, std::int64_t n_leaves) {
        require_entries(self.n_rows(), "leaf_of must have one entry per row", leaf_of);
        require_leaves(vec(leaf_of), n_leaves);
        const ReleasedGil nogil;
        self.set_leaves(vec(leaf_of), n_leaves);
      },
      "leaf_of"_a, nb::kw_only(), "n_leaves"_a, "Take the rows to be in these leaves from now on.");
  cls.def("newton_values", &newton_values, "gradient"_a, "hessian"_a, "options"_a, "ctx"_a,
          "Newton steps of the leaves, one model after the other.");
  cls.def("quantile_values", &quantile_values, "y"_a, "scores"_a, nb::kw_only(), "share"_a,
          "scale"_a, "ctx"_a,
          "Quantiles of what is left of y in the leaves, one model after the other.");
  cls.def(
      "add",
      [](const PrefixModels& self, const InVector<double>& values, const OutVector<double>& scores,
         const Context& ctx) {
        require_entries(self.n_models() * self.n_leaves(),
                        "values must have one entry per model and leaf", values);
        require_scores(self, scores);
        const ReleasedGil nogil;
        self.add(vec(values), vec(scores), ctx);
      },
      "values"_a, "scores"_a, "ctx"_a, "Add the values of the rows' leaves to the scores.");
  m.def("boost_leaf_quantiles", &leaf_quantiles, "leaf_of"_a, nb::kw_only(), "n_leaves"_a, "y"_a,
        "scores"_a, "weight"_a, "share"_a, "scale"_a, "ctx"_a,
        "Quantiles of what is left of y in each leaf.");
}

}  // namespace gramian
