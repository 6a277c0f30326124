// Bindings of core/distance: sums of kernels of distances, and counts of pairs.
#include "distance/kernel_density.hpp"

#include "bindings/binding.hpp"
#include "bindings/distance/kd_tree.hpp"

namespace gramian {
namespace {

using distance::DensityRule;
using distance::Kernel;

DensityRule rule_of(std::string_view kernel, double bandwidth, double atol, double rtol) {
  require(bandwidth > 0.0, "bandwidth must be positive");
  require(atol >= 0.0 && rtol >= 0.0, "atol and rtol must not be negative");
  const auto chosen = named<Kernel>({{"gaussian", Kernel::gaussian},
                                     {"tophat", Kernel::tophat},
                                     {"epanechnikov", Kernel::epanechnikov},
                                     {"exponential", Kernel::exponential},
                                     {"linear", Kernel::linear},
                                     {"cosine", Kernel::cosine}},
                                    kernel, "the kernel is not one of the core's");
  return {chosen, bandwidth, atol, rtol};
}

void log_density_in_tree(const InDense& X, const nb::tuple& arrays,
                         const OptionalVector<double>& weights, std::string_view metric,
                         double power, std::string_view kernel, double bandwidth, double atol,
                         double rtol, const OutVector<double>& out, const Context& ctx) {
  const DensityRule rule = rule_of(kernel, bandwidth, atol, rtol);
  std::visit(
      [&](const auto& rows) {
        const TreeArguments given(arrays, metric, power, rows.n_cols);
        require_entries(given.tree.shape.n_rows, "weights must have one entry per row", weights);
        require_entries(rows.n_rows, "out must have one entry per row of X", out);
        const ReleasedGil nogil;
        distance::log_density_in_tree(rows, given.tree, or_empty(weights), rule, vec(out), ctx);
      },
      X.view());
}

void log_density_of_distances(const InDense& distances, const OptionalVector<double>& weights,
                              std::string_view kernel, double bandwidth, double atol, double rtol,
                              const OutVector<double>& out, const Context& ctx) {
  const DensityRule rule = rule_of(kernel, bandwidth, atol, rtol);
  std::visit(
      [&](const auto& values) {
        require_entries(values.n_cols, "weights must have one entry per column", weights);
        require_entries(values.n_rows, "out must have one entry per row of distances", out);
        const ReleasedGil nogil;
        distance::log_density_of_distances(values, or_empty(weights), rule, vec(out), ctx);
      },
      distances.view());
}

void count_pairs_in_tree(const InDense& X, const nb::tuple& arrays, std::string_view metric,
                         double power, const InVector<double>& radii,
                         const OutVector<std::int64_t>& counts, const Context& ctx) {
  require_entries(radii.shape(0), "counts must have one entry per radius", counts);
  require(std::ranges::is_sorted(vec(radii)), "radii must increase");
  std::visit(
      [&](const auto& rows) {
        const TreeArguments given(arrays, metric, power, rows.n_cols);
        const ReleasedGil nogil;
        distance::count_pairs_in_tree(rows, given.tree, vec(radii), vec(counts), ctx);
      },
      X.view());
}

}  // namespace

void bind_kernel_density(nb::module_& m) {
  m.def("log_density_in_tree", &log_density_in_tree, "X"_a, "tree"_a, "weights"_a.none(),
        nb::kw_only(), "metric"_a, "power"_a = 2.0, "kernel"_a, "bandwidth"_a, "atol"_a = 0.0,
        "rtol"_a = 0.0, "out"_a.noconvert(), "ctx"_a,
        "The logarithm of the sum of a kernel of the distances to a tree's rows.");
  m.def("log_density_of_distances", &log_density_of_distances, "distances"_a, "weights"_a.none(),
        nb::kw_only(), "kernel"_a, "bandwidth"_a, "atol"_a = 0.0, "rtol"_a = 0.0,
        "out"_a.noconvert(), "ctx"_a, "The same of given distances.");
  m.def("count_pairs_in_tree", &count_pairs_in_tree, "X"_a, "tree"_a, nb::kw_only(), "metric"_a,
        "power"_a = 2.0, "radii"_a, "counts"_a.noconvert(), "ctx"_a,
        "How many pairs of a row of X and a tree's row are within each of some radii.");
}

}  // namespace gramian
