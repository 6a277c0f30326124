// Multilayer perceptrons: shapes checked, GIL released, results written into arrays that Python
// allocated.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <utility>
#include <variant>

#include "bindings/binding.hpp"
#include "bindings/network/network_exchange.hpp"
#include "bindings/network/network_front.hpp"
#include "bindings/network/network_rows.hpp"
#include "network/minimise.hpp"
#include "network/training.hpp"

namespace gramian {
namespace {

using network::Activation;
using network::Block;
using network::Design;
using network::EpochOptions;
using network::Inputs;
using network::Layer;
using network::LayerRates;
using network::Loss;
using network::MinimiseEnd;
using network::MinimiseOptions;
using network::Solver;
using network::Training;
using network::TrainingRows;

constexpr Named<Activation> kActivations[] = {
    {"identity", Activation::identity},
    {"logistic", Activation::logistic},
    {"tanh", Activation::tanh},
    {"relu", Activation::relu},
    {"leaky_relu", Activation::leaky_relu},
    {"softplus", Activation::softplus},
    {"gelu", Activation::gelu},
    {"silu", Activation::silu},
    {"selu", Activation::selu},
    {"mish", Activation::mish},
    {"exp", Activation::exp},
    {"softmax", Activation::softmax},
};
constexpr Named<Loss> kLosses[] = {
    {"log_loss", Loss::log_loss}, {"squared_error", Loss::squared_error},
    {"huber", Loss::huber},       {"quantile", Loss::quantile},
    {"poisson", Loss::poisson},   {"gamma", Loss::gamma},
};
constexpr Named<Solver> kSolvers[] = {
    {"sgd", Solver::sgd}, {"adam", Solver::adam}, {"adamw", Solver::adamw}};
constexpr Named<MinimiseEnd> kEnds[] = {
    {"gradient", MinimiseEnd::gradient},       {"decrease", MinimiseEnd::decrease},
    {"max_iter", MinimiseEnd::max_iter},       {"max_fun", MinimiseEnd::max_evaluations},
    {"no_progress", MinimiseEnd::no_progress}, {"time_limit", MinimiseEnd::time_limit},
};

Design design_of(const std::vector<std::int64_t>& sizes, std::string_view hidden,
                 std::string_view output, std::string_view loss, double loss_parameter) {
  require(sizes.size() >= 2, "a network has inputs and outputs");
  for (const std::int64_t size : sizes) require(size >= 1, "a layer has at least one neuron");
  const Design design{sizes, named(kActivations, hidden, "unknown activation"),
                      named(kActivations, output, "unknown activation of outputs"),
                      named(kLosses, loss, "unknown loss"), loss_parameter};
  require(design.hidden != Activation::softmax, "softmax is of outputs only");
  require(design.output != Activation::softmax || design.loss == Loss::log_loss,
          "softmax has the loss log_loss");
  return design;
}

using AnyTraining = std::variant<Training<double>, Training<float>>;

AnyTraining training_of(bool is_double, const Design& design) {
  if (is_double) return AnyTraining(std::in_place_type<Training<double>>, design, false);
  return AnyTraining(std::in_place_type<Training<float>>, design, false);
}

template <class T>
struct NumberOfTraining;
template <class T>
struct NumberOfTraining<Training<T>> {
  using Type = T;
};

template <class Function>
auto with_number(AnyTraining& training, const Function& function) {
  return std::visit(
      [&]<class Each>(Each& each) {
        return function.template operator()<typename NumberOfTraining<Each>::Type>(each);
      },
      training);
}

class BoundNetwork {
 public:
  BoundNetwork(const std::vector<std::int64_t>& sizes, bool is_double, std::string_view hidden,
               std::string_view output, std::string_view loss, double loss_parameter,
               const std::vector<std::int32_t>& begins, const std::vector<std::int32_t>& ends,
               std::int64_t n_frequencies, const std::vector<std::int32_t>& wave_sources,
               bool is_parametric)
      : design_(design_of(sizes, hidden, output, loss, loss_parameter)),
        training_(training_of(
            is_double, with_front(blocks_of(sizes, begins, ends),
                                  waves_of(sizes, !begins.empty(), n_frequencies, wave_sources),
                                  is_parametric))) {}

  void set_parameters(const nb::list& weights, const nb::list& biases, const nb::list& shares) {
    exchange_with(weights, biases, shares, Exchange::read);
    lent_ = nb::list();
  }
  // The same for predictions alone, which read large weights where they lie.
  void lend_parameters(const nb::list& weights, const nb::list& biases, const nb::list& shares) {
    exchange_with(weights, biases, shares, Exchange::lend);
    lent_ = nb::list(weights);
  }
  void get_parameters(const nb::list& weights, const nb::list& biases, const nb::list& shares) {
    require_own();
    exchange_with(weights, biases, shares, Exchange::write);
  }

  std::int64_t n_steps() {
    return with_number(training_, []<class T>(Training<T>& each) { return each.n_steps(); });
  }
  std::int64_t size() {
    return with_number(training_, []<class T>(Training<T>& each) { return each.network().size(); });
  }

  void get_moments(const OutDense& first, const OutDense& second) {
    with_number(training_, [&]<class T>(Training<T>& each) {
      each.prepare();
      std::ranges::copy(each.first_moments(), flat<T>(first, each));
      std::ranges::copy(each.second_moments(), flat<T>(second, each));
    });
  }
  void set_moments(const OutDense& first, const OutDense& second, std::int64_t n_steps) {
    with_number(training_, [&]<class T>(Training<T>& each) {
      const std::int64_t n = each.network().size();
      each.prepare();
      std::copy_n(flat<T>(first, each), n, each.first_moments().data());
      std::copy_n(flat<T>(second, each), n, each.second_moments().data());
      each.set_n_steps(n_steps);
    });
  }

  nb::tuple epoch(const NetworkRows& rows, const OptionalVector<std::int64_t>& order,
                  const EpochOptions& options, const Context& ctx) {
    require_own();
    return with_number(training_, [&]<class T>(Training<T>& each) {
      const std::size_t n_layers = each.network().layers().size();
      require(options.rates.empty() || options.rates.size() == n_layers, "rates are of each layer");
      const TrainingRows<T> taken = rows.rows<T>(design_, order);
      const auto done = without_gil([&] { return each.epoch(taken, options, ctx); });
      return nb::make_tuple(done.loss, done.n_rows);
    });
  }

  nb::tuple objective(const NetworkRows& rows, double alpha, const nb::list& weights,
                      const nb::list& biases, const nb::list& shares, const Context& ctx) {
    require_own();
    return with_number(training_, [&]<class T>(Training<T>& each) {
      const TrainingRows<T> taken = rows.rows<T>(design_, std::nullopt);
      std::vector<double> gradient(static_cast<std::size_t>(each.network().size()));
      const auto found = without_gil([&] { return each.objective(taken, alpha, gradient, ctx); });
      Buffer<T> copy(each.network().size());
      std::ranges::transform(gradient, copy.data(), [](double g) { return static_cast<T>(g); });
      exchange(each, arrays_of<T>(weights, biases, shares), &copy, Exchange::write);
      return nb::make_tuple(found.value, found.loss);
    });
  }

  nb::tuple norms(const NetworkRows& rows, double alpha, const Context& ctx) {
    require_own();
    return with_number(training_, [&]<class T>(Training<T>& each) {
      const TrainingRows<T> taken = rows.rows<T>(design_, std::nullopt);
      std::vector<double> gradient(static_cast<std::size_t>(each.network().size()));
      const auto found = without_gil([&] { return each.objective(taken, alpha, gradient, ctx); });
      return nb::make_tuple(found.value, found.loss, found.gradient_norm, found.norm);
    });
  }

  nb::tuple minimise(const NetworkRows& rows, const MinimiseOptions& options, const Context& ctx) {
    require_own();
    return with_number(training_, [&]<class T>(Training<T>& each) {
      const TrainingRows<T> taken = rows.rows<T>(design_, std::nullopt);
      auto found = without_gil([&] { return network::minimise<T>(each, taken, options, ctx); });
      return nb::make_tuple(name_of(kEnds, found.end), found.n_iter, found.n_evaluations,
                            found.objective.loss, found.gradient_size,
                            owned(std::move(found.losses)));
    });
  }

  void predict(const InRows& X, const OutDense& out, const Context& ctx) {
    require(has_parameters_, "a network is given parameters first");
    const AnyMatrix rows = X.contiguous_rows();
    with_number(training_, [&]<class T>(Training<T>& each) {
      const Inputs<T> inputs = inputs_of<T>(rows);
      const MatrixView<T> p = out_matrix<T>(out);
      require(n_cols_of(rows) == design_.n_inputs(), "X must have the columns of the network");
      require(p.n_rows == n_rows_of(rows) && p.n_cols == design_.n_outputs(),
              "out must be n_rows x n_outputs");
      const ReleasedGil nogil;
      each.network().predict(inputs, p, ctx);
    });
  }

 private:
  const Design& with_front(std::vector<Block> blocks, network::Waves waves, bool is_parametric) {
    design_.blocks = std::move(blocks);
    design_.waves = std::move(waves);
    design_.is_parametric = is_parametric;
    return design_;
  }
  template <class Array>
  static std::vector<Array> arrays(const nb::list& list) {
    std::vector<Array> out;
    for (const nb::handle each : list) out.push_back(nb::cast<Array>(each));
    return out;
  }
  template <class T>
  static LayerArrays<T> arrays_of(const nb::list& weights, const nb::list& biases,
                                  const nb::list& shares) {
    return {arrays<OutMatrix<T>>(weights), arrays<OutVector<T>>(biases),
            arrays<OutVector<T>>(shares)};
  }
  template <class T>
  static T* flat(const OutDense& moments, Training<T>& training) {
    const MatrixView<T> view = out_matrix<T>(moments);
    require(view.n_rows == 1 && view.n_cols == training.network().size() && view.col_stride == 1,
            "moments must be 1 x size");
    return view.data;
  }
  void exchange_with(const nb::list& weights, const nb::list& biases, const nb::list& shares,
                     Exchange kind) {
    with_number(training_, [&]<class T>(Training<T>& each) {
      exchange<T>(each, arrays_of<T>(weights, biases, shares), nullptr, kind);
    });
    has_parameters_ = true;
  }
  void require_own() const {
    require(has_parameters_, "a network is given parameters first");
    require(nb::len(lent_) == 0, "lent weights are for predictions");
  }

  Design design_;
  AnyTraining training_;
  bool has_parameters_ = false;
  nb::list lent_;  // what holds the weights that lie elsewhere
};

// Three factors for each layer: of weights, biases, and shares.
std::vector<LayerRates> rates_of(const std::vector<double>& flat) {
  require(flat.size() % 3 == 0, "rates come in threes");
  std::vector<LayerRates> rates;
  for (std::size_t k = 0; k < flat.size(); k += 3)
    rates.push_back({flat[k], flat[k + 1], flat[k + 2]});
  return rates;
}

EpochOptions epoch_options(std::string_view solver, double rate, double last_rate, double first,
                           double second, double epsilon, bool nesterov, double alpha,
                           double weight_decay, double max_norm, double dropout,
                           std::uint64_t dropout_seed, std::int64_t batch_rows,
                           const std::vector<double>& rates) {
  require(batch_rows >= 1, "a batch has at least one row");
  require(dropout >= 0.0 && dropout < 1.0, "dropout is a share below 1");
  EpochOptions options;
  options.rule.solver = named(kSolvers, solver, "unknown solver");
  options.rule.first = first;
  options.rule.second = second;
  options.rule.epsilon = epsilon;
  options.rule.nesterov = nesterov;
  options.rate = rate;
  options.last_rate = last_rate;
  options.max_norm = max_norm;
  options.dropout = {dropout, dropout_seed};
  options.alpha = alpha;
  options.weight_decay = weight_decay;
  options.batch_rows = batch_rows;
  options.rates = rates_of(rates);
  return options;
}

void bind_options(nb::module_& m) {
  nb::class_<EpochOptions>(m, "NetworkEpochOptions", "How the steps of an epoch are made.")
      .def(nb::new_(&epoch_options), nb::kw_only(), "solver"_a, "rate"_a, "last_rate"_a, "first"_a,
           "second"_a, "epsilon"_a, "nesterov"_a, "alpha"_a, "weight_decay"_a, "max_norm"_a,
           "dropout"_a, "dropout_seed"_a, "batch_rows"_a, "rates"_a);
  nb::class_<MinimiseOptions>(m, "NetworkMinimiseOptions", "How L-BFGS descends.")
      .def(nb::init<double, double, std::int64_t, std::int64_t>(), nb::kw_only(), "alpha"_a,
           "tol"_a, "max_iter"_a, "max_fun"_a);
  nb::class_<NetworkRows>(m, "NetworkRows", "Rows to train on, and their targets.")
      .def(nb::init<InRows, std::optional<InDense>, std::optional<InVector<std::int32_t>>,
                    OptionalVector<double>>(),
           "X"_a, nb::kw_only(), "values"_a.none(), "codes"_a.none(), "weight"_a.none());
}

}  // namespace

void bind_network(nb::module_& m) {
  bind_options(m);
  nb::class_<BoundNetwork>(m, "Network", "A multilayer perceptron and its optimiser's state.")
      .def(nb::init<const std::vector<std::int64_t>&, bool, std::string_view, std::string_view,
                    std::string_view, double, const std::vector<std::int32_t>&,
                    const std::vector<std::int32_t>&, std::int64_t,
                    const std::vector<std::int32_t>&, bool>(),
           "sizes"_a, nb::kw_only(), "is_double"_a, "hidden"_a, "output"_a, "loss"_a,
           "loss_parameter"_a, "block_begins"_a, "block_ends"_a, "n_frequencies"_a,
           "wave_sources"_a, "is_parametric"_a)
      .def("set_parameters", &BoundNetwork::set_parameters, "weights"_a, "biases"_a, "shares"_a)
      .def("lend_parameters", &BoundNetwork::lend_parameters, "weights"_a, "biases"_a, "shares"_a,
           "Parameters for predictions alone, large ones read where they lie.")
      .def("get_parameters", &BoundNetwork::get_parameters, "weights"_a, "biases"_a, "shares"_a)
      .def("get_moments", &BoundNetwork::get_moments, "first"_a, "second"_a)
      .def("set_moments", &BoundNetwork::set_moments, "first"_a, "second"_a, "n_steps"_a)
      .def_prop_ro("n_steps", &BoundNetwork::n_steps)
      .def_prop_ro("size", &BoundNetwork::size)
      .def("epoch", &BoundNetwork::epoch, "rows"_a, "order"_a.none(), "options"_a, "ctx"_a,
           "A pass over the rows, a step for each batch: the mean of the batches' losses, and how "
           "many "
           "rows were reached in time.")
      .def("objective", &BoundNetwork::objective, "rows"_a, "alpha"_a, "weights"_a, "biases"_a,
           "shares"_a, "ctx"_a,
           "The objective of all rows and the loss; its gradient into the arrays.")
      .def("norms", &BoundNetwork::norms, "rows"_a, "alpha"_a, "ctx"_a,
           "The objective, the loss, and the norms of the gradient and of the parameters.")
      .def("minimise", &BoundNetwork::minimise, "rows"_a, "options"_a, "ctx"_a,
           "L-BFGS: how it ended, iterations, evaluations, loss, gradient and losses.")
      .def("predict", &BoundNetwork::predict, "X"_a, nb::kw_only(), "out"_a, "ctx"_a,
           "The outputs of the rows.");
}

}  // namespace gramian
