// Bindings of core/cluster: affinity propagation.
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bindings/binding.hpp"
#include "cluster/affinity.hpp"

namespace gramian {
namespace {

std::tuple<std::int64_t, bool> propagate_affinity(
    const InMatrix<double>& S, double damping, std::int64_t max_iter, std::int64_t convergence_iter,
    const OutMatrix<double>& A, const OutMatrix<double>& R,
    const OutVector<std::uint8_t>& is_exemplar, const Context& ctx) {
  const cluster::AffinityMessages messages{matrix(S), matrix(A), matrix(R)};
  const std::int64_t n = messages.S.n_rows;
  require(n > 0 && messages.S.n_cols == n, "S must be square");
  require(has_shape(n, n, A) && has_shape(n, n, R), "A and R must have the shape of S");
  require(
      messages.S.is_c_contiguous() && messages.A.is_c_contiguous() && messages.R.is_c_contiguous(),
      "S, A and R must be in C order");
  require_entries(n, "is_exemplar must have one entry per row", is_exemplar);
  require(max_iter >= 1 && convergence_iter >= 1, "numbers of iterations must be positive");
  const auto flags = vec(is_exemplar);
  const ReleasedGil nogil;
  const auto found =
      cluster::propagate_affinity(messages, {damping, max_iter, convergence_iter}, flags, ctx);
  return {found.n_iter, found.is_converged};
}

}  // namespace

void bind_cluster_affinity(nb::module_& m) {
  m.def("propagate_affinity", &propagate_affinity, "S"_a.noconvert(), nb::kw_only(), "damping"_a,
        "max_iter"_a, "convergence_iter"_a, "A"_a.noconvert(), "R"_a.noconvert(),
        "is_exemplar"_a.noconvert(), "ctx"_a,
        "Pass messages between rows until their exemplars stay: iterations, and whether they did.");
}

}  // namespace gramian
