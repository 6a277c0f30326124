// Decompositions of rows: shapes checked, GIL released, results written into arrays that Python
// allocated.
#include "bindings/binding.hpp"
#include "solve/ica/fast_ica.hpp"

namespace gramian {
namespace {

void ica_sums(const InMatrix<double>& Z, const InMatrix<double>& W, std::string_view contrast,
              double alpha, const OutMatrix<double>& products, const OutVector<double>& slopes,
              const Context& ctx) {
  const auto function = named<Contrast>(
      {{"logcosh", Contrast::logcosh}, {"exp", Contrast::exp}, {"cube", Contrast::cube}}, contrast,
      "the contrast is not one of the core's");
  const auto m = W.shape(0), k = Z.shape(1);
  require(Z.shape(0) > 0 && k > 0, "Z must have rows and columns");
  require(W.shape(1) == k, "W must have one column per column of Z");
  require(has_shape(m, k, products), "products must have the shape of W");
  require_entries(m, "slopes must have one entry per row of W", slopes);
  const auto rows = matrix(Z), directions = matrix(W);
  const auto out = matrix(products);
  const auto sums = vec(slopes);
  const ReleasedGil nogil;
  solve::contrast_sums(rows, directions, function, alpha, out, sums, ctx);
}

}  // namespace

void bind_decomposition(nb::module_& m) {
  m.def("ica_sums", &ica_sums, "Z"_a, "W"_a, nb::kw_only(), "contrast"_a, "alpha"_a, "products"_a,
        "slopes"_a, "ctx"_a,
        "products = sum g(y) z' and slopes = sum g'(y) over the rows z of Z, with y = W z.");
}

}  // namespace gramian
