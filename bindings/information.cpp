// Information that variables share: shapes checked, GIL released, results written into arrays that
// Python allocated.
#include "bindings/binding.hpp"
#include "metrics/clusterings.hpp"
#include "metrics/neighbour_information.hpp"

namespace gramian {
namespace {

metrics::ClusterSizes cluster_sizes(const InVector<std::int64_t>& size,
                                    const InVector<std::int64_t>& count, std::int64_t n_samples) {
  require(size.shape(0) == count.shape(0), "every size must have a count");
  const metrics::ClusterSizes sizes{vec(size), vec(count)};
  require(std::ranges::all_of(sizes.size, [&](auto s) { return s > 0 && s <= n_samples; }),
          "sizes must be between 1 and n_samples");
  return sizes;
}

double expected_mutual_information(const InVector<std::int64_t>& a_size,
                                   const InVector<std::int64_t>& a_count,
                                   const InVector<std::int64_t>& b_size,
                                   const InVector<std::int64_t>& b_count, std::int64_t n_samples,
                                   const Context& ctx) {
  const auto a = cluster_sizes(a_size, a_count, n_samples);
  const auto b = cluster_sizes(b_size, b_count, n_samples);
  const ReleasedGil nogil;
  return metrics::expected_mutual_information(a, b, n_samples, ctx);
}

void continuous_information(const InMatrix<double>& x, const InVector<double>& y,
                            std::int64_t n_neighbors, const InVector<double>& psi,
                            const OutVector<double>& out, const Context& ctx) {
  const auto n = x.shape(1);
  require_entries(n, "y must have one entry per column of x", y);
  require(psi.shape(0) > n, "psi must have n + 1 entries");
  require(n_neighbors >= 1 && n_neighbors < static_cast<std::int64_t>(n),
          "n_neighbors must be at least 1 and less than the number of columns of x");
  require_entries(x.shape(0), "out must have one entry per row of x", out);
  const auto variables = matrix(x);
  const ReleasedGil nogil;
  metrics::continuous_information(variables, vec(y), n_neighbors, vec(psi), vec(out), ctx);
}

void class_information(const InMatrix<double>& x, const InMatrix<std::int64_t>& codes,
                       std::int64_t n_classes, std::int64_t n_neighbors,
                       const InVector<double>& psi, const OutVector<double>& out,
                       const Context& ctx) {
  const auto n = x.shape(1);
  const auto n_problems = out.shape(0);
  require(codes.shape(1) == n, "x and codes must have as many columns");
  require((x.shape(0) == 1 || x.shape(0) == n_problems) &&
              (codes.shape(0) == 1 || codes.shape(0) == n_problems),
          "x and codes must have one row, or one per entry of out");
  require(psi.shape(0) > n, "psi must have n + 1 entries");
  require(n_neighbors >= 1, "n_neighbors must be at least 1");
  const auto variables = matrix(x);
  const auto classes = matrix(codes);
  for (std::int64_t j = 0; j < classes.n_rows; ++j)
    for (std::int64_t i = 0; i < classes.n_cols; ++i)
      require(classes(j, i) >= 0 && classes(j, i) < n_classes,
              "codes must be between 0 and n_classes - 1");
  const ReleasedGil nogil;
  metrics::class_information(variables, classes, n_classes, n_neighbors, vec(psi), vec(out), ctx);
}

}  // namespace

void bind_information(nb::module_& m) {
  m.def("expected_mutual_information", &expected_mutual_information, "a_size"_a, "a_count"_a,
        "b_size"_a, "b_count"_a, nb::kw_only(), "n_samples"_a, "ctx"_a,
        "Mean mutual information of clusterings with clusters of these sizes.");
  m.def("continuous_information", &continuous_information, "x"_a, "y"_a, nb::kw_only(),
        "n_neighbors"_a, "psi"_a, "out"_a, "ctx"_a,
        "Information between every row of x and y, from the k nearest neighbours.");
  m.def("class_information", &class_information, "x"_a, "codes"_a, nb::kw_only(), "n_classes"_a,
        "n_neighbors"_a, "psi"_a, "out"_a, "ctx"_a,
        "Information between the rows of x and of codes, from the k nearest neighbours.");
}

}  // namespace gramian
