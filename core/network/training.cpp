#include "network/training.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/instantiate.hpp"
#include "parallel/parallel_for.hpp"
#include "simd/flush.hpp"

namespace gramian::network {

template <class T>
Training<T>::Training(Design design, bool zeroed)
    : network_(std::move(design), zeroed), squares_(network_.stretches().size()) {}

template <class T>
void Training<T>::prepare() {
  if (gradient_.size() > 0) return;
  for (Buffer<T>* buffer : {&gradient_, &first_, &second_})
    *buffer = Buffer<T>::zeros(network_.size());
}

// The squared error is a mean over the outputs, the other losses are sums.
template <class T>
double Training<T>::loss_scale() const {
  const Loss loss = network_.design().loss;
  const bool is_mean = loss != Loss::log_loss && loss != Loss::poisson;
  return is_mean ? 1.0 / static_cast<double>(network_.design().n_outputs()) : 1.0;
}

template <class T>
StepRule Training<T>::rule_of(const EpochOptions& options, double weight, double done) const {
  const double rate = options.rate + done * (options.last_rate - options.rate);
  StepRule rule = options.rule;
  rule.share = 1.0 / weight;
  rule.decay = options.alpha / weight;
  rule.rate = rate;
  rule.shrink = rate * options.weight_decay;
  if (rule.solver != Solver::sgd) {
    const auto t = static_cast<double>(n_steps_);
    rule.rate *= std::sqrt(1.0 - std::pow(rule.second, t)) / (1.0 - std::pow(rule.first, t));
  }
  return rule;
}

template <class T>
EpochLoss Training<T>::epoch(const TrainingRows<T>& rows, const EpochOptions& options,
                             const Context& ctx) {
  prepare();
  network_.set_dropout(options.dropout);
  const Series series(ctx, network_.pass_cost(rows.n_rows));
  const std::int64_t* order = rows.order.empty() ? nullptr : rows.order.data();
  EpochLoss out;
  while (out.n_rows < rows.n_rows && !ctx.expired()) {
    const std::int64_t end = std::min(out.n_rows + options.batch_rows, rows.n_rows);
    const double loss = step(rows, {order, out.n_rows, end}, options, ctx);
    out.loss += loss * static_cast<double>(end - out.n_rows);
    out.n_rows = end;
  }
  out.loss /= static_cast<double>(std::max<std::int64_t>(out.n_rows, 1));
  return out;
}

template <class T>
double Training<T>::step(const TrainingRows<T>& rows, const RowRange& batch,
                         const EpochOptions& options, const Context& ctx) {
  if (options.dropout.is_on()) network_.set_dropout(options.dropout.at_step(n_steps_));
  BatchLoss loss;
  const bool is_one_pass = batch.size() <= network_.most_rows();
  if (is_one_pass) {
    loss = network_.forward_back(rows.X, rows.targets, batch, ctx);
  } else {
    total_.assign(static_cast<std::size_t>(network_.size()), 0.0);
    loss = sum_gradient(rows, batch, total_, ctx);
    for (std::size_t k = 0; k < total_.size(); ++k)
      gradient_[static_cast<std::int64_t>(k)] = static_cast<T>(total_[k]);
  }
  ++n_steps_;
  is_whole_ = !is_one_pass;
  const double done = static_cast<double>(batch.begin) / static_cast<double>(rows.n_rows);
  StepRule rule = rule_of(options, loss.weight, done);
  const bool is_clipped = options.max_norm > 0.0;
  if (is_clipped) {
    const double norm = rule.share * std::sqrt(squares_of_gradient(is_one_pass, ctx));
    if (norm > options.max_norm) rule.share *= options.max_norm / norm;
  }
  const double squares = step_all(
      rule, options,
      [&](const Stretch& stretch) {
        if (is_one_pass && !is_clipped) network_.gradient_of(stretch, gradient_.data());
      },
      ctx);
  return (loss.loss * loss_scale() + 0.5 * options.alpha * squares) / loss.weight;
}

template <class T>
double Training<T>::squares_of_gradient(bool is_one_pass, const Context& ctx) {
  const std::vector<Stretch>& stretches = network_.stretches();
  const auto count = static_cast<std::int64_t>(stretches.size());
  parallel_for(ctx, count, network_.gradient_cost(), [&](std::int64_t k) {
    const FlushTiny flush;
    const Stretch& stretch = stretches[static_cast<std::size_t>(k)];
    if (is_one_pass) network_.gradient_of(stretch, gradient_.data());
    squares_[static_cast<std::size_t>(k)] = squares_of_stretch(stretch);
  });
  return std::accumulate(squares_.begin(), squares_.end(), 0.0);
}

template <class T>
double Training<T>::squares_of_stretch(const Stretch& stretch) {
  const Layer& layer = network_.layers()[stretch.layer];
  double squares = 0.0;
  const auto add_row = [&](std::int64_t i) {
    squares += GRAMIAN_DISPATCH(squares_of, gradient_.data() + layer.row(i), layer.width);
  };
  for (std::int64_t i = stretch.begin; i < stretch.end; ++i)
    if (has_gradient(stretch, i)) add_row(i);
  for (std::int64_t i = layer.n_in; stretch.has_biases && i < layer.n_rows(); ++i) add_row(i);
  return squares;
}

// A step in all stretches, each after its gradient; returns the squares of the weights before.
template <class T>
template <class GradientOf>
double Training<T>::step_all(const StepRule& rule, const EpochOptions& options,
                             const GradientOf& gradient_of, const Context& ctx) {
  const std::vector<Stretch>& stretches = network_.stretches();
  const double cost = network_.gradient_cost();
  parallel_for(ctx, static_cast<std::int64_t>(stretches.size()), cost, [&](std::int64_t k) {
    const FlushTiny flush;
    const Stretch& stretch = stretches[static_cast<std::size_t>(k)];
    gradient_of(stretch);
    const bool wants_squares = options.alpha > 0.0;
    const LayerRates rates = options.rates.empty() ? LayerRates{} : options.rates[stretch.layer];
    StepRule of_weights = rule;
    of_weights.rate *= rates.weights;
    double& squares = squares_[static_cast<std::size_t>(k)] = 0.0;
    if (network_.embeds(stretch.layer))
      squares = step_parts(of_weights, stretch, wants_squares);
    else if (network_.has_waves(stretch.layer))
      step_waves(rule, rates, stretch);
    else
      squares = step_stretch(rule, rates, stretch, wants_squares);
  });
  return std::accumulate(squares_.begin(), squares_.end(), 0.0);
}

template <class T>
double Training<T>::step_parts(const StepRule& rule, const Stretch& stretch, bool wants_squares) {
  const Layer& layer = network_.layers()[stretch.layer];
  double squares = 0.0;
  for (std::int64_t i = stretch.begin; i < stretch.end; ++i) {
    const Part part = network_.part_of(i);
    if (part.n == 0) continue;
    const std::int64_t at = layer.row(i) + part.begin;
    if (wants_squares) squares += GRAMIAN_DISPATCH(squares_of, network_.parameters() + at, part.n);
    const StepStretch<T> row{network_.parameters() + at,
                             has_gradient(stretch, i) ? gradient_.data() + at : nullptr,
                             first_.data() + at, second_.data() + at, part.n};
    GRAMIAN_DISPATCH(take_step, rule, row);
  }
  return squares;
}

template <class T>
void Training<T>::step_waves(const StepRule& rule, const LayerRates& rates,
                             const Stretch& stretch) {
  const std::int64_t scale = network_.design().waves.scale_row();
  StepRule free = rule;
  free.decay = free.shrink = 0.0;
  free.rate = rule.rate * rates.weights;
  step_rows(free, stretch, 0, scale, true);
  free.rate = rule.rate * rates.shares;
  step_rows(free, stretch, scale, scale + 1, true);
  step_biases(rule, rates, stretch);
}

template <class T>
void Training<T>::step_biases(const StepRule& rule, const LayerRates& rates,
                              const Stretch& stretch) {
  const Layer& layer = network_.layers()[stretch.layer];
  StepRule free = rule;
  free.decay = free.shrink = 0.0;
  free.rate = rule.rate * rates.biases;
  step_rows(free, stretch, layer.n_in, layer.n_in + 1, true);
  if (!layer.has_shares) return;
  free.rate = rule.rate * rates.shares;
  step_rows(free, stretch, layer.shares_row(), layer.shares_row() + 1, true);
}

template <class T>
double Training<T>::step_stretch(const StepRule& rule, const LayerRates& rates,
                                 const Stretch& stretch, bool wants_squares) {
  const Layer& layer = network_.layers()[stretch.layer];
  double squares = 0.0;
  if (wants_squares) {
    const std::int64_t n = (stretch.end - stretch.begin) * layer.width;
    squares = GRAMIAN_DISPATCH(squares_of, network_.parameters() + layer.row(stretch.begin), n);
  }
  StepRule of_weights = rule;
  of_weights.rate *= rates.weights;
  for (std::int64_t begin = stretch.begin; begin < stretch.end;) {
    const bool is_formed = has_gradient(stretch, begin);
    std::int64_t end = begin + 1;
    while (end < stretch.end && has_gradient(stretch, end) == is_formed) ++end;
    step_rows(of_weights, stretch, begin, end, is_formed);
    begin = end;
  }
  if (stretch.has_biases) step_biases(rule, rates, stretch);
  network_.mirror(stretch);
  return squares;
}

template <class T>
void Training<T>::step_rows(const StepRule& rule, const Stretch& stretch, std::int64_t begin,
                            std::int64_t end, bool has_gradient) {
  const Layer& layer = network_.layers()[stretch.layer];
  const std::int64_t at = layer.row(begin);
  const StepStretch<T> all{network_.parameters() + at,
                           has_gradient ? gradient_.data() + at : nullptr, first_.data() + at,
                           second_.data() + at, (end - begin) * layer.width};
  GRAMIAN_DISPATCH(take_step, rule, all);
}

// The gradients of the passes over a range, added in double; not divided by the weight.
template <class T>
BatchLoss Training<T>::sum_gradient(const TrainingRows<T>& rows, const RowRange& range,
                                    std::span<double> gradient, const Context& ctx) {
  const std::vector<Stretch>& stretches = network_.stretches();
  BatchLoss total;
  for (std::int64_t begin = 0; begin < range.size(); begin += network_.most_rows()) {
    const std::int64_t end = std::min(begin + network_.most_rows(), range.size());
    const BatchLoss part = network_.forward_back(rows.X, rows.targets, range.part(begin, end), ctx);
    total.loss += part.loss;
    total.weight += part.weight;
    const auto count = static_cast<std::int64_t>(stretches.size());
    parallel_for(ctx, count, network_.gradient_cost(), [&](std::int64_t k) {
      const FlushTiny flush;
      const Stretch& stretch = stretches[static_cast<std::size_t>(k)];
      const Layer& layer = network_.layers()[stretch.layer];
      network_.gradient_of(stretch, gradient_.data());
      const std::int64_t last = stretch.has_biases ? layer.n_rows() : stretch.end;
      for (std::int64_t i = stretch.begin; i < last; ++i) {
        if (i < layer.n_in && !network_.is_touched(stretch.layer, i)) continue;
        for (std::int64_t at = layer.row(i); at < layer.row(i + 1); ++at)
          gradient[static_cast<std::size_t>(at)] += static_cast<double>(gradient_[at]);
      }
    });
  }
  return total;
}

template <class T>
double Training<T>::add_penalty(double alpha, std::span<double> gradient) const {
  double squares = 0.0;
  const auto add = [&](std::int64_t begin, std::int64_t n) {
    const T* weights = network_.parameters() + begin;
    squares += GRAMIAN_DISPATCH(squares_of, weights, n);
    for (std::int64_t k = 0; k < n; ++k)
      gradient[static_cast<std::size_t>(begin + k)] += alpha * static_cast<double>(weights[k]);
  };
  const std::vector<Layer>& layers = network_.layers();
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const Layer& layer = layers[l];
    if (network_.has_waves(l)) continue;
    if (!network_.embeds(l)) {
      add(layer.offset, layer.n_in * layer.width);
      continue;
    }
    for (std::int64_t i = 0; i < layer.n_in; ++i) {
      const Part part = network_.part_of(i);
      add(layer.row(i) + part.begin, part.n);
    }
  }
  return squares;
}

template <class T>
Objective Training<T>::objective(const TrainingRows<T>& rows, double alpha,
                                 std::span<double> gradient, const Context& ctx) {
  prepare();
  network_.set_dropout({});
  std::fill(gradient.begin(), gradient.end(), 0.0);
  const std::int64_t* order = rows.order.empty() ? nullptr : rows.order.data();
  const BatchLoss loss = sum_gradient(rows, {order, 0, rows.n_rows}, gradient, ctx);
  double squares = add_penalty(alpha, gradient);
  for (double& g : gradient) g /= loss.weight;
  const double penalty = 0.5 * alpha * squares;
  const double slopes = GRAMIAN_DISPATCH(squares_of, gradient.data(), network_.size());
  for (const Layer& layer : network_.layers())
    squares += GRAMIAN_DISPATCH(squares_of, network_.parameters() + layer.row(layer.n_in),
                                (layer.n_rows() - layer.n_in) * layer.width);
  return {(loss.loss + penalty) / loss.weight, (loss.loss * loss_scale() + penalty) / loss.weight,
          std::sqrt(slopes), std::sqrt(squares)};
}

#define GRAMIAN_TRAINING(T) template class Training<T>;
GRAMIAN_FOR_EACH_NUMBER(GRAMIAN_TRAINING)

}  // namespace gramian::network
