// Boltzmann machines: a step against a loop over rows, chains and units; padding stays zero.
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/context.hpp"
#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "network/boltzmann.hpp"
#include "network/layers.hpp"

using namespace gramian::network;
using gramian::Context;
using gramian::MatrixView;
using test::at;

namespace {

constexpr std::int64_t kRows = 13, kVisible = 70, kHidden = 5, kChains = 4;
const std::int64_t kWidth = padded<double>(kHidden);

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

struct State {
  std::vector<double> weights = test::normal_values(kVisible * kWidth, 1);
  std::vector<double> hidden_bias = test::normal_values(kWidth, 2);
  std::vector<double> visible_bias = test::normal_values(kVisible, 3);
  std::vector<double> chains = std::vector<double>(at(kChains * kHidden));

  State() {
    for (std::int64_t j = kHidden; j < kWidth; ++j) {
      hidden_bias[at(j)] = 0.0;
      for (std::int64_t i = 0; i < kVisible; ++i) weights[at(i * kWidth + j)] = 0.0;
    }
    for (std::size_t k = 0; k < chains.size(); ++k) chains[k] = k % 3 == 0 ? 1.0 : 0.0;
  }

  double& weight(std::int64_t i, std::int64_t j) { return weights[at(i * kWidth + j)]; }

  std::vector<double> hidden_of(const double* v) {
    std::vector<double> h;
    for (std::int64_t j = 0; j < kHidden; ++j) {
      double sum = hidden_bias[at(j)];
      for (std::int64_t i = 0; i < kVisible; ++i) sum += v[i] * weight(i, j);
      h.push_back(logistic(sum));
    }
    return h;
  }
};

// The update of one batch, as the papers write it.
void step_by_loops(State& s, const std::vector<double>& X, const double* draws, double rate) {
  State next = s;
  const auto add = [&](const double* v, const std::vector<double>& h, double factor) {
    for (std::int64_t i = 0; i < kVisible; ++i) {
      next.visible_bias[at(i)] += factor * v[i];
      for (std::int64_t j = 0; j < kHidden; ++j) next.weight(i, j) += factor * v[i] * h[at(j)];
    }
    for (std::int64_t j = 0; j < kHidden; ++j) next.hidden_bias[at(j)] += factor * h[at(j)];
  };
  for (std::int64_t r = 0; r < kRows; ++r) {
    const double* row = X.data() + r * kVisible;
    add(row, s.hidden_of(row), rate / kRows);
  }
  for (std::int64_t c = 0; c < kChains; ++c) {
    std::vector<double> v;
    for (std::int64_t i = 0; i < kVisible; ++i) {
      double sum = s.visible_bias[at(i)];
      for (std::int64_t j = 0; j < kHidden; ++j)
        sum += s.weight(i, j) * s.chains[at(c * kHidden + j)];
      v.push_back(draws[c * kVisible + i] < logistic(sum) ? 1.0 : 0.0);
    }
    const std::vector<double> h = s.hidden_of(v.data());
    add(v.data(), h, -rate / kRows);
    for (std::int64_t j = 0; j < kHidden; ++j)
      next.chains[at(c * kHidden + j)] =
          draws[kChains * kVisible + c * kHidden + j] < h[at(j)] ? 1.0 : 0.0;
  }
  s = next;
}

}  // namespace

TEST(boltzmann_steps_are_those_of_loops) {
  constexpr std::int64_t kBatches = 3, kDraws = kChains * (kVisible + kHidden);
  std::vector<double> X, draws;
  for (const double x : test::normal_values(kRows * kVisible, 4)) X.push_back(x > 0.5 ? 1.0 : 0.0);
  for (const double x : test::normal_values(kBatches * kDraws, 5)) draws.push_back(logistic(x));

  State ours, loops;
  std::vector<double> rows;
  for (std::int64_t b = 0; b < kBatches; ++b) {
    rows.insert(rows.end(), X.begin(), X.end());
    step_by_loops(loops, X, draws.data() + b * kDraws, 0.3);
  }
  const Machine<double> machine{ours.weights.data(),
                                ours.hidden_bias.data(),
                                ours.visible_bias.data(),
                                kVisible,
                                kHidden,
                                kWidth};
  const Contrast<double> contrast{MatrixView<const double>(rows.data(), kBatches * kRows, kVisible),
                                  kBatches * kRows,
                                  kRows,
                                  0.3,
                                  MatrixView<double>(ours.chains.data(), kChains, kHidden),
                                  draws};
  Context two;
  two.n_threads = 2;
  take_contrastive_steps(machine, contrast, two);
  for (std::size_t k = 0; k < ours.weights.size(); ++k)
    CHECK(std::abs(ours.weights[k] - loops.weights[k]) < 1e-13);
  for (std::size_t k = 0; k < ours.hidden_bias.size(); ++k)
    CHECK(std::abs(ours.hidden_bias[k] - loops.hidden_bias[k]) < 1e-13);
  for (std::size_t k = 0; k < ours.visible_bias.size(); ++k)
    CHECK(std::abs(ours.visible_bias[k] - loops.visible_bias[k]) < 1e-13);
  CHECK(ours.chains == loops.chains);
}
