// Isotonic regression: shapes checked, GIL released, results written into arrays that Python
// allocated.
#include "solve/least_squares/isotonic.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/gil.hpp"

using namespace nanobind::literals;

namespace gramian {
namespace {

using OptionalWeight = std::optional<InVector<double>>;

std::span<const double> weights_of(const OptionalWeight& weight, std::size_t n) {
  require(!weight || weight->shape(0) == n, "weight must have one entry per value of y");
  return or_empty(weight);
}

template <class T>
void isotonic_values(const InVector<T>& y, const OptionalWeight& weight, bool increasing,
                     const OutVector<T>& out, const Context& ctx) {
  const auto weights = weights_of(weight, y.shape(0));
  require(out.shape(0) == y.shape(0), "out must have one entry per value of y");
  const ReleasedGil nogil;
  solve::isotonic_values(vec(y), weights, increasing, vec(out), ctx);
}

template <class T>
std::int64_t isotonic_corners(const InVector<T>& x, const InVector<T>& y,
                              const OptionalWeight& weight, bool increasing, double y_min,
                              double y_max, double x_tolerance, const OutVector<T>& x_out,
                              const OutVector<T>& y_out, const Context& ctx) {
  const auto n = y.shape(0);
  const auto weights = weights_of(weight, n);
  require(x.shape(0) == n && x_out.shape(0) == n && y_out.shape(0) == n,
          "x, x_out and y_out must have one entry per value of y");
  const solve::IsotonicPoints<T> points{vec(x), vec(y), weights};
  const ReleasedGil nogil;
  return solve::isotonic_corners(points, {increasing, y_min, y_max, x_tolerance}, vec(x_out),
                                 vec(y_out), ctx);
}

template <class T>
void bind_values(nb::module_& m) {
  m.def("isotonic_values", &isotonic_values<T>, "y"_a.noconvert(), "weight"_a.noconvert().none(),
        nb::kw_only(), "increasing"_a, "out"_a.noconvert(), "ctx"_a,
        "Isotonic fit to y in the given order; out may be y. Weights are positive.");
  m.def("isotonic_corners", &isotonic_corners<T>, "x"_a.noconvert(), "y"_a.noconvert(),
        "weight"_a.noconvert().none(), nb::kw_only(), "increasing"_a, "y_min"_a, "y_max"_a,
        "x_tolerance"_a, "x_out"_a.noconvert(), "y_out"_a.noconvert(), "ctx"_a,
        "Corners of the isotonic fit of y as a function of x; how many there are.");
}

}  // namespace

void bind_isotonic(nb::module_& m) {
  bind_values<double>(m);
  bind_values<float>(m);
}

}  // namespace gramian
