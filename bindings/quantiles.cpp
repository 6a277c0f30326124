// Weighted quantiles: shapes and offsets checked, GIL released, results written into an array that
// Python allocated.
#include "bindings/binding.hpp"
#include "loss/weighted_quantile.hpp"

namespace gramian {
namespace {

loss::QuantileMethod method_of(std::string_view name) {
  using loss::QuantileMethod;
  return named<QuantileMethod>(
      {{"inverted_cdf", QuantileMethod::inverted_cdf},
       {"averaged_inverted_cdf", QuantileMethod::averaged_inverted_cdf},
       {"linear", QuantileMethod::linear}},
      name, "method must be 'inverted_cdf', 'averaged_inverted_cdf' or 'linear'");
}

void group_quantiles(const InVector<double>& values, const OptionalVector<double>& weight,
                     const InVector<std::int64_t>& offsets, const InVector<double>& levels,
                     std::string_view method, const OutVector<double>& out, const Context& ctx) {
  const auto starts = vec(offsets);
  const auto shares = vec(levels);
  require_entries(values.shape(0), "weight must have one entry per value", weight);
  require(!starts.empty() && starts.front() == 0 && std::ranges::is_sorted(starts) &&
              starts.back() == static_cast<std::int64_t>(values.shape(0)),
          "offsets must ascend from 0 to the number of values");
  require(std::ranges::all_of(shares, [](double level) { return level >= 0.0 && level <= 1.0; }),
          "levels must be between 0 and 1");
  require(out.shape(0) == (starts.size() - 1) * shares.size(),
          "out must have an entry for each group and level");
  const loss::QuantileMethod chosen = method_of(method);
  const ReleasedGil nogil;
  loss::group_quantiles({vec(values), or_empty(weight), starts}, shares, chosen, vec(out), ctx);
}

}  // namespace

void bind_quantiles(nb::module_& m) {
  m.def("group_quantiles", &group_quantiles, "values"_a, "weight"_a, "offsets"_a, nb::kw_only(),
        "levels"_a, "method"_a, "out"_a, "ctx"_a,
        "Quantiles of groups of weighted values; a whole weight is a number of copies.");
}

}  // namespace gramian
