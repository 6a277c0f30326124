// Networks: gradients against differences, the same bits on all levels and threads.
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "base/context.hpp"
#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "network/minimise.hpp"
#include "network/neurons_kernel.hpp"
#include "network/training.hpp"
#include "simd/each_level.hpp"

using namespace gramian::network;
using gramian::Context;
using gramian::CsrView;
using gramian::MatrixView;
using test::at;

namespace {

constexpr std::int64_t kRows = 131;
constexpr std::int64_t kInputs = 7;

struct Data {
  std::vector<double> X = test::normal_values(kRows * kInputs, 1);
  std::vector<double> y;
  std::vector<std::int32_t> codes;
  std::vector<double> weight;

  explicit Data(std::int64_t n_outputs) {
    for (std::int64_t i = 0; i < kRows; ++i) {
      codes.push_back(static_cast<std::int32_t>(i % n_outputs));
      weight.push_back(1.0 + static_cast<double>(i % 3));
      for (std::int64_t j = 0; j < n_outputs; ++j)
        y.push_back(X[at(i * kInputs)] > 0.1 * static_cast<double>(j) ? 1.0 : 0.0);
    }
  }

  TrainingRows<double> rows(const Design& design) const {
    TrainingRows<double> out;
    out.X = MatrixView<const double>(X.data(), kRows, kInputs);
    if (design.output == Activation::softmax)
      out.targets.codes = codes;
    else
      out.targets.values = MatrixView<const double>(y.data(), kRows, design.n_outputs());
    out.targets.weight = weight;
    out.n_rows = kRows;
    return out;
  }
};

void draw(Network<double>& network) {
  const auto values = test::normal_values(network.size(), 5);
  for (const Layer& layer : network.layers())
    for (std::int64_t i = 0; i < layer.n_rows(); ++i)
      for (std::int64_t j = 0; j < layer.n_out; ++j)
        network.parameters()[layer.row(i) + j] = 0.4 * values[at(layer.row(i) + j)];
  network.refresh();
}

double objective_at(Training<double>& training, const TrainingRows<double>& rows, double alpha) {
  std::vector<double> gradient(at(training.network().size()));
  training.network().refresh();
  return training.objective(rows, alpha, gradient, Context{}).value;
}

void check_gradient(const Design& design) {
  constexpr double kAlpha = 0.7, kStep = 1e-5;
  const Data data(design.n_outputs());
  const TrainingRows<double> rows = data.rows(design);
  Training<double> training(design);
  draw(training.network());
  std::vector<double> gradient(at(training.network().size()));
  training.objective(rows, kAlpha, gradient, Context{});
  for (const Layer& layer : training.network().layers())
    for (std::int64_t i = 0; i < layer.n_rows(); ++i)
      for (std::int64_t j = 0; j < layer.n_out; ++j) {
        const std::int64_t place = layer.row(i) + j;
        double& x = training.network().parameters()[place];
        const double before = x;
        x = before + kStep;
        const double above = objective_at(training, rows, kAlpha);
        x = before - kStep;
        const double below = objective_at(training, rows, kAlpha);
        x = before;
        CHECK(std::abs((above - below) / (2.0 * kStep) - gradient[at(place)]) < 1e-7);
      }
}

std::vector<double> parameters_after(const TrainingRows<double>& rows, const Design& design,
                                     const Context& ctx, std::int64_t batch) {
  Training<double> training(design);
  draw(training.network());
  EpochOptions options;
  options.rate = options.last_rate = 0.01;
  options.alpha = 0.1;
  options.batch_rows = batch;
  for (int epoch = 0; epoch < 3; ++epoch) training.epoch(rows, options, ctx);
  const double* first = training.network().parameters();
  return {first, first + training.network().size()};
}

}  // namespace

TEST(network_gradients_are_those_of_differences) {
  for (const Activation hidden : {Activation::identity, Activation::logistic, Activation::tanh,
                                  Activation::leaky_relu, Activation::softplus, Activation::gelu,
                                  Activation::silu, Activation::selu, Activation::mish}) {
    check_gradient({{kInputs, 5, 9, 3}, hidden, Activation::softmax, Loss::log_loss});
    check_gradient({{kInputs, 4, 1}, hidden, Activation::logistic, Loss::log_loss});
    check_gradient({{kInputs, 4, 2}, hidden, Activation::tanh, Loss::squared_error});
    check_gradient({{kInputs, 4, 1}, hidden, Activation::exp, Loss::poisson});
    check_gradient({{kInputs, 4, 1}, hidden, Activation::softplus, Loss::huber, 0.3});
    Design parametric{{kInputs, 5, 9, 3}, hidden, Activation::softmax, Loss::log_loss, 0.2};
    parametric.is_parametric = true;  // and of smoothed classes
    check_gradient(parametric);
    check_gradient({{kInputs, 4, 1}, hidden, Activation::logistic, Loss::log_loss, 0.2});
  }
}

TEST(network_of_waves_is_its_formula) {
  constexpr std::int64_t kFrequencies = 3, kOut = 5;  // two numbers handed on, three waves
  Network<double> network([] {
    Design design{{2, 2, kOut, 1}, Activation::tanh, Activation::identity, Loss::squared_error};
    design.blocks = {{0, 0}, {1, 1}};
    design.waves = {kFrequencies, {1, 0, 1}};
    return design;
  }());
  draw(network);
  const Layer &first = network.layers()[0], &waves = network.layers()[1];
  const Layer& last = network.layers()[2];
  double* p = network.parameters();
  for (std::int64_t i = 0; i <= 2; ++i)
    for (std::int64_t j = 0; j < 2; ++j) p[first.row(i) + j] = i == j ? 1.0 : 0.0;
  for (std::int64_t i = 0; i < waves.n_in - 1; ++i) p[waves.row(i)] = p[waves.row(i) + 1] = 0.0;
  p[waves.row(waves.n_in)] = p[waves.row(waves.n_in) + 1] = 0.0;
  network.refresh();
  const std::vector<double> values{0.7, -31.25};
  const std::vector<std::int32_t> cols{0, 1}, begin{0, 2};
  double found = 0.0, expected = p[last.row(kOut)];
  network.predict(CsrView<double, std::int32_t>{values, cols, begin, 2},
                  MatrixView<double>(&found, 1, 1), Context{});
  const std::int64_t sources[] = {0, 1, 1, 0, 1};
  for (std::int64_t u = 0; u < kOut; ++u) {
    const double x = values[at(sources[u])];
    const auto entry = [&](std::int64_t i) { return p[waves.row(i) + u]; };
    double sum = u < 2 ? x : entry(waves.n_in);
    for (std::int64_t k = 0; k < kFrequencies; ++k)
      sum += entry(2 * kFrequencies + k) *
             std::cos(2.0 * std::numbers::pi * (entry(k) * x + entry(kFrequencies + k)));
    expected += p[last.row(u)] * entry(3 * kFrequencies) * sum;
  }
  CHECK(std::abs(found - expected) < 1e-13);
}

TEST(network_padding_stays_zero) {
  const Design design{{kInputs, 5, 3}, Activation::logistic, Activation::softmax, Loss::log_loss};
  const Data data(3);
  const auto parameters = parameters_after(data.rows(design), design, Context{}, 50);
  const Network<double> network(design);
  for (const Layer& layer : network.layers())
    for (std::int64_t i = 0; i <= layer.n_in; ++i)
      for (std::int64_t j = layer.n_out; j < layer.width; ++j)
        CHECK(parameters[at(layer.row(i) + j)] == 0.0);
}

TEST(network_bits_do_not_depend_on_threads) {
  const Design design{{kInputs, 100, 60, 3}, Activation::tanh, Activation::softmax, Loss::log_loss};
  const Data data(3);
  Context two;
  two.n_threads = 3;
  const auto one = parameters_after(data.rows(design), design, Context{}, kRows);
  CHECK(test::same_bits(one, parameters_after(data.rows(design), design, two, kRows)));
}

TEST(network_of_sparse_rows_steps_like_that_of_dense_ones) {
  const Design design{{kInputs, 6, 1}, Activation::relu, Activation::identity, Loss::squared_error};
  Data data(1);
  std::vector<double> values;
  std::vector<std::int32_t> cols, begin{0};
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t j = 0; j < kInputs; ++j) {
      double& x = data.X[at(i * kInputs + j)];
      if ((i + j) % 3 != 0 || j == 4) x = 0.0;  // column 4 is empty
      if (x == 0.0) continue;
      values.push_back(x);
      cols.push_back(static_cast<std::int32_t>(j));
    }
    begin.push_back(static_cast<std::int32_t>(values.size()));
  }
  TrainingRows<double> rows = data.rows(design);
  const auto dense = parameters_after(rows, design, Context{}, 20);
  rows.X = CsrView<double, std::int32_t>{values, cols, begin, kInputs};
  const auto sparse = parameters_after(rows, design, Context{}, 20);
  for (std::size_t k = 0; k < dense.size(); ++k) CHECK(std::abs(dense[k] - sparse[k]) < 1e-12);
}

// Rows of one-hot levels and one number. Off the blocks nothing has a gradient or moves.
TEST(network_of_embeddings_learns_within_its_blocks) {
  Design design{{kInputs, 6, 4, 2}, Activation::tanh, Activation::identity, Loss::squared_error};
  design.blocks = {{0, 3}, {0, 3}, {0, 3}, {3, 5}, {3, 5}, {3, 5}, {5, 5}};
  const Data data(2);
  std::vector<double> values;
  std::vector<std::int32_t> cols, begin{0};
  for (std::int32_t i = 0; i < kRows; ++i) {
    cols.insert(cols.end(), {i % 3, 3 + i % 2, 6});
    values.insert(values.end(), {1.0, 1.0, data.X[at(i)]});
    begin.push_back(static_cast<std::int32_t>(values.size()));
  }
  TrainingRows<double> rows = data.rows(design);
  rows.X = CsrView<double, std::int32_t>{values, cols, begin, kInputs};
  Training<double> training(design);
  Network<double>& network = training.network();
  draw(network);
  const Layer& first = network.layers().front();
  const auto is_learned = [&](std::int64_t i, std::int64_t j) {
    return i < first.n_in && j >= design.blocks[at(i)].begin && j < design.blocks[at(i)].end;
  };
  for (std::int64_t i = 0; i <= first.n_in; ++i)
    for (std::int64_t j = 0; j < first.n_out; ++j)
      if (!is_learned(i, j)) network.parameters()[first.row(i) + j] = i == 6 && j == 5 ? 1.0 : 0.0;
  network.refresh();
  std::vector<double> gradient(at(network.size()));
  training.objective(rows, 0.7, gradient, Context{});
  const std::vector<double> before(network.parameters(), network.parameters() + network.size());
  for (const Layer& layer : network.layers())
    for (std::int64_t i = 0; i <= layer.n_in; ++i)
      for (std::int64_t j = 0; j < layer.n_out; ++j) {
        const std::int64_t place = layer.row(i) + j;
        if (layer.offset == 0 && !is_learned(i, j)) {
          CHECK(gradient[at(place)] == 0.0);
          continue;
        }
        network.parameters()[place] = before[at(place)] + 1e-5;
        const double above = objective_at(training, rows, 0.7);
        network.parameters()[place] = before[at(place)] - 1e-5;
        const double below = objective_at(training, rows, 0.7);
        network.parameters()[place] = before[at(place)];
        CHECK(std::abs((above - below) / 2e-5 - gradient[at(place)]) < 1e-7);
      }
  network.refresh();
  EpochOptions options;
  options.rate = options.last_rate = 0.01;
  options.alpha = options.weight_decay = options.max_norm = 0.1;
  options.rule.solver = Solver::adamw;
  options.dropout = {0.3, 5};
  options.batch_rows = 20;
  training.epoch(rows, options, Context{});
  for (std::int64_t i = 0; i <= first.n_in; ++i)
    for (std::int64_t j = 0; j < first.n_out; ++j) {
      const std::int64_t place = first.row(i) + j;
      // input 5 has no rows, and moves by its decay
      CHECK((network.parameters()[place] != before[at(place)]) == is_learned(i, j));
    }
}

TEST(network_activations_are_the_same_bits_on_every_level) {
  constexpr std::int64_t kSize = 64;
  const auto start = test::normal_values(kSize, 3);
  for (const Activation activation :
       {Activation::logistic, Activation::tanh, Activation::relu, Activation::softplus,
        Activation::gelu, Activation::silu, Activation::selu, Activation::mish, Activation::exp}) {
    std::vector<double> first;
    for (const auto level : test::levels()) {
      auto z = start;
      std::vector<double> slopes(at(kSize), 0.0);
      AT_LEVEL(level, activate, activation, z.data(), slopes.data(), kSize);
      z.insert(z.end(), slopes.begin(), slopes.end());
      if (first.empty()) first = z;
      CHECK(test::same_bits(z, first));
    }
  }
}

TEST(network_fronts_have_the_same_bits_on_all_levels) {
  constexpr std::int64_t kFrequencies = 2, kWidth = 32, kN = 5;
  const auto x = test::normal_values(kN * kWidth, 3), d = test::normal_values(kN * kWidth, 4);
  const auto p = test::normal_values((3 * kFrequencies + 2) * kWidth, 5);
  std::vector<double> handed(at(kWidth), 0.0), first;
  std::fill_n(handed.begin(), 3, 1.0);
  const gramian::WaveRows<double> rows{x.data(),      kN, kWidth,      p.data(),
                                       handed.data(), 3,  kFrequencies};
  for (const auto level : test::levels()) {
    std::vector<double> out(x.size()), below(at(kN * 16)), gradient(p.size());
    AT_LEVEL(level, evaluate_waves, rows, out.data());
    AT_LEVEL(level, hand_back, rows, d.data(), below.data(), 16);
    AT_LEVEL(level, wave_gradients, rows, d.data(), gradient.data());
    auto z = x, slopes = x, bends = x;
    for (const Activation activation : {Activation::selu, Activation::mish, Activation::softplus})
      AT_LEVEL(level, bend_neurons, activation,
               (gramian::BentNeurons<double>{z.data(), slopes.data(), bends.data(), p.data(), kN,
                                             kWidth}));
    for (const auto& part : {below, gradient, z, slopes, bends})
      out.insert(out.end(), part.begin(), part.end());
    if (first.empty()) first = out;
    CHECK(test::same_bits(out, first));
  }
}

TEST(network_tanh_and_logistic_are_accurate) {
  constexpr std::int64_t kSize = 16;
  for (const double scale : {1e-8, 0.1, 0.24, 0.26, 1.0, 5.0, 40.0}) {
    std::vector<double> x(at(kSize));
    for (std::int64_t i = 0; i < kSize; ++i)
      x[at(i)] = scale * (static_cast<double>(i) - 7.5) / 7.5;
    auto t = x, s = x;
    GRAMIAN_DISPATCH(activate, Activation::tanh, t.data(), nullptr, kSize);
    GRAMIAN_DISPATCH(activate, Activation::logistic, s.data(), nullptr, kSize);
    for (std::size_t i = 0; i < x.size(); ++i) {
      CHECK(std::abs(t[i] - std::tanh(x[i])) <= 1e-15 * std::abs(x[i]));
      const double expected = 1.0 / (1.0 + std::exp(-x[i]));
      CHECK(std::abs(s[i] - expected) <= 4e-16 * expected);
    }
  }
}

TEST(network_descends_to_a_stationary_point) {
  const Design design{{kInputs, 5, 1}, Activation::tanh, Activation::logistic, Loss::log_loss};
  const Data data(1);
  Training<double> training(design);
  draw(training.network());
  const Minimised found =
      minimise(training, data.rows(design), {0.5, 1e-6, 5000, 50000}, Context{});
  CHECK(found.end == MinimiseEnd::gradient || found.end == MinimiseEnd::decrease);
  CHECK(found.gradient_size <= 1e-4);
  for (std::size_t k = 1; k < found.losses.size(); ++k)
    CHECK(found.losses[k] <= found.losses[k - 1] + 1e-12);
}

// Of the mean loss with fixed factors of dropout: an epoch of one batch at rate zero says the loss,
// and one of plain steps moves against its gradient.
TEST(network_gradients_with_dropout_are_those_of_differences) {
  const Data data(3);
  for (const Activation hidden : {Activation::relu, Activation::tanh, Activation::silu}) {
    const Design design{{kInputs, 9, 8, 3}, hidden, Activation::softmax, Loss::log_loss};
    const TrainingRows<double> rows = data.rows(design);
    EpochOptions options;
    options.rule.solver = Solver::sgd;
    options.rule.first = 0.0;
    options.rule.nesterov = false;
    options.rate = options.last_rate = 0.0;
    options.dropout = {0.4, 7};
    options.batch_rows = kRows;
    const auto loss_at = [&](std::int64_t place, double shift) {
      Training<double> training(design);
      draw(training.network());
      training.network().parameters()[place] += shift;
      training.network().refresh();
      return training.epoch(rows, options, Context{}).loss;
    };
    Training<double> training(design);
    draw(training.network());
    const std::vector<double> before(training.network().parameters(),
                                     training.network().parameters() + training.network().size());
    EpochOptions moving = options;
    moving.rate = moving.last_rate = 1.0;
    training.epoch(rows, moving, Context{});
    for (const Layer& layer : training.network().layers())
      for (std::int64_t i = 0; i <= layer.n_in; ++i) {
        const std::int64_t place = layer.row(i) + i % layer.n_out;
        const double slope = (loss_at(place, 1e-6) - loss_at(place, -1e-6)) / 2e-6;
        const double moved = before[at(place)] - training.network().parameters()[place];
        CHECK(std::abs(moved - slope) < 1e-7);
      }
  }
}

TEST(network_dropout_depends_on_step_layer_and_row_only) {
  std::vector<double> factors(1001), others(1001);
  const Dropout dropout{0.25, 3};
  const auto draw_of = [&](const Dropout& source, std::size_t layer, std::int64_t row) {
    draw_factors(source, layer, row, others.data(), 1001);
    return others != factors;
  };
  draw_factors(dropout.at_step(5), 1, 17, factors.data(), 1001);
  CHECK(!draw_of(dropout.at_step(5), 1, 17));
  CHECK(draw_of(dropout.at_step(6), 1, 17));
  CHECK(draw_of(dropout.at_step(5), 0, 17));
  CHECK(draw_of(dropout.at_step(5), 1, 18));
  double n_left_out = 0.0;
  for (const double factor : factors) {
    CHECK(factor == 0.0 || factor == 1.0 / 0.75);
    n_left_out += factor == 0.0 ? 1.0 : 0.0;
  }
  CHECK(n_left_out > 190.0);
  CHECK(n_left_out < 310.0);
}
