// Bindings of core/distance: the objective of neighbourhood components analysis.
#include "bindings/arrays.hpp"
#include "bindings/binding.hpp"
#include "distance/class_neighbours/objective.hpp"

namespace gramian {
namespace {

void choose_neighbours(const InMatrix<double>& rows, const InVector<std::int64_t>& codes,
                       const OutVector<double>& probabilities, const OutMatrix<double>& pull,
                       const Context& ctx) {
  const auto given = matrix(rows);
  require_entries(given.n_rows, "codes must have one entry per row", codes);
  require_entries(given.n_rows, "probabilities must have one entry per row", probabilities);
  require(pull.shape(0) == rows.shape(0) && pull.shape(1) == rows.shape(1),
          "pull must have the shape of the rows");
  const auto out = matrix(pull);
  const ReleasedGil nogil;
  distance::choose_neighbours(given, vec(codes), vec(probabilities), out, ctx);
}

}  // namespace

void bind_class_neighbours(nb::module_& m) {
  m.def("choose_neighbours", &choose_neighbours, "rows"_a.noconvert(), "codes"_a.noconvert(),
        nb::kw_only(), "probabilities"_a.noconvert(), "pull"_a.noconvert(), "ctx"_a,
        "How likely rows take a neighbour of their class, and half the gradient of the sum.");
}

}  // namespace gramian
