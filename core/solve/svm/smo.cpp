#include "solve/svm/smo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "parallel/parallel_for.hpp"
#include "solve/svm/row_cache.hpp"
#include "solve/svm/smo_kernel.hpp"
#include "solve/svm/smo_variables.hpp"

namespace gramian::solve {
namespace {

constexpr std::int64_t kWorkingSet = 512;      // variables solved for at a time
constexpr std::int64_t kWhole = 1024;          // so many are solved for at once
constexpr std::int64_t kStepsPerCheck = 4096;  // of the inner level, between looks at the clock
constexpr std::int64_t kLeastRounds = 6;       // before the first shrinking
constexpr double kShrunkShare = 0.25;          // of the rows: less is not worth moving the others
constexpr std::int64_t kMostRefreshes = 20;    // a tol below rounding errors ends here
constexpr double kInnerShare = 0.1;            // of the gap that the inner level leaves
// After so many steps or rounds a tol below the rounding errors of f counts as out of reach.
constexpr std::int64_t kManySteps = 1 << 20, kManyRounds = 256;
constexpr double kRounding = 16.0 * std::numeric_limits<double>::epsilon();

template <class T>
class Smo {
 public:
  Smo(const kernel::Source<T>& source, const SmoProblem& problem, const SmoOptions& options,
      const Context& ctx)
      : source_(source),
        problem_(problem),
        options_(options),
        ctx_(ctx),
        all_(problem, source.n_rows()),
        now_(all_),
        rows_(all_rows(source.n_rows())),
        cache_(new_cache()) {}

  SmoResult run() {
    SmoResult result;
    refresh();
    std::int64_t n_refreshed = 1, round = 0, n_rounds = 0;
    bool is_fresh = true, is_rounding = false;
    for (;;) {
      ctx_.check();
      Violation violation = now_.violation();
      if (violation.gap <= options_.tol && !is_fresh) {
        // The running f is put to the test: is it optimal for f summed anew, over all rows?
        unshrink();
        is_fresh = true;
        violation = now_.violation();
        if (++n_refreshed > kMostRefreshes) break;
      }
      result.converged = violation.gap <= options_.tol;
      result.timed_out = !result.converged && ctx_.expired();
      if (result.converged || result.timed_out || result.n_iter == options_.max_iter) break;
      if (options_.shrinking && ++round > kLeastRounds) shrink(violation);
      const std::int64_t n_steps = solve_round(violation, result.n_iter);
      if (n_steps == 0) break;  // rounding left nothing to gain
      result.n_iter += n_steps;
      is_fresh = false;
      is_rounding =
          rounding_ > options_.tol && (result.n_iter >= kManySteps || ++n_rounds >= kManyRounds);
      if (is_rounding) break;
    }
    if (!is_fresh) unshrink();
    finish(result);
    if (is_rounding) result.converged = result.gap <= options_.tol;
    return result;
  }

 private:
  static std::vector<std::int64_t> all_rows(std::int64_t n) {
    std::vector<std::int64_t> rows(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(i);
    return rows;
  }

  std::unique_ptr<RowCache<T>> new_cache() const {
    return std::make_unique<RowCache<T>>(source_.n_rows(), options_.cache_bytes,
                                         std::min(kWhole, source_.n_rows()));
  }

  const kernel::Source<T>& current() const { return part_ ? *part_ : source_; }

  // f of all variables, summed from alpha and the kernel alone.
  void refresh() {
    const std::vector<double> beta = all_.row_coefficients();
    std::vector<std::int64_t> which;
    std::vector<double> coef;
    for (std::size_t i = 0; i < beta.size(); ++i)
      if (beta[i] != 0.0) {
        which.push_back(static_cast<std::int64_t>(i));
        coef.push_back(beta[i]);
      }
    std::vector<double> sums(beta.size(), 0.0);
    const MatrixView<const double> matrix(coef.data(), 1, static_cast<std::int64_t>(coef.size()));
    source_.add_sums(source_, which, matrix, sums, ctx_);
    all_.set_f(sums, problem_);
    now_.f = all_.f;
  }

  // Back to all rows, with f computed afresh.
  void unshrink() {
    now_.scatter_alpha(rows_, all_);
    if (part_) {
      part_.reset();
      rows_ = all_rows(source_.n_rows());
      cache_ = new_cache();
    }
    now_ = all_;
    working_.clear();
    refresh();
  }

  void shrink(const Violation& violation) {
    const std::vector<std::int64_t> kept = now_.kept(violation);
    const auto n_kept = static_cast<double>(kept.size());
    if (n_kept > (1.0 - kShrunkShare) * static_cast<double>(now_.n_rows)) return;
    now_.scatter_alpha(rows_, all_);
    auto part = current().subset(kept);
    cache_->keep(kept);
    now_ = now_.subset(kept);
    std::vector<std::int64_t> rows;
    for (const std::int64_t k : kept) rows.push_back(rows_[static_cast<std::size_t>(k)]);
    part_ = std::move(part);
    rows_ = std::move(rows);
    working_.clear();
  }

  // One working set: chosen, solved, and its effect on f.
  std::int64_t solve_round(const Violation& violation, std::int64_t n_done) {
    const bool is_all = std::ssize(now_.f) <= kWhole;
    working_ = now_.working_set(working_, is_all ? kWhole : kWorkingSet);
    const WorkingRows used = now_.rows_of(working_);
    const std::vector<const T*> kernels = cache_->rows(used.rows, current(), ctx_);
    LocalVariables<T> local(now_, working_, used, kernels);
    local.problem.tol = std::max(options_.tol, is_all ? 0.0 : kInnerShare * violation.gap);
    std::int64_t n_steps = 0;
    for (;;) {
      ctx_.check();
      std::int64_t steps = kStepsPerCheck;
      if (options_.max_iter >= 0) steps = std::min(steps, options_.max_iter - n_done - n_steps);
      local.problem.max_steps = steps;
      const LocalResult part = GRAMIAN_DISPATCH(solve_local, local.problem);
      n_steps += part.n_steps;
      if (part.converged || part.n_steps == 0 || ctx_.expired()) break;
      if (n_done + n_steps == options_.max_iter) break;
      if (n_steps >= kManySteps && rounding_of(local.problem) > options_.tol) break;
    }
    rounding_ = rounding_of(local.problem);
    update(used, kernels, local);
    return n_steps;
  }

  // How far f may be off by rounding: it is a sum of kernels with the coefficients alpha. Smaller
  // violations are none that steps could mend.
  static double rounding_of(const LocalProblem<T>& problem) {
    double sum = 0.0, largest = 0.0;
    for (std::int64_t i = 0; i < problem.m; ++i) {
      sum += problem.alpha[i];
      largest = std::max(largest, std::abs(problem.diagonal[i]));
    }
    return kRounding * sum * largest;
  }

  void update(const WorkingRows& used, const std::vector<const T*>& kernels,
              const LocalVariables<T>& local) {
    const std::vector<double> change = local.take(now_, working_, used);
    std::vector<double> coef;
    std::vector<const T*> rows;
    for (std::size_t r = 0; r < change.size(); ++r)
      if (change[r] != 0.0) {
        coef.push_back(change[r]);
        rows.push_back(kernels[r]);
      }
    const auto n_rows = static_cast<std::int64_t>(rows.size());
    const double cost = 0.3 * static_cast<double>(n_rows) * static_cast<double>(now_.f.size());
    const Chunks chunks = Chunks::of_rows(now_.n_rows, 2048);
    parallel_for(ctx_, chunks.count(), cost, [&](std::int64_t task) {
      std::vector<const T*> pieces(rows);
      for (const T*& piece : pieces) piece += chunks.begin(task);
      const std::int64_t n = chunks.end(task) - chunks.begin(task);
      for (std::int64_t c = 0; c < now_.copies; ++c) {
        double* f = now_.f.data() + c * now_.n_rows + chunks.begin(task);
        const kernel::RowSum<T> sum{pieces.data(), coef.data(), n_rows, n, f};
        GRAMIAN_DISPATCH(add_rows, sum);
      }
    });
  }

  void finish(SmoResult& result) {
    result.gap = now_.violation().gap;
    result.rho = now_.rho(result.margin);
    std::copy(now_.alpha.begin(), now_.alpha.end(), problem_.alpha.begin());
    std::copy(now_.f.begin(), now_.f.end(), problem_.f.begin());
  }

  const kernel::Source<T>& source_;
  const SmoProblem& problem_;
  const SmoOptions& options_;
  const Context& ctx_;
  SmoVariables all_;                         // alpha is up to date when shrunk or finished
  SmoVariables now_;                         // of the rows in use
  std::vector<std::int64_t> rows_;           // their numbers
  std::unique_ptr<kernel::Source<T>> part_;  // of the rows in use, if not all
  std::unique_ptr<RowCache<T>> cache_;
  std::vector<std::int64_t> working_;
  double rounding_ = 0.0;  // of f, in the last working set
};

}  // namespace

template <class T>
SmoResult smo(const kernel::Source<T>& source, const SmoProblem& problem, const SmoOptions& options,
              const Context& ctx) {
  return Smo<T>(source, problem, options, ctx).run();
}

template SmoResult smo(const kernel::Source<float>&, const SmoProblem&, const SmoOptions&,
                       const Context&);
template SmoResult smo(const kernel::Source<double>&, const SmoProblem&, const SmoOptions&,
                       const Context&);

}  // namespace gramian::solve
