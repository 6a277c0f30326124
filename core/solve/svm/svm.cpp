#include "solve/svm/svm.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <type_traits>

#include "parallel/parallel_for.hpp"
#include "solve/svm/hard_margin.hpp"

namespace gramian::solve {
namespace {

bool is_whole(std::span<const std::int64_t> rows, std::int64_t n) {
  if (std::ssize(rows) != n) return false;
  for (std::int64_t i = 0; i < n; ++i)
    if (rows[static_cast<std::size_t>(i)] != i) return false;
  return true;
}

// Of the problems without upper bounds, which take kernels in double precision.
bool is_hard(const SmoProblem& problem) {
  return std::any_of(problem.upper.begin(), problem.upper.end(),
                     [](double upper) { return std::isinf(upper); });
}

template <class T>
SmoResult solve_one(const kernel::Source<T>& source, const SmoProblem& problem,
                    const SmoOptions& options, const Context& ctx) {
  if constexpr (std::is_same_v<T, double>) {
    if (is_hard(problem)) return hard_margin(source, problem, options, ctx);
  } else if (is_hard(problem)) {
    throw std::invalid_argument("problems without upper bounds take kernels in double precision");
  }
  return smo(source, problem, options, ctx);
}

}  // namespace

template <class T>
std::vector<SmoResult> solve_machines(const kernel::Source<T>& source, const SvmMachines& machines,
                                      const SmoOptions& options, const Context& ctx) {
  const std::int64_t count = std::ssize(machines.starts) - 1;
  std::vector<SmoResult> results(static_cast<std::size_t>(count));
  SmoOptions each = options;
  each.cache_bytes /= static_cast<double>(std::clamp<std::int64_t>(ctx.n_threads, 1, count));
  const double n = static_cast<double>(machines.rows.size()) / static_cast<double>(count);
  const double cost = static_cast<double>(count) * n * n * source.entry_ns();
  parallel_for(ctx, count, cost, [&](std::int64_t t) {
    const auto begin = static_cast<std::size_t>(machines.starts[static_cast<std::size_t>(t)]);
    const auto end = static_cast<std::size_t>(machines.starts[static_cast<std::size_t>(t) + 1]);
    const auto copies = static_cast<std::size_t>(machines.copies);
    const auto part = [&](auto values) {
      return values.subspan(copies * begin, copies * (end - begin));
    };
    const SmoProblem& all = machines.problem;
    const SmoProblem problem{part(all.sign),  part(all.linear), part(all.upper),  all.by_sign,
                             part(all.alpha), part(all.f),      all.has_intercept};
    const auto rows = machines.rows.subspan(begin, end - begin);
    std::unique_ptr<kernel::Source<T>> own;
    if (!is_whole(rows, source.n_rows())) own = source.subset(rows);
    results[static_cast<std::size_t>(t)] = solve_one(own ? *own : source, problem, each, ctx);
  });
  return results;
}

template std::vector<SmoResult> solve_machines(const kernel::Source<float>&, const SvmMachines&,
                                               const SmoOptions&, const Context&);
template std::vector<SmoResult> solve_machines(const kernel::Source<double>&, const SvmMachines&,
                                               const SmoOptions&, const Context&);

}  // namespace gramian::solve
