#include "solve/svm/hard_margin.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "base/index.hpp"
#include "parallel/parallel_for.hpp"
#include "solve/svm/grown_cholesky.hpp"

namespace gramian::solve {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kExact = 1e-12;     // of the targets' spread: violations that are none
constexpr double kSpoiled = 1e-2;    // of the spread: rounding that leaves nothing to be said
constexpr int kMostRefinements = 8;  // of a solution, until the violations summed afresh are none
constexpr std::int64_t kStepsPerRow = 64;

// The variable of a tight constraint, with its coefficient and the kernels of its row.
struct Tight {
  std::int64_t variable;
  double beta;
  Buffer<double> kernels;
};

class HardMargin {
 public:
  HardMargin(const kernel::Source<double>& source, const SmoProblem& problem,
             const SmoOptions& options, const Context& ctx)
      : source_(source),
        problem_(problem),
        options_(options),
        ctx_(ctx),
        n_(source.n_rows()),
        sums_(at(n_), 0.0),
        is_tight_(problem.sign.size(), 0) {}

  SmoResult run() {
    SmoResult result;
    if (start()) {
      for (int k = 0; k < kMostRefinements && result.feasible && !is_stopped_; ++k) {
        result.feasible = climb(result);
        if (result.feasible && refine() <= allowed()) break;
      }
    } else {
      result.feasible = tight_.empty();
    }
    finish(result);
    return result;
  }

 private:
  double sign(std::int64_t v) const { return problem_.sign[at(v)]; }
  double target(std::int64_t v) const { return -sign(v) * problem_.linear[at(v)]; }
  bool is_used(std::int64_t v) const { return problem_.upper[at(v)] > 0.0; }
  double score(std::int64_t v) const { return sums_[at(v % n_)] + b_; }
  double violation(std::int64_t v) const { return sign(v) * (target(v) - score(v)); }

  // Violations that cannot be told from rounding: scores are sums of kernels times coefficients.
  double rounding() const {
    double size = 0.0;
    for (const Tight& tight : tight_) size += std::abs(tight.beta);
    return 4.0 * kEpsilon * largest_ * size;
  }
  double allowed() const { return std::max(kExact * spread_, rounding()); }

  Buffer<double> kernels_of(std::int64_t v) {
    Buffer<double> row(kernel::padded(n_));
    const std::int64_t which[] = {v % n_};
    double* const out[] = {row.data()};
    source_.rows(which, out, ctx_);
    for (std::int64_t i = 0; i < n_; ++i) largest_ = std::max(largest_, std::abs(row[i]));
    return row;
  }

  // The pair of constraints that ask most of b, or one without it. False where b alone satisfies
  // all, or nothing can: then they stand in tight_, with the coefficients 1 and -1.
  bool start() {
    std::int64_t ends[2] = {-1, -1};  // the highest target from below, the lowest from above
    for (std::int64_t v = 0; v < std::ssize(problem_.sign); ++v) {
      if (!is_used(v)) continue;
      std::int64_t& end = ends[sign(v) > 0.0 ? 0 : 1];
      if (end < 0 || sign(v) * (target(v) - target(end)) > 0.0) end = v;
      spread_ = std::max(spread_, std::abs(target(v)));
    }
    if (!problem_.has_intercept) return true;
    if (ends[0] < 0 || ends[1] < 0 || target(ends[0]) <= target(ends[1])) {
      b_ = ends[0] < 0   ? (ends[1] < 0 ? 0.0 : target(ends[1]))
           : ends[1] < 0 ? target(ends[0])
                         : 0.5 * (target(ends[0]) + target(ends[1]));
      return false;
    }
    spread_ = target(ends[0]) - target(ends[1]);
    tight_.push_back({ends[0], 1.0, kernels_of(ends[0])});
    tight_.push_back({ends[1], -1.0, kernels_of(ends[1])});
    return settle_pair();
  }

  bool settle_pair() {
    const std::int64_t i = tight_[0].variable % n_, j = tight_[1].variable % n_;
    const double own = tight_[0].kernels[i], other = tight_[1].kernels[j];
    const double distance = own + other - 2.0 * tight_[0].kernels[j];
    if (!(distance > 8.0 * kEpsilon * (own + other))) return false;
    lift_ = std::max(std::abs(own), std::abs(other));
    const double high = target(tight_[0].variable);
    const double step = spread_ / distance;
    tight_[0].beta = step;
    tight_[1].beta = -step;
    sum_kernels();
    b_ = high - sums_[at(i)];
    for (const Tight& tight : tight_) is_tight_[at(tight.variable)] = 1;
    const double corner = own + lift_, edge = tight_[0].kernels[j] + lift_;
    factor_.add({}, corner);
    factor_.add({edge / std::sqrt(corner)}, other + lift_ - edge * edge / corner);
    return true;
  }

  // Adds constraints until none is violated; false if some contradict each other.
  bool climb(SmoResult& result) {
    const std::int64_t most = kStepsPerRow * std::ssize(problem_.sign) + 1024;
    for (;;) {
      ctx_.check();
      const std::int64_t next = most_violated();
      if (next < 0) return true;
      is_stopped_ = result.n_iter == options_.max_iter || result.n_iter >= most;
      result.timed_out = ctx_.expired();
      is_stopped_ |= result.timed_out;
      if (is_stopped_) return true;
      ++result.n_iter;
      if (!add(next) || rounding() > kSpoiled * spread_) return false;
    }
  }

  std::int64_t most_violated() const {
    std::int64_t worst = -1;
    double most = allowed();
    for (std::int64_t v = 0; v < std::ssize(problem_.sign); ++v) {
      if (is_tight_[at(v)] != 0 || !is_used(v) || !(violation(v) > most)) continue;
      most = violation(v);
      worst = v;
    }
    return worst;
  }

  // beta of the tight ones falls by `along` for each unit of the new one's, and b rises by `shift`.
  struct Direction {
    std::vector<double> along, forward;
    double shift = 0.0;
    double pivot = 0.0;
    double curvature = 0.0;  // the squared distance of the new row from the plane of the tight ones
    double scale = 0.0;
  };

  Direction direction_of(const Tight& added) const {
    Direction d;
    std::vector<double> products;
    for (const Tight& tight : tight_)
      products.push_back(added.kernels[tight.variable % n_] + lift_);
    d.scale = std::abs(added.kernels[added.variable % n_] + lift_);
    d.forward = factor_.forward(products);
    d.pivot = added.kernels[added.variable % n_] + lift_;
    for (const double z : d.forward) d.pivot -= z * z;
    d.along = factor_.backward(d.forward);
    d.curvature = d.pivot;
    if (!problem_.has_intercept) return d;
    const std::vector<double> ones = inverse_of_ones();
    double all = 0.0, part = 0.0;
    for (std::size_t k = 0; k < ones.size(); ++k) {
      all += ones[k];
      part += d.along[k];
    }
    d.shift = (1.0 - part) / all;
    for (std::size_t k = 0; k < ones.size(); ++k) d.along[k] += d.shift * ones[k];
    d.curvature += (1.0 - part) * (1.0 - part) / all;
    return d;
  }

  std::vector<double> inverse_of_ones() const {
    const std::vector<double> ones(tight_.size(), 1.0);
    return factor_.backward(factor_.forward(ones));
  }

  // Makes the constraint of v tight. False if that cannot be: beta then is the contradiction.
  bool add(std::int64_t v) {
    Tight added{v, 0.0, kernels_of(v)};
    for (;;) {
      ctx_.check();
      const Direction d = direction_of(added);
      const double noise = 64.0 * kEpsilon * static_cast<double>(tight_.size() + 4);
      const bool is_dependent = !(d.curvature > noise * d.scale) || !(d.pivot > 0.0);
      const double whole = is_dependent ? kInfinity : std::max(violation(v), 0.0) / d.curvature;
      double step = whole;
      std::int64_t first = -1;
      for (std::size_t k = 0; k < tight_.size(); ++k) {
        const double falls = sign(tight_[k].variable) * sign(v) * d.along[k];
        const double left = std::abs(tight_[k].beta);
        if (falls > 0.0 && left < step * falls) {
          step = left / falls;
          first = static_cast<std::int64_t>(k);
        }
      }
      if (step == kInfinity) return contradict(added, d);
      move(added, d, step);
      if (first < 0) {
        is_tight_[at(v)] = 1;
        factor_.add(d.forward, d.pivot);
        tight_.push_back(std::move(added));
        return true;
      }
      leave(first);
    }
  }

  bool contradict(Tight& added, const Direction& d) {
    for (std::size_t k = 0; k < tight_.size(); ++k)
      tight_[k].beta = -sign(added.variable) * d.along[k];
    added.beta = sign(added.variable);
    tight_.push_back(std::move(added));
    return false;
  }

  void leave(std::int64_t k) {
    factor_.remove(k);
    is_tight_[at(tight_[at(k)].variable)] = 0;
    tight_.erase(tight_.begin() + k);
  }

  void move(Tight& added, const Direction& d, double step) {
    const double by = sign(added.variable) * step;
    std::vector<double> change;
    for (std::size_t k = 0; k < tight_.size(); ++k) {
      Tight& tight = tight_[k];
      change.push_back(-by * d.along[k]);
      const double next = tight.beta + change.back();
      // Rounding must not carry a multiplier past zero.
      tight.beta = sign(tight.variable) * next > 0.0 ? next : 0.0;
    }
    added.beta += by;
    b_ += by * d.shift;
    change.push_back(by);
    add_kernels(change, &added);
  }

  // sums_ += change' kernels, of the tight rows and one more.
  void add_kernels(const std::vector<double>& change, const Tight* last) {
    std::vector<const double*> rows;
    for (const Tight& tight : tight_) rows.push_back(tight.kernels.data());
    if (last != nullptr) rows.push_back(last->kernels.data());
    const std::int64_t count = std::ssize(rows);
    const double cost = 0.3 * static_cast<double>(count) * static_cast<double>(n_);
    const Chunks chunks = Chunks::of_rows(n_, 2048);
    parallel_for(ctx_, chunks.count(), cost, [&](std::int64_t task) {
      std::vector<const double*> pieces(rows);
      for (const double*& piece : pieces) piece += chunks.begin(task);
      const std::int64_t size = chunks.end(task) - chunks.begin(task);
      const kernel::RowSum<double> sum{pieces.data(), change.data(), count, size,
                                       sums_.data() + chunks.begin(task)};
      GRAMIAN_DISPATCH(add_rows, sum);
    });
  }

  void sum_kernels() {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    std::vector<double> beta;
    for (const Tight& tight : tight_) beta.push_back(tight.beta);
    add_kernels(beta, nullptr);
  }

  // One step of iterative refinement for the tight constraints; returns the largest violation that
  // is left of all constraints.
  double refine() {
    sum_kernels();
    std::vector<double> residual;
    double total = 0.0;
    for (const Tight& tight : tight_) {
      residual.push_back(target(tight.variable) - score(tight.variable));
      total += tight.beta;
    }
    if (!tight_.empty()) correct(residual, total);
    sum_kernels();
    double worst = 0.0;
    for (std::int64_t v = 0; v < std::ssize(problem_.sign); ++v)
      if (is_used(v)) worst = std::max(worst, violation(v));
    return worst;
  }

  // With the lift:  (K + lift 1 1') d + c = residual - lift total,  1' d = -total.
  void correct(std::vector<double> residual, double total) {
    if (!problem_.has_intercept) total = 0.0;
    for (double& r : residual) r -= lift_ * total;
    std::vector<double> change = factor_.backward(factor_.forward(std::move(residual)));
    if (problem_.has_intercept) {
      const std::vector<double> ones = inverse_of_ones();
      double all = 0.0, part = 0.0;
      for (std::size_t k = 0; k < ones.size(); ++k) {
        all += ones[k];
        part += change[k];
      }
      const double shift = (part + total) / all;
      for (std::size_t k = 0; k < ones.size(); ++k) change[k] -= shift * ones[k];
      b_ += shift;
    }
    for (std::size_t k = 0; k < tight_.size(); ++k) {
      const double next = tight_[k].beta + change[k];
      tight_[k].beta = sign(tight_[k].variable) * next > 0.0 ? next : 0.0;
    }
  }

  void finish(SmoResult& result) {
    std::fill(problem_.alpha.begin(), problem_.alpha.end(), 0.0);
    double size = 0.0;
    for (const Tight& tight : tight_) size += 0.5 * std::abs(tight.beta);
    const double unit = result.feasible ? 1.0 : size;
    for (const Tight& tight : tight_)
      problem_.alpha[at(tight.variable)] = std::abs(tight.beta) / unit;
    sum_kernels();
    for (std::int64_t v = 0; v < std::ssize(problem_.sign); ++v) {
      problem_.f[at(v)] = sums_[at(v % n_)] - target(v);
      if (is_used(v)) result.gap = std::max(result.gap, violation(v));
    }
    result.rho = -b_;
    result.converged = result.feasible && result.gap <= options_.tol;
  }

  const kernel::Source<double>& source_;
  const SmoProblem& problem_;
  const SmoOptions& options_;
  const Context& ctx_;
  std::int64_t n_;
  std::vector<double> sums_;  // sum_u beta_u K(u, i) of each row i
  std::vector<char> is_tight_;
  std::vector<Tight> tight_;
  GrownCholesky factor_;  // of K + lift of the tight rows: along sum beta = 0 the lift is nothing
  double lift_ = 0.0;
  double b_ = 0.0;
  double spread_ = 0.0;
  double largest_ = 0.0;
  bool is_stopped_ = false;
};

}  // namespace

SmoResult hard_margin(const kernel::Source<double>& source, const SmoProblem& problem,
                      const SmoOptions& options, const Context& ctx) {
  return HardMargin(source, problem, options, ctx).run();
}

}  // namespace gramian::solve
