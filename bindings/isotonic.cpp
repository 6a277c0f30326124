// Isotonic regression: shapes checked, GIL released, results written into arrays that Python
// allocated.
#include "solve/least_squares/isotonic.hpp"

#include "bindings/binding.hpp"

namespace gramian {
namespace {

template <class T>
void isotonic_values(const InVector<T>& y, const OptionalVector<double>& weight, bool increasing,
                     const OutVector<T>& out, const Context& ctx) {
  require_entries(y.shape(0), "weight and out must have one entry per value of y", weight, out);
  const ReleasedGil nogil;
  solve::isotonic_values(vec(y), or_empty(weight), increasing, vec(out), ctx);
}

template <class T>
std::int64_t isotonic_corners(const InVector<T>& x, const InVector<T>& y,
                              const OptionalVector<double>& weight, bool increasing, double y_min,
                              double y_max, double x_tolerance, const OutVector<T>& x_out,
                              const OutVector<T>& y_out, const Context& ctx) {
  require_entries(y.shape(0), "x, weight, x_out and y_out must have one entry per value of y", x,
                  weight, x_out, y_out);
  const solve::IsotonicPoints<T> points{vec(x), vec(y), or_empty(weight)};
  const ReleasedGil nogil;
  return solve::isotonic_corners(points, {increasing, y_min, y_max, x_tolerance}, vec(x_out),
                                 vec(y_out), ctx);
}

template <class T>
void bind_values(nb::module_& m) {
  m.def("isotonic_values", &isotonic_values<T>, "y"_a, "weight"_a, nb::kw_only(), "increasing"_a,
        "out"_a, "ctx"_a,
        "Isotonic fit to y in the given order; out may be y. Weights are positive.");
  m.def("isotonic_corners", &isotonic_corners<T>, "x"_a, "y"_a, "weight"_a, nb::kw_only(),
        "increasing"_a, "y_min"_a, "y_max"_a, "x_tolerance"_a, "x_out"_a, "y_out"_a, "ctx"_a,
        "Corners of the isotonic fit of y as a function of x; how many there are.");
}

}  // namespace

void bind_isotonic(nb::module_& m) {
  bind_values<double>(m);
  bind_values<float>(m);
}

}  // namespace gramian
