// The fit of a network: steps on batches of rows, and the full-batch objective.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "network/network.hpp"
#include "network/step_kernel.hpp"

namespace gramian::network {

// Factors of the learning rate for the numbers of a layer. Of a layer of waves `shares` is for its
// scale.
struct LayerRates {
  double weights = 1.0;
  double biases = 1.0;
  double shares = 1.0;
};

struct EpochOptions {
  StepRule rule;            // its rate, share and decay are set for each step
  double rate = 1e-3;       // of the first step
  double last_rate = 1e-3;  // of a step after the last; between them it changes evenly
  double alpha = 0.0;  // strength of the L2 penalty, alpha / 2 |weights|^2 over the rows' weight
  double weight_decay = 0.0;
  double max_norm = 0.0;  // of the gradient of a batch's mean loss; 0: any
  Dropout dropout;        // its seed is that of the fit
  std::int64_t batch_rows = 1;
  std::vector<LayerRates> rates = {};  // of each layer; empty: one each
};

// Rows and what is known of them.
template <class T>
struct TrainingRows {
  Inputs<T> X;
  Targets<T> targets;
  std::span<const std::int64_t> order;  // of an epoch; empty: that of the data
  std::int64_t n_rows = 0;
};

// The mean over rows of the loss of their batch before its step, penalty included.
struct EpochLoss {
  double loss = 0.0;
  std::int64_t n_rows = 0;  // fewer than there are once the time is up
};

// A weighted mean over rows, with the penalty.
struct Objective {
  double value = 0.0;  // of the sum over the outputs, whose gradient is taken
  double loss = 0.0;   // as reported: of the mean over the outputs for losses of numbers
  double gradient_norm = 0.0;
  double norm = 0.0;  // of the parameters
};

template <class T>
class Training {
 public:
  explicit Training(Design design, bool zeroed = true);

  Network<T>& network() { return network_; }
  const Network<T>& network() const { return network_; }
  Buffer<T>& first_moments() { return first_; }
  Buffer<T>& second_moments() { return second_; }
  std::int64_t n_steps() const { return n_steps_; }
  void set_n_steps(std::int64_t n) { n_steps_ = n; }

  // Makes room for gradients and moments, which are zero then. Predictions need none.
  void prepare();

  // A pass over all rows, a step for each batch.
  EpochLoss epoch(const TrainingRows<T>& rows, const EpochOptions& options, const Context& ctx);

  // The objective of all rows and its gradient at the network's parameters, in their layout.
  Objective objective(const TrainingRows<T>& rows, double alpha, std::span<double> gradient,
                      const Context& ctx);

 private:
  double loss_scale() const;
  // The rule of a step; `done` is the share of the epoch's rows before it.
  StepRule rule_of(const EpochOptions& options, double weight, double done) const;
  // The gradient of a batch of one pass in its place, and the sum of its squares.
  double squares_of_gradient(bool is_one_pass, const Context& ctx);
  BatchLoss sum_gradient(const TrainingRows<T>& rows, const RowRange& range,
                         std::span<double> gradient, const Context& ctx);
  // The loss of a batch, per weight, before the step.
  double step(const TrainingRows<T>& rows, const RowRange& batch, const EpochOptions& options,
              const Context& ctx);
  template <class GradientOf>
  double step_all(const StepRule& rule, const EpochOptions& options, const GradientOf& gradient_of,
                  const Context& ctx);
  double squares_of_stretch(const Stretch& stretch);
  // The penalty's share of the gradient is added to it; returns the squares of the weights.
  double add_penalty(double alpha, std::span<double> gradient) const;
  // Whether a row of weights has a gradient, or one of zeros that was not formed.
  bool has_gradient(const Stretch& stretch, std::int64_t row) const {
    return is_whole_ || network_.is_touched(stretch.layer, row);
  }
  void step_rows(const StepRule& rule, const Stretch& stretch, std::int64_t begin, std::int64_t end,
                 bool has_gradient);
  // What a stretch of embeddings does instead.
  double step_parts(const StepRule& rule, const Stretch& stretch, bool wants_squares);
  double step_stretch(const StepRule& rule, const LayerRates& rates, const Stretch& stretch,
                      bool wants_squares);
  // What a layer of waves does: its numbers do not decay.
  void step_waves(const StepRule& rule, const LayerRates& rates, const Stretch& stretch);
  void step_biases(const StepRule& rule, const LayerRates& rates, const Stretch& stretch);

  Network<T> network_;
  Buffer<T> gradient_, first_, second_;
  std::vector<double> total_;    // of a batch that is too large for one pass
  std::vector<double> squares_;  // of the weights, by stretch
  bool is_whole_ = true;         // whether untouched rows of the gradient hold zeros
  std::int64_t n_steps_ = 0;
};

}  // namespace gramian::network
