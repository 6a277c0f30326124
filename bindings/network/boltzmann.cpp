// Restricted Boltzmann machines: shapes checked, GIL released, results written into arrays that
// Python allocated.
#include "network/boltzmann.hpp"

#include "bindings/binding.hpp"
#include "network/layers.hpp"

namespace gramian {
namespace {

using network::Contrast;
using network::Inputs;
using network::Machine;

template <class T>
Inputs<T> rows_of(const AnyMatrix& X, const Machine<T>& machine) {
  require(n_cols_of(X) == machine.n_visible, "X must have a column for each visible unit");
  return std::visit(
      []<class View>(const View& view) -> Inputs<T> {
        if constexpr (std::same_as<typename View::Number, T>)
          return view;
        else
          throw nb::type_error("X must have the dtype of the weights");
      },
      X);
}

template <class T>
Machine<T> machine_of(const OutMatrix<T>& weights, const OutVector<T>& hidden_bias,
                      const OutVector<T>& visible_bias, std::int64_t n_hidden) {
  const MatrixView<T> w = matrix(weights);
  require(w.is_c_contiguous() && w.n_cols == network::padded<T>(n_hidden),
          "weights must be n_visible x n_hidden, in rows padded to whole cache lines");
  require(has_entries(w.n_cols, hidden_bias) && has_entries(w.n_rows, visible_bias),
          "hidden_bias must be as wide as the weights, visible_bias as long");
  return {w.data, vec(hidden_bias).data(), vec(visible_bias).data(), w.n_rows, n_hidden, w.n_cols};
}

template <class T>
void contrastive_steps(const InRows& X, const OutMatrix<T>& weights,
                       const OutVector<T>& hidden_bias, const OutVector<T>& visible_bias,
                       const OutMatrix<T>& chains, const InVector<double>& draws,
                       std::int64_t batch_rows, double rate, const Context& ctx) {
  const AnyMatrix rows = X.contiguous_rows();
  const MatrixView<T> states = matrix(chains);
  require(batch_rows >= 1 && states.n_rows >= 1 && states.n_cols >= 1,
          "batches and chains have at least one row");
  const Machine<T> machine = machine_of(weights, hidden_bias, visible_bias, states.n_cols);
  const Contrast<T> contrast{
      rows_of(rows, machine), n_rows_of(rows), batch_rows, rate, states, vec(draws)};
  const std::int64_t n_units = machine.n_visible + machine.n_hidden;
  require(has_entries(contrast.n_batches() * contrast.n_chains() * n_units, draws),
          "a draw for each unit, chain and batch");
  const ReleasedGil nogil;
  network::take_contrastive_steps(machine, contrast, ctx);
}

template <class T>
void hidden_probabilities(const InRows& X, const OutMatrix<T>& weights,
                          const OutVector<T>& hidden_bias, const OutVector<T>& visible_bias,
                          const OutMatrix<T>& out, const Context& ctx) {
  const AnyMatrix rows = X.contiguous_rows();
  const MatrixView<T> p = matrix(out);
  const Machine<T> machine = machine_of(weights, hidden_bias, visible_bias, p.n_cols);
  const Inputs<T> inputs = rows_of(rows, machine);
  require(p.n_rows == n_rows_of(rows), "out must be n_rows x n_hidden");
  const ReleasedGil nogil;
  network::hidden_probabilities(machine, inputs, p, ctx);
}

template <class T>
void pseudo_likelihood(const InRows& X, const OutMatrix<T>& weights,
                       const OutVector<T>& hidden_bias, const OutVector<T>& visible_bias,
                       std::int64_t n_hidden, const InVector<std::int64_t>& flips,
                       const OutVector<double>& out, const Context& ctx) {
  const AnyMatrix rows = X.contiguous_rows();
  const Machine<T> machine = machine_of(weights, hidden_bias, visible_bias, n_hidden);
  const Inputs<T> inputs = rows_of(rows, machine);
  require_entries(n_rows_of(rows), "flips and out must have one entry per row", flips, out);
  for (const std::int64_t unit : vec(flips))
    require(unit >= 0 && unit < machine.n_visible, "flips must name visible units");
  const ReleasedGil nogil;
  network::pseudo_likelihood(machine, inputs, vec(flips), vec(out), ctx);
}

template <class T>
void bind_machine(nb::module_& m) {
  m.def("boltzmann_steps", &contrastive_steps<T>, "X"_a, "weights"_a, "hidden_bias"_a,
        "visible_bias"_a, nb::kw_only(), "chains"_a, "draws"_a, "batch_rows"_a, "rate"_a, "ctx"_a,
        "Steps of persistent contrastive divergence, one for each batch of rows; weights, biases "
        "and chains are changed in place.");
  m.def("boltzmann_hidden", &hidden_probabilities<T>, "X"_a, "weights"_a, "hidden_bias"_a,
        "visible_bias"_a, nb::kw_only(), "out"_a, "ctx"_a,
        "Probabilities of the hidden units, given the visible ones of each row.");
  m.def("boltzmann_pseudo_likelihood", &pseudo_likelihood<T>, "X"_a, "weights"_a, "hidden_bias"_a,
        "visible_bias"_a, nb::kw_only(), "n_hidden"_a, "flips"_a, "out"_a, "ctx"_a,
        "Pseudo-likelihood of each row, with one visible unit turned over.");
}

}  // namespace

void bind_boltzmann(nb::module_& m) {
  bind_machine<double>(m);
  bind_machine<float>(m);
}

}  // namespace gramian
