// Boosting over trees that share their columns: shapes checked, GIL released.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <utility>

#include "bindings/gil.hpp"
#include "bindings/tree_columns.hpp"
#include "ensemble/samme.hpp"

using namespace nanobind::literals;

namespace gramian {
namespace {

nb::tuple boost_samme(const TreeColumns& columns, const TreeOptions& options,
                      const InVector<std::int32_t>& labels, std::int32_t n_classes,
                      const InVector<double>& weight, double rate,
                      const InVector<std::uint64_t>& seeds, const Context& ctx) {
  const tree::Target target{vec(labels), {}, {&n_classes, 1}, columns.n_rows(), 1};
  require_target(target, columns.get());
  columns.require_for(options.get());
  require(weight.shape(0) == labels.shape(0), "weight must have one entry per row");
  ensemble::SammeTrees boosted;
  {
    const ReleasedGil nogil;
    boosted = ensemble::boost_samme(columns.get(), target, options.get(), vec(weight), rate,
                                    vec(seeds), ctx);
  }
  return nb::make_tuple(arrays_of(std::move(boosted.trees), columns.get()),
                        owned(std::move(boosted.weights)), owned(std::move(boosted.errors)),
                        boosted.has_overflown);
}

}  // namespace

void bind_boosted_trees(nb::module_& m) {
  m.def("boost_samme", &boost_samme, "columns"_a, "options"_a, nb::kw_only(),
        "labels"_a.noconvert(), "n_classes"_a, "weight"_a.noconvert(), "rate"_a,
        "seeds"_a.noconvert(), "ctx"_a,
        "AdaBoost of trees: their arrays, weights and errors, and whether the weights of the rows "
        "have overflown.");
}

}  // namespace gramian
