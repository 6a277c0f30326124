// Models of the first rows of an order. Shapes checked, GIL released.
#include "boost/grow/prefix_models.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/gil.hpp"
#include "bindings/tree/grown_trees.hpp"
#include "boost/grow/renewal.hpp"

using namespace nanobind::literals;

namespace gramian {
namespace {

using boost::PrefixModels;

void require_leaves(std::span<const std::uint32_t> leaf_of, std::int64_t n_leaves) {
  require(n_leaves > 0 && std::ranges::all_of(leaf_of, [&](auto k) { return k < n_leaves; }),
          "leaf_of must name leaves");
}

void make_models(PrefixModels* self, const InVector<std::uint32_t>& order,
                 const std::optional<InVector<double>>& weight) {
  const auto rows = vec(order);
  std::vector<std::uint8_t> is_named(rows.size());
  for (const std::uint32_t row : rows) {
    require(row < rows.size() && is_named[row] == 0, "order must name each row once");
    is_named[row] = 1;
  }
  require(!weight || weight->shape(0) == rows.size(), "weight must have one entry per row");
  new (self) PrefixModels(rows, or_empty(weight));
}

void require_scores(const PrefixModels& self, std::size_t n) {
  require(static_cast<std::int64_t>(n) == self.n_scores(),
          "scores, gradient and hessian must have one entry per score");
}

auto newton_values(const PrefixModels& self, const InVector<float>& gradient,
                   const std::optional<InVector<float>>& hessian, const boost::TreeOptions& options,
                   const Context& ctx) {
  require_scores(self, gradient.shape(0));
  if (hessian) require_scores(self, hessian->shape(0));
  std::vector<double> values;
  {
    const ReleasedGil nogil;
    values = self.newton_values(vec(gradient), or_empty(hessian), options, ctx);
  }
  return owned(std::move(values));
}

auto quantile_values(const PrefixModels& self, const InVector<double>& y,
                     const InVector<double>& scores, double share, double scale,
                     const Context& ctx) {
  require(static_cast<std::int64_t>(y.shape(0)) == self.n_rows(), "y must have one entry per row");
  require_scores(self, scores.shape(0));
  std::vector<double> values;
  {
    const ReleasedGil nogil;
    values = self.quantile_values(vec(y), vec(scores), share, scale, ctx);
  }
  return owned(std::move(values));
}

auto leaf_quantiles(const InVector<std::uint32_t>& leaf_of, std::int64_t n_leaves,
                    const InVector<double>& y, const InVector<double>& scores,
                    const std::optional<InVector<double>>& weight, double share, double scale,
                    const Context& ctx) {
  const std::size_t n = leaf_of.shape(0);
  require(y.shape(0) == n && scores.shape(0) == n && (!weight || weight->shape(0) == n),
          "y, scores and weight must have one entry per row");
  require_leaves(vec(leaf_of), n_leaves);
  std::vector<double> values;
  {
    const ReleasedGil nogil;
    values = boost::leaf_quantiles({vec(leaf_of), n_leaves},
                                   {vec(y), vec(scores), or_empty(weight)}, share, scale, ctx);
  }
  return owned(std::move(values));
}

}  // namespace

void bind_prefix_models(nb::module_& m) {
  nb::class_<PrefixModels> cls(m, "BoostPrefixModels",
                               "Models of the first 0, 1, 2, 4, ... rows of an order.");
  cls.def("__init__", &make_models, "order"_a.noconvert(), nb::kw_only(),
          "weight"_a.noconvert().none());
  cls.def(
      "rows", [](const PrefixModels& self) { return owned(self.rows()); },
      "The row of each score, one model after the other.");
  cls.def(
      "own_places", [](const PrefixModels& self) { return owned(self.own_places()); },
      "Of each row: the place of its score by the largest model that has not seen it.");
  cls.def(
      "set_leaves",
      [](PrefixModels& self, const InVector<std::uint32_t>& leaf_of, std::int64_t n_leaves) {
        require(static_cast<std::int64_t>(leaf_of.shape(0)) == self.n_rows(),
                "leaf_of must have one entry per row");
        require_leaves(vec(leaf_of), n_leaves);
        const ReleasedGil nogil;
        self.set_leaves(vec(leaf_of), n_leaves);
      },
      "leaf_of"_a.noconvert(), nb::kw_only(), "n_leaves"_a,
      "Take the rows to be in these leaves from now on.");
  cls.def("newton_values", &newton_values, "gradient"_a.noconvert(), "hessian"_a.noconvert().none(),
          "options"_a, "ctx"_a, "Newton steps of the leaves, one model after the other.");
  cls.def("quantile_values", &quantile_values, "y"_a.noconvert(), "scores"_a.noconvert(),
          nb::kw_only(), "share"_a, "scale"_a, "ctx"_a,
          "Quantiles of what is left of y in the leaves, one model after the other.");
  cls.def(
      "add",
      [](const PrefixModels& self, const InVector<double>& values, const OutVector<double>& scores,
         const Context& ctx) {
        require(static_cast<std::int64_t>(values.shape(0)) == self.n_models() * self.n_leaves(),
                "values must have one entry per model and leaf");
        require_scores(self, scores.shape(0));
        const ReleasedGil nogil;
        self.add(vec(values), vec(scores), ctx);
      },
      "values"_a.noconvert(), "scores"_a.noconvert(), "ctx"_a,
      "Add the values of the rows' leaves to the scores.");
  m.def("boost_leaf_quantiles", &leaf_quantiles, "leaf_of"_a.noconvert(), nb::kw_only(),
        "n_leaves"_a, "y"_a.noconvert(), "scores"_a.noconvert(), "weight"_a.noconvert().none(),
        "share"_a, "scale"_a, "ctx"_a, "Quantiles of what is left of y in each leaf.");
}

}  // namespace gramian
