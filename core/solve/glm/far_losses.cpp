#include "solve/glm/far_losses.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "linalg/block_sums.hpp"
#include "solve/glm/dense_rows.hpp"

namespace gramian::solve {
namespace {

constexpr std::string_view kLosses = "losses";
constexpr double kMultinomial = -1.0;  // in the place of the number of a loss

std::int64_t kept_width(const GlmProblem& problem) {
  return problem.pointwise ? 1 : problem.n_outputs;
}

RowSum asked_for(std::span<const double> shift, const GlmProblem& problem,
                 std::span<const double> x, Kept kept, const WantedRows& wanted) {
  const double loss = problem.pointwise ? static_cast<double>(*problem.pointwise) : kMultinomial;
  RowSum asked{
      kLosses,
      {loss, problem.power, static_cast<double>(problem.n_outputs), static_cast<double>(kept),
       wanted.scores.empty() ? 0.0 : 1.0, wanted.kept.empty() ? 0.0 : 1.0},
      {{problem.y, 1}, {problem.weight, 1}}};
  asked.point.insert(asked.point.end(), shift.begin(), shift.end());
  asked.point.insert(asked.point.end(), x.begin(), x.end());
  return asked;
}

// Moves the last numbers to the rows from `first` on of what has `width` of them for each.
void take_rows(std::span<const double>& numbers, std::int64_t first, std::int64_t n,
               std::int64_t width, std::span<double> out) {
  if (out.empty()) return;
  const std::size_t count = at(n * width);
  if (numbers.size() < count) throw InvalidArgument("a block gave too few numbers of its rows");
  std::ranges::copy(numbers.last(count), out.begin() + first * width);
  numbers = numbers.first(numbers.size() - count);
}

void require_known(std::span<const double> head, const GlmProblem& problem, std::int64_t n) {
  const auto last = static_cast<double>(PointwiseLoss::squared_epsilon_insensitive);
  const bool is_multinomial = head[0] == kMultinomial;
  const auto is_class = [&](double y) { return y >= 0.0 && y < head[2]; };
  if (std::ssize(problem.y) != n || !(is_multinomial || (head[0] >= 0.0 && head[0] <= last)) ||
      !(is_multinomial ? head[2] > 1.0 : head[2] == 1.0) || !(head[3] >= 0.0 && head[3] <= 2.0) ||
      (is_multinomial && !std::ranges::all_of(problem.y, is_class)))
    throw InvalidArgument("losses were asked for that are not known");
}

}  // namespace

PassSums far_losses(const RowBlocks& X, std::span<const double> shift, const GlmProblem& problem,
                    std::span<const double> x, Kept kept, const WantedRows& wanted) {
  linalg::BlockSums<RawSums> sums(X);
  const std::int64_t n_scored = std::ssize(x) / (X.n_cols() + 1);
  const RowSum asked = asked_for(shift, problem, x, kept, wanted);
  X.sums(asked, [&](std::int64_t first, std::span<const double> numbers) {
    const std::int64_t n = std::min(X.block_rows(), X.n_rows() - first);
    take_rows(numbers, first, n, kept_width(problem), wanted.kept);
    take_rows(numbers, first, n, problem.n_outputs, wanted.scores);
    RawSums sum = RawSums::zeros(X.n_cols(), n_scored);
    linalg::unpack(numbers, sum);
    sums.add(first, std::move(sum));
  });
  return sums.total().about(shift, n_scored);
}

std::optional<std::vector<double>> loss_sums_of(const RowSum& asked, const AnyDense& rows,
                                                const Context& ctx) {
  if (asked.what != kLosses) return std::nullopt;
  const std::int64_t n = n_rows_of(rows), p = n_cols_of(rows);
  linalg::AskedNumbers numbers(asked);
  const auto head = numbers.next(6);
  GlmProblem problem;
  if (head[0] != kMultinomial)
    problem.pointwise = static_cast<PointwiseLoss>(static_cast<int>(head[0]));
  problem.power = head[1];
  problem.n_outputs = static_cast<std::int64_t>(head[2]);
  problem.y = numbers.of_rows(0, n);
  problem.weight = numbers.of_rows(1, n);
  const auto which = static_cast<Kept>(static_cast<int>(head[3]));
  require_known(head, problem, n);
  const std::int64_t k = problem.n_outputs, width = kept_width(problem);
  std::vector<double> scores(at(head[4] != 0.0 ? n * k : 0)),
      kept(at(head[5] != 0.0 ? n * width : 0));
  const auto shift = numbers.next(p), x = numbers.rest();
  const std::int64_t n_scored = std::ssize(x) / (p + 1);
  if (std::ssize(x) % (p + 1) != 0 || n_scored < 1 || n_scored > k || n_scored < k - 1)
    throw InvalidArgument("losses were asked for at a point of another size");
  const auto on_block = [&](const ScoreBlock& block) {
    return write_losses(problem, block, n_scored, which,
                        scores.empty() ? nullptr : scores.data() + block.begin * k,
                        kept.empty() ? nullptr : kept.data() + block.begin * width);
  };
  std::vector<double> found = std::visit(
      [&]<class T>(MatrixView<const T> own) {
        const DenseRows<T> dense(own, {shift.begin(), shift.end()});
        return linalg::packed(dense.raw_pass(x, n_scored, on_block, ctx));
      },
      rows);
  for (const auto* more : {&scores, &kept}) found.insert(found.end(), more->begin(), more->end());
  return found;
}

}  // namespace gramian::solve
