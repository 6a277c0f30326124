// Bindings of core/distance: Gower's distances.
#include "distance/gower.hpp"

#include "bindings/binding.hpp"

namespace gramian {
namespace {

void gower_distances(const InMatrix<double>& X, const InMatrix<double>& Y,
                     const InVector<std::uint8_t>& is_level, const OutMatrix<double>& out,
                     const Context& ctx) {
  require(X.shape(1) == Y.shape(1), "X and Y must have the same number of columns");
  require_entries(static_cast<std::int64_t>(Y.shape(1)), "is_level must have one entry per column",
                  is_level);
  require(out.shape(0) == X.shape(0) && out.shape(1) == Y.shape(0),
          "out must have a row for each row of X and a column for each row of Y");
  const auto left = matrix(X), right = matrix(Y);
  const auto distances = matrix(out);
  const ReleasedGil nogil;
  distance::gower(left, right, vec(is_level), distances, ctx);
}

}  // namespace

void bind_gower(nb::module_& m) {
  m.def("gower_distances", &gower_distances, "X"_a.noconvert(), "Y"_a.noconvert(), nb::kw_only(),
        "is_level"_a.noconvert(), "out"_a.noconvert(), "ctx"_a,
        "Gower's distances of rows whose numbers are in units of their range.");
}

}  // namespace gramian
