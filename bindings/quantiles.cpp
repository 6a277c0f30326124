// Weighted quantiles: shapes and offsets checked, GIL released, results written into an array that
// Python allocated.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "bindings/arrays.hpp"
#include "bindings/gil.hpp"
#include "loss/weighted_quantile.hpp"

using namespace nanobind::literals;

namespace gramian {
namespace {

loss::QuantileMethod method_of(const std::string& name) {
  static const std::map<std::string, loss::QuantileMethod> methods{
      {"inverted_cdf", loss::QuantileMethod::inverted_cdf},
      {"averaged_inverted_cdf", loss::QuantileMethod::averaged_inverted_cdf},
      {"linear", loss::QuantileMethod::linear}};
  const auto found = methods.find(name);
  require(found != methods.end(),
          "method must be 'inverted_cdf', 'averaged_inverted_cdf' or 'linear'");
  return found->second;
}

void group_quantiles(const InVector<double>& values, const std::optional<InVector<double>>& weight,
                     const InVector<std::int64_t>& offsets, const InVector<double>& levels,
                     const std::string& method, const OutVector<double>& out, const Context& ctx) {
  const auto starts = vec(offsets);
  const auto shares = vec(levels);
  require(!weight || weight->shape(0) == values.shape(0), "weight must have one entry per value");
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
  m.def("group_quantiles", &group_quantiles, "values"_a.noconvert(), "weight"_a.noconvert().none(),
        "offsets"_a.noconvert(), nb::kw_only(), "levels"_a.noconvert(), "method"_a,
        "out"_a.noconvert(), "ctx"_a,
        "Quantiles of groups of weighted values; a whole weight is a number of copies.");
}

}  // namespace gramian
