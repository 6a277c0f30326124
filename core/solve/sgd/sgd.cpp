#include "solve/sgd/sgd.hpp"

#include <cmath>
#include <utility>

#include "solve/sgd/sgd_epoch.hpp"
#include "solve/sgd/sgd_gradient.hpp"

namespace gramian::solve {
namespace {

constexpr std::int64_t kAhead = 16;             // steps from the prefetch of a row to its use
constexpr std::int64_t kPollEntries = 1 << 15;  // some ten microseconds
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMinAdaptiveRate = 1e-6;

// Of one target.
struct TargetState {
  std::span<double> coef;
  double& intercept;
  std::span<double> average_coef;
  double& average_intercept;
};

template <class Rows>
class Descent {
 public:
  Descent(const Rows& rows, const SgdSamples& samples, const SgdOptions& options,
          bool is_classification, std::uint32_t seed, const TargetState& state, const Context& ctx)
      : rows_(rows),
        loss_(row_loss(options)),
        samples_(samples),
        options_(options),
        is_classification_(is_classification),
        ctx_(ctx),
        order_(rows.n_rows(), options.shuffle, seed),
        decays_(options.penalty == SgdPenalty::l2 || options.penalty == SgdPenalty::elastic_net),
        shrinks_(options.penalty == SgdPenalty::l1 || options.penalty == SgdPenalty::elastic_net),
        measures_(options.reports || (!options.early_stopping && options.tol > -kInfinity)),
        l1_ratio_(options.penalty == SgdPenalty::l1   ? 1.0
                  : options.penalty == SgdPenalty::l2 ? 0.0
                                                      : options.l1_ratio),
        weights_(state.coef, state.average_coef,
                 {options.average > 0, shrinks_, shrinks_ && measures_}),
        intercept_(state.intercept),
        average_intercept_(state.average_intercept),
        t_(options.t),
        eta_(options.eta0),
        // The first step is as long as weights typically are, sqrt(1 / sqrt(alpha)) (Bottou).
        optimal_t0_(1.0 / (std::sqrt(1.0 / std::sqrt(options.alpha)) * options.alpha)) {}

  SgdOutcome run() {
    SgdOutcome outcome;
    while (outcome.n_iter < options_.max_iter) {
      order_.begin_epoch();
      loss_sum_ = 0.0;
      objective_sum_ = 0.0;
      run_epoch();
      ++outcome.n_iter;
      if (!std::isfinite(intercept_) || !weights_.is_finite()) {
        outcome.end = SgdEnd::not_finite;
        break;
      }
      const double score = options_.early_stopping ? validation_score() : std::nan("");
      if (options_.reports) outcome.reports.push_back(report(score));
      if (has_settled(score)) {
        outcome.end = SgdEnd::tolerance;
        break;
      }
      if (ctx_.expired()) {
        outcome.end = SgdEnd::time_limit;
        break;
      }
    }
    weights_.settle();
    return outcome;
  }

  void store(const TargetState& state) const {
    std::copy(weights_.coef().begin(), weights_.coef().end(), state.coef.begin());
    state.intercept = intercept_;
    if (options_.average <= 0) return;
    std::copy(weights_.average().begin(), weights_.average().end(), state.average_coef.begin());
    state.average_intercept = average_intercept_;
  }

 private:
  void run_epoch() {
    if (options_.batch_size == 1)  // the hot loop, compiled for every loss
      return with_loss(options_, [&](const auto& loss) {
        for_each_row([&](std::int64_t i) { step(i, loss); });
      });
    if (options_.batch_size >= samples_.n_train()) return step_on_all();
    for_each_row([&](std::int64_t i) { add_to_batch(i); });
    if (n_in_batch_ > 0) step_on_batch();
  }

  // Calls step(i) for the rows that are trained on, in the order of the epoch.
  template <class Step>
  void for_each_row(const Step& step) {
    const std::int64_t n = order_.size();
    const std::int64_t poll_rows =
        std::max<std::int64_t>(kPollEntries / rows_.entries_per_row(), 1);
    for (std::int64_t begin = 0; begin < n; begin += poll_rows) {
      ctx_.check();
      const std::int64_t end = std::min(begin + poll_rows, n);
      for (std::int64_t k = begin; k < end; ++k) {
        if (k + kAhead < n) {
          rows_.prefetch(order_[k + kAhead]);
          samples_.prefetch(order_[k + kAhead]);
        }
        if (!samples_.is_validation(order_[k])) step(order_[k]);
      }
    }
  }

  template <class Loss>
  void step(std::int64_t i, const Loss& loss) {
    const auto row = rows_.row(i);
    const double y = samples_.y(i);
    const double p = weights_.dot(row) + intercept_;
    set_rate();
    if (measures_) measure(loss.value(p, y), 1.0);
    double update = 0.0;
    if (is_passive_aggressive()) {
      const double norm = row.squared_norm();
      if (norm == 0.0 && options_.rate == SgdRate::pa1) return;
      update = passive_aggressive(p, y, loss.value(p, y), norm);
    } else {
      update = -eta_ * limited(loss.derivative(p, y));
    }
    update *= samples_.weight(i);
    move(row, update, update);
  }

  bool is_passive_aggressive() const {
    return options_.rate == SgdRate::pa1 || options_.rate == SgdRate::pa2;
  }

  double passive_aggressive(double p, double y, double value, double norm) const {
    const double length = options_.rate == SgdRate::pa1 ? std::min(options_.eta0, value / norm)
                                                        : value / (norm + 0.5 / options_.eta0);
    if (is_classification_) return length * y;
    return y < p ? -length : length;
  }

  void add_to_batch(std::int64_t i) {
    const auto row = rows_.row(i);
    const double y = samples_.y(i);
    const double p = weights_.dot(row) + intercept_;
    const LossAt loss = loss_(p, y);
    if (measures_) measure(loss.value, 1.0);
    const double slope = samples_.weight(i) * limited(loss.derivative);
    if (slope != 0.0) batch_.add(row, slope);
    slope_sum_ += slope;
    if (++n_in_batch_ == options_.batch_size) step_on_batch();
  }

  void step_on_batch() {
    set_rate();
    const double c = -eta_ / static_cast<double>(n_in_batch_);
    move(batch_.row(), c, c * slope_sum_);
    batch_.clear();
    slope_sum_ = 0.0;
    n_in_batch_ = 0;
  }

  void step_on_all() {
    const GradientSums sums =
        whole_gradient(rows_, loss_, samples_, weights_, intercept_, false, ctx_);
    const auto n = static_cast<double>(samples_.n_train());
    set_rate();
    if (measures_) measure(sums.loss, n);
    const auto kernels = row_kernels(static_cast<const double*>(nullptr));
    const DenseRow<double> row{sums.coef.data(), rows_.n_cols(), &kernels};
    move(row, -eta_ / n, -eta_ / n * sums.intercept);
  }

  void set_rate() {
    if (options_.rate == SgdRate::optimal)
      eta_ = 1.0 / (options_.alpha * (optimal_t0_ + t_ - 1.0));
    else if (options_.rate == SgdRate::invscaling)
      eta_ = options_.eta0 / std::pow(t_, options_.power_t);
  }

  // Adds the loss of so many rows, and as many times the penalty, at the weights before the step.
  void measure(double loss, double n_rows) {
    loss_sum_ += loss;
    objective_sum_ += loss;
    if (is_passive_aggressive()) return;
    if (decays_ || shrinks_)
      objective_sum_ +=
          n_rows * options_.alpha *
          ((1.0 - l1_ratio_) * 0.5 * weights_.squares() + l1_ratio_ * weights_.magnitudes());
    if (options_.is_one_class) objective_sum_ += n_rows * intercept_ * options_.alpha;
  }

  // One step: v += c row after the decay of the L2 penalty, then the L1 penalty.
  template <class Row>
  void move(const Row& row, double c, double intercept_change) {
    const double strength = eta_ * options_.alpha;
    if (decays_) weights_.decay(std::max(0.0, 1.0 - (1.0 - l1_ratio_) * strength));
    if (c != 0.0) weights_.add(row, c);
    if (options_.fit_intercept) {
      if (options_.is_one_class) intercept_change -= strength;
      intercept_ += intercept_change * options_.intercept_decay;
    }
    const auto first = static_cast<double>(options_.average);
    if (first > 0.0 && first <= t_) {
      const double n = t_ - first + 1.0;
      weights_.take_average(row, c, n);
      average_intercept_ += (intercept_ - average_intercept_) / n;
    }
    if (shrinks_) {
      l1_total_ += l1_ratio_ * strength;
      weights_.shrink(row, l1_total_);
    }
    t_ += 1.0;
    ++n_steps_;
  }

  double validation_score() const {
    ValidationScore score(is_classification_);
    for (std::int64_t i = 0; i < order_.size(); ++i) {
      if (i % 256 == 0) ctx_.check();
      if (!samples_.is_validation(i)) continue;
      score.add(weights_.dot(rows_.row(i)) + intercept_, samples_.y(i), samples_.weight(i));
    }
    return score.value();
  }

  // Counts the epochs without enough gain. Too many end the descent, or shorten adaptive steps.
  bool has_settled(double score) {
    if (options_.tol == -kInfinity) return false;
    const double objective =
        options_.early_stopping ? -score : objective_sum_ / static_cast<double>(samples_.n_train());
    n_without_gain_ = objective > best_ - options_.tol ? n_without_gain_ + 1 : 0;
    best_ = std::min(best_, objective);
    if (n_without_gain_ < options_.n_iter_no_change) return false;
    if (options_.rate != SgdRate::adaptive || eta_ <= kMinAdaptiveRate) return true;
    eta_ /= 5.0;
    n_without_gain_ = 0;
    return false;
  }

  SgdReport report(double score) {
    weights_.settle();
    double squares = 0.0;
    std::int64_t n_nonzero = 0;
    for (const double w : weights_.coef()) {
      squares += w * w;
      n_nonzero += w != 0.0 ? 1 : 0;
    }
    const auto n = static_cast<double>(samples_.n_train());
    return {std::sqrt(squares), n_nonzero,          intercept_, n_steps_,
            loss_sum_ / n,      objective_sum_ / n, score};
  }

  const Rows& rows_;
  RowLoss loss_;
  const SgdSamples& samples_;
  const SgdOptions& options_;
  bool is_classification_;
  const Context& ctx_;
  RowOrder order_;
  bool decays_, shrinks_, measures_;
  double l1_ratio_;
  SgdWeights weights_;
  double intercept_, average_intercept_;
  double t_, eta_, optimal_t0_;
  double l1_total_ = 0.0;
  double loss_sum_ = 0.0, objective_sum_ = 0.0;
  double best_ = kInfinity;
  std::int64_t n_without_gain_ = 0, n_steps_ = 0;

  using Row = decltype(std::declval<Rows>().row(0));
  BatchSum<Row> batch_{options_.batch_size > 1 ? rows_.n_cols() : 0};
  std::int64_t n_in_batch_ = 0;
  double slope_sum_ = 0.0;
};

TargetState target_of(const SgdState& state, std::int64_t target, double& no_average) {
  const auto average =
      state.average_intercept.empty() ? std::span<double>{} : state.average_coef.row(target);
  return {state.coef.row(target), state.intercept[at(target)], average,
          state.average_intercept.empty() ? no_average : state.average_intercept[at(target)]};
}

template <class Rows>
std::vector<SgdOutcome> descend(const Rows& rows, const SgdProblem& problem,
                                const SgdOptions& options, std::span<const std::uint32_t> seeds,
                                const SgdState& state, const Context& ctx) {
  constexpr double kEntryNs = 1.0, kTypicalEpochs = 10.0;
  const std::int64_t n_targets = state.coef.n_rows;
  std::vector<SgdOutcome> outcomes(at(n_targets));
  const auto fit_target = [&](std::int64_t k) {
    const SgdSamples samples(problem, options, k);
    double no_average = 0.0;
    const TargetState target = target_of(state, k, no_average);
    Descent descent(rows, samples, options, problem.is_classification, seeds[at(k)], target, ctx);
    outcomes[at(k)] = descent.run();
    descent.store(target);
  };
  // Steps on all rows are themselves spread over the threads.
  const bool is_parallel = options.batch_size < rows.n_rows();
  const double cost_ns = kEntryNs * kTypicalEpochs * static_cast<double>(n_targets) *
                         static_cast<double>(rows.n_rows() * rows.entries_per_row());
  parallel_for(ctx, n_targets, is_parallel ? cost_ns : 0.0, fit_target);
  return outcomes;
}

template <class Rows>
void write_gradient(const Rows& rows, const SgdProblem& problem, const SgdOptions& options,
                    const SgdPoint& point, const SgdGradient& out, const Context& ctx) {
  for (std::int64_t k = 0; k < point.coef.n_rows; ++k) {
    const SgdSamples samples(problem, options, k);
    const SgdWeights weights(point.coef.row(k), {}, {});
    const GradientSums sums = whole_gradient(rows, row_loss(options), samples, weights,
                                             point.intercept[at(k)], true, ctx);
    const auto n = static_cast<double>(samples.n_train());
    out.loss[at(k)] = sums.weighted_loss / n;
    out.norms[at(k)] = sums.norms / n;
    out.intercept[at(k)] = sums.intercept / n;
    for (std::int64_t j = 0; j < point.coef.n_cols; ++j) out.coef(k, j) = sums.coef[j] / n;
  }
}

}  // namespace

std::vector<SgdOutcome> sgd(const AnyMatrix& X, const SgdProblem& problem,
                            const SgdOptions& options, std::span<const std::uint32_t> seeds,
                            const SgdState& state, const Context& ctx) {
  return std::visit(
      [&](const auto& view) { return descend(rows_of(view), problem, options, seeds, state, ctx); },
      X);
}

void sgd_gradient(const AnyMatrix& X, const SgdProblem& problem, const SgdOptions& options,
                  const SgdPoint& point, const SgdGradient& out, const Context& ctx) {
  std::visit(
      [&](const auto& view) { write_gradient(rows_of(view), problem, options, point, out, ctx); },
      X);
}

}  // namespace gramian::solve
