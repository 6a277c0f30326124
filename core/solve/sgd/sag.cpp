#include "solve/sgd/sag.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "loss/squared.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"
#include "random/philox.hpp"
#include "solve/sgd/sag_kernel.hpp"

namespace gramian::solve {
namespace {

constexpr std::uint16_t kDrawRows = 0;  // the purpose of the random streams
constexpr std::int64_t kMaxPollRows = 256;
constexpr std::int64_t kPollEntries = 1 << 16;  // about 50 microseconds
constexpr std::int64_t kNormChunkRows = 4096;
constexpr double kEntryNs = 0.5;
constexpr double kTypicalEpochs = 10.0;
constexpr std::int64_t kPrefetchLines = 8;  // of a dense row; the hardware follows from there
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMinScale = 1e-6;
constexpr double kMinShrink = 1e-9;

Buffer<double> padded_copy(std::span<const double> x) {
  const auto n = static_cast<std::int64_t>(x.size());
  auto out = Buffer<double>::zeros((n + kRowLanes - 1) / kRowLanes * kRowLanes);
  std::copy(x.begin(), x.end(), out.begin());
  return out;
}

// The coefficients v of one target and the sum of the remembered gradients, for dense rows.
template <class T>
class DenseState {
 public:
  DenseState(MatrixView<const T> X, std::span<const double> mean)
      : X_(X),
        mean_(padded_copy(mean)),
        z_(Buffer<double>::zeros(mean_.size())),
        sum_(Buffer<double>::zeros(mean_.size())),
        v_(Buffer<double>::zeros(mean_.size())) {}

  std::int64_t row_cost() const { return std::max<std::int64_t>(X_.n_cols, 1); }

  double squared_norm(std::int64_t i) {
    centre(i);
    return GRAMIAN_DISPATCH(padded_dot, z_.data(), z_.data(), z_.size());
  }

  // z_i' v. The next call of move must be for the same row.
  double predict(std::int64_t i) {
    centre(i);
    return GRAMIAN_DISPATCH(padded_dot, z_.data(), v_.data(), z_.size());
  }

  void prefetch(std::int64_t i) const {
    const T* row = X_.data + i * X_.row_stride;
    constexpr std::int64_t kPerLine = kCacheLine / sizeof(T);
    for (std::int64_t j = 0; j < std::min(X_.n_cols, kPrefetchLines * kPerLine); j += kPerLine)
      __builtin_prefetch(row + j);
  }

  void move(std::int64_t, const SagStep& step) {
    GRAMIAN_DISPATCH(move_along_average, step, z_.data(), z_.size(), sum_.data(), v_.data());
  }

  std::span<const double> coef() { return {v_.data(), at(X_.n_cols)}; }

 private:
  void centre(std::int64_t i) {
    GRAMIAN_DISPATCH(centre_row, X_.data + i * X_.row_stride, mean_.data(), X_.n_cols, z_.data());
  }

  MatrixView<const T> X_;
  Buffer<double> mean_, z_, sum_, v_;
};

// The same for sparse rows. Three numbers carry what a step does to every coefficient:
//   v = scale (u - p sum + q mean),
// where sum = sum_i g_i x_i is that of the rows as they are stored; the centred one is
// sum - total mean with total = sum_i g_i. A step then changes u and sum in the columns of its row
// alone. mean' u and mean' sum, which predictions need, are kept up with the same steps.
template <class T, class Index>
class SparseState {
 public:
  SparseState(CsrView<T, Index> X, std::span<const double> mean)
      : X_(X), mean_(mean), sum_(mean.size(), 0.0), u_(mean.size(), 0.0) {
    for (const double m : mean_) mean_mean_ += m * m;
  }

  std::int64_t row_cost() const {
    return X_.n_stored() / std::max<std::int64_t>(X_.n_rows(), 1) + 1;
  }

  double squared_norm(std::int64_t i) const {
    const auto row = X_.row(i);
    double norm = mean_mean_;
    for (std::size_t e = 0; e < row.cols.size(); ++e) {
      const auto x = static_cast<double>(row.values[e]);
      norm += x * (x - 2.0 * mean_[at(row.cols[e])]);
    }
    return std::max(norm, 0.0);
  }

  double predict(std::int64_t i) {
    const auto row = X_.row(i);
    double x_u = 0.0, x_sum = 0.0;
    x_mean_ = 0.0;
    for (std::size_t e = 0; e < row.cols.size(); ++e) {
      const auto x = static_cast<double>(row.values[e]);
      const auto j = at(row.cols[e]);
      x_u += x * u_[j];
      x_sum += x * sum_[j];
      x_mean_ += x * mean_[j];
    }
    return scale_ * ((x_u - mean_u_) - p_ * (x_sum - mean_sum_) + q_ * (x_mean_ - mean_mean_));
  }

  void prefetch(std::int64_t i) const {
    const auto first = at(X_.indptr[at(i)]);
    __builtin_prefetch(X_.values.data() + first);
    __builtin_prefetch(X_.indices.data() + first);
  }

  void move(std::int64_t i, const SagStep& step) {
    scale_ *= step.shrink;
    total_ += step.change;
    // u takes up p times the change of the sum, which leaves v as it was, less the row's own step.
    const double into_u = (p_ - step.row_step / scale_) * step.change;
    const auto row = X_.row(i);
    for (std::size_t e = 0; e < row.cols.size(); ++e) {
      const auto x = static_cast<double>(row.values[e]);
      const auto j = at(row.cols[e]);
      sum_[j] += step.change * x;
      u_[j] += into_u * x;
    }
    mean_sum_ += step.change * x_mean_;
    mean_u_ += into_u * x_mean_;
    p_ += step.average_step / scale_;
    q_ += (step.average_step * total_ + step.row_step * step.change) / scale_;
    if (scale_ < kMinScale) coef();
  }

  // Brings v up to date, in u. O(p).
  std::span<const double> coef() {
    mean_u_ = 0.0;
    mean_sum_ = 0.0;
    for (std::size_t j = 0; j < u_.size(); ++j) {
      u_[j] = scale_ * (u_[j] - p_ * sum_[j] + q_ * mean_[j]);
      mean_u_ += mean_[j] * u_[j];
      mean_sum_ += mean_[j] * sum_[j];
    }
    scale_ = 1.0;
    p_ = 0.0;
    q_ = 0.0;
    return u_;
  }

 private:
  CsrView<T, Index> X_;
  std::span<const double> mean_;
  std::vector<double> sum_, u_;
  double scale_ = 1.0, p_ = 0.0, q_ = 0.0;
  double total_ = 0.0;  // of the remembered derivatives
  double mean_u_ = 0.0, mean_sum_ = 0.0, mean_mean_ = 0.0;
  double x_mean_ = 0.0;  // of the row predicted last
};

template <class T>
DenseState<T> state_of(const MatrixView<const T>& X, std::span<const double> mean) {
  return {X, mean};
}

template <class T, class Index>
SparseState<T, Index> state_of(const CsrView<T, Index>& X, std::span<const double> mean) {
  return {X, mean};
}

// What is remembered about a row that takes part.
struct Sample {
  std::int64_t row;
  double y;
  double weight;
  double derivative = 0.0;
  bool is_seen = false;
};

std::vector<Sample> samples_of(const SagProblem& problem, std::int64_t target) {
  const double mean = problem.mean_y[at(target)];
  std::vector<Sample> samples;
  samples.reserve(at(problem.Y.n_rows));
  for (std::int64_t i = 0; i < problem.Y.n_rows; ++i) {
    const double w = problem.weight.empty() ? 1.0 : problem.weight[at(i)];
    if (w > 0.0) samples.push_back({i, problem.Y(i, target) - mean, w});
  }
  return samples;
}

// The estimated time of so many epochs.
template <class State>
double epochs_cost_ns(const State& state, std::int64_t n_rows, double n_epochs) {
  return kEntryNs * n_epochs * static_cast<double>(n_rows) * static_cast<double>(state.row_cost());
}

// max_i w_i |z_i|^2; infinity if one overflows.
template <class Rows>
double largest_norm(const Rows& X, const SagProblem& problem, const Context& ctx) {
  const auto of_chunk = [&](std::int64_t begin, std::int64_t end) {
    auto state = state_of(X, problem.mean_x);
    double largest = 0.0;
    for (std::int64_t i = begin; i < end; ++i) {
      ctx.check();
      const double w = problem.weight.empty() ? 1.0 : problem.weight[at(i)];
      const double norm = w > 0.0 ? w * state.squared_norm(i) : 0.0;
      largest = std::max(largest, std::isfinite(norm) ? norm : kInfinity);
    }
    return largest;
  };
  const std::int64_t n = problem.Y.n_rows;
  const double cost_ns = epochs_cost_ns(state_of(X, problem.mean_x), n, 1.0);
  return parallel_reduce_exact(
      ctx, Chunks::of_rows(n, kNormChunkRows), cost_ns, of_chunk,
      [](double& largest, double next) { largest = std::max(largest, next); });
}

// Step lengths from the Lipschitz constant L of one row's gradient. SAG: 1 / L, as its authors
// advise. SAGA: the longer of the two that are proven, 1 / (3 L) and 1 / (2 (L + n mu)), where the
// penalty makes the objective mu-strongly convex.
struct StepLength {
  double step;
  double penalty;  // alpha / n
  bool is_saga;

  StepLength(double curvature, double alpha, std::int64_t n, bool saga)
      : penalty(alpha / static_cast<double>(n)), is_saga(saga) {
    const double lipschitz = curvature + penalty;
    step = 1.0 / (saga ? 2.0 * lipschitz + std::min(2.0 * alpha, lipschitz) : lipschitz);
    if (penalty > 0.0) step = std::min(step, (1.0 - kMinShrink) / penalty);
  }

  // Until every row was drawn, the average is over those that were.
  SagStep at(double change, std::int64_t n_seen) const {
    const double average_step = step / static_cast<double>(n_seen);
    return {change, 1.0 - step * penalty, average_step, is_saga ? step - average_step : 0.0};
  }
};

// Draws samples at random, some steps ahead: the cache lines of the sample, then those of its row,
// are asked for before they are needed.
class Draws {
 public:
  Draws(std::vector<Sample>& samples, Stream stream) : samples_(samples), stream_(stream) {
    for (Sample*& sample : ahead_) sample = draw();
  }

  template <class State>
  Sample& next(const State& state) {
    Sample* current = std::exchange(ahead_[position_], draw());
    position_ = (position_ + 1) % kAhead;
    state.prefetch(ahead_[(position_ + kAhead / 2) % kAhead]->row);
    return *current;
  }

  std::int64_t n_samples() const { return static_cast<std::int64_t>(samples_.size()); }

 private:
  static constexpr std::size_t kAhead = 8;

  Sample* draw() {
    Sample* sample = &samples_[stream_.below(samples_.size())];
    __builtin_prefetch(sample);
    return sample;
  }

  std::vector<Sample>& samples_;
  Stream stream_;
  std::array<Sample*, kAhead> ahead_;
  std::size_t position_ = 0;
};

struct Outcome {
  std::int64_t n_epochs = 0;
  bool has_converged = false;
};

// Whether no entry differs by more than tol max |v|; false if any is not finite. Updates `last`.
bool has_settled(std::span<const double> v, double tol, std::vector<double>& last) {
  double largest = 0.0, change = 0.0;
  bool is_finite = true;
  for (std::size_t j = 0; j < v.size(); ++j) {
    is_finite = is_finite && std::isfinite(v[j]);
    largest = std::max(largest, std::abs(v[j]));
    change = std::max(change, std::abs(v[j] - last[j]));
  }
  std::copy(v.begin(), v.end(), last.begin());
  return is_finite && change <= tol * largest;
}

template <class Loss, class State>
Outcome run_epochs(State& state, Draws draws, const StepLength& length, const SagOptions& options,
                   std::vector<double>& coef, const Context& ctx) {
  const std::int64_t poll_rows =
      std::clamp<std::int64_t>(kPollEntries / state.row_cost(), 1, kMaxPollRows);
  Outcome outcome;
  std::int64_t n_seen = 0;
  while (outcome.n_epochs < options.max_iter && !outcome.has_converged && !ctx.expired()) {
    for (std::int64_t k = 0; k < draws.n_samples(); ++k) {
      if (k % poll_rows == 0) ctx.check();
      Sample& sample = draws.next(state);
      n_seen += sample.is_seen ? 0 : 1;
      sample.is_seen = true;
      const double derivative =
          sample.weight * Loss::derivative(state.predict(sample.row), sample.y);
      state.move(sample.row, length.at(derivative - sample.derivative, n_seen));
      sample.derivative = derivative;
    }
    ++outcome.n_epochs;
    outcome.has_converged = has_settled(state.coef(), options.tol, coef);
  }
  return outcome;
}

template <class Loss, class Rows>
bool fit_all(const Rows& X, const SagProblem& problem, const SagOptions& options,
             const MatrixView<double>& coef, std::span<std::int64_t> n_iter, const Context& ctx) {
  const double norm = largest_norm(X, problem, ctx);
  const double cost_ns = epochs_cost_ns(state_of(X, problem.mean_x), problem.Y.n_rows,
                                        kTypicalEpochs * static_cast<double>(coef.n_cols));
  std::vector<char> has_converged(at(coef.n_cols), 0);

  parallel_for(ctx, coef.n_cols, cost_ns, [&](std::int64_t c) {
    auto samples = samples_of(problem, c);
    std::vector<double> v(at(coef.n_rows), 0.0);
    Outcome outcome{0, norm == 0.0};  // rows without variance leave nothing to fit
    if (norm > 0.0 && std::isfinite(norm)) {
      const StepLength length(Loss::kMaxCurvature * norm, problem.alpha[at(c)],
                              static_cast<std::int64_t>(samples.size()), options.is_saga);
      auto state = state_of(X, problem.mean_x);
      const Stream stream(ctx.seed, static_cast<std::uint64_t>(c), kDrawRows);
      outcome = run_epochs<Loss>(state, Draws(samples, stream), length, options, v, ctx);
    }
    for (std::int64_t j = 0; j < coef.n_rows; ++j) coef(j, c) = v[at(j)];
    n_iter[at(c)] = outcome.n_epochs;
    has_converged[at(c)] = outcome.has_converged;
  });
  return std::find(has_converged.begin(), has_converged.end(), 0) == has_converged.end();
}

// X with adjacent rows, in `memory`.
template <class T>
MatrixView<const T> copy_by_rows(MatrixView<const T> X, Buffer<T>& memory, const Context& ctx) {
  constexpr std::int64_t kBlock = 64;  // rows that share the cache lines of a column
  memory = Buffer<T>(X.n_rows * X.n_cols);
  const auto cost_ns = static_cast<double>(memory.size());
  const Chunks blocks = Chunks::of_rows(X.n_rows, kBlock);
  parallel_for(ctx, blocks.count(), cost_ns, [&](std::int64_t b) {
    for (std::int64_t j = 0; j < X.n_cols; ++j)
      for (std::int64_t i = blocks.begin(b); i < blocks.end(b); ++i)
        memory[i * X.n_cols + j] = X(i, j);
  });
  return {memory.data(), X.n_rows, X.n_cols};
}

}  // namespace

bool sag(const AnyMatrix& X, const SagProblem& problem, const SagOptions& options,
         const MatrixView<double>& coef, std::span<std::int64_t> n_iter, const Context& ctx) {
  return std::visit(
      [&]<class Rows>(const Rows& rows) {
        if constexpr (requires { rows.has_contiguous_rows(); }) {
          if (!rows.has_contiguous_rows()) {
            Buffer<typename Rows::Number> memory;
            const Rows copy = copy_by_rows(rows, memory, ctx);
            return fit_all<loss::Squared>(copy, problem, options, coef, n_iter, ctx);
          }
        }
        return fit_all<loss::Squared>(rows, problem, options, coef, n_iter, ctx);
      },
      X);
}

}  // namespace gramian::solve
