#include "distance/class_neighbours/objective.hpp"

#include "base/buffer.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "distance/class_neighbours/objective_kernel.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::distance {
namespace {

constexpr std::int64_t kLanes = 8;
constexpr std::int64_t kRowsPerTask = 8;

}  // namespace

void choose_neighbours(MatrixView<const double> rows, std::span<const std::int64_t> codes,
                       std::span<double> probabilities, MatrixView<double> pull,
                       const Context& ctx) {
  const std::int64_t n = rows.n_rows, p = rows.n_cols;
  if (n < 2) throw InvalidArgument("there must be two rows or more");
  const std::int64_t stride = (n + kLanes - 1) / kLanes * kLanes;
  Buffer<double> entries = Buffer<double>::zeros(p * stride);
  Buffer<double> classes = Buffer<double>::zeros(stride);
  Buffer<double> shifts = Buffer<double>::zeros(stride), chances = Buffer<double>::zeros(stride);
  for (std::int64_t i = 0; i < n; ++i) {
    classes[i] = static_cast<double>(codes[at(i)]);
    for (std::int64_t k = 0; k < p; ++k) entries[k * stride + i] = rows(i, k);
  }
  const CodedRows coded{entries.data(), classes.data(), n, stride, p};
  const Chunks chunks = Chunks::of_rows(n, kRowsPerTask);
  const double pairs = static_cast<double>(n) * static_cast<double>(n);
  const double cost_ns = (1.0 + 0.15 * static_cast<double>(p)) * pairs;
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t task) {
    Buffer<double> squares(stride);
    for (std::int64_t i = chunks.begin(task); i < chunks.end(task); ++i) {
      ctx.check();
      const Choice choice = GRAMIAN_DISPATCH(choice_of_row, coded, i, squares.data());
      chances[i] = probabilities[at(i)] = choice.probability;
      shifts[i] = choice.shift;
    }
  });
  parallel_for(ctx, chunks.count(), 2.0 * cost_ns, [&](std::int64_t task) {
    Buffer<double> sums(p * kLanes), pull_of_row(p);
    for (std::int64_t i = chunks.begin(task); i < chunks.end(task); ++i) {
      ctx.check();
      GRAMIAN_DISPATCH(pull_on_row, coded, i, chances.data(), shifts.data(), sums.data(),
                       pull_of_row.data());
      for (std::int64_t k = 0; k < p; ++k) pull(i, k) = pull_of_row[k];
    }
  });
}

}  // namespace gramian::distance
