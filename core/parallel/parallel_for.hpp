// The one place where the core goes parallel.
//
// Tasks are claimed dynamically, so what a task computes may depend on its number and on nothing
// else. Cut with Chunks work whose results stand apart (outputs per row, whole numbers, minima),
// and with Tiles (parallel/tiles.hpp) rows whose sums reach a model.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "base/context.hpp"
#include "parallel/pool.hpp"

namespace gramian {

// How many threads a parallel_for of this estimated serial cost (nanoseconds, all tasks together)
// would use now: 1 inside another one and for small work, where less is small to awake workers.
int useful_threads(const Context& ctx, std::int64_t n_tasks, double cost_ns);

// Calls fn(task) once for every task in [0, n_tasks), ctx.check() before each. If tasks throw, the
// exception of the lowest-numbered one is rethrown here and tasks not yet begun are dropped.
template <std::invocable<std::int64_t> Function>
void parallel_for(const Context& ctx, std::int64_t n_tasks, double cost_ns, Function&& fn,
                  Claims claims = Claims::in_order) {
  const int n_threads = useful_threads(ctx, n_tasks, cost_ns);
  if (n_threads <= 1) {
    for (std::int64_t task = 0; task < n_tasks; ++task) {
      ctx.check();
      fn(task);
    }
    return;
  }
  using Erased = std::remove_reference_t<Function>;
  const auto call = [](void* erased, std::int64_t task) { (*static_cast<Erased*>(erased))(task); };
  auto* address = const_cast<void*>(static_cast<const void*>(std::addressof(fn)));
  Job job(ctx, n_tasks, n_threads, claims, {call, address});
  Pool::instance().run(job, n_threads - 1);
  job.rethrow();
}

// n items cut into pieces of nearly equal size, about target_size each. The bounds depend on n:
// not for sums of floating-point numbers.
class Chunks {
 public:
  static Chunks of_rows(std::int64_t n_rows, std::int64_t target_rows) {
    const std::int64_t target = std::max<std::int64_t>(target_rows, 1);
    return {n_rows, (n_rows + target - 1) / target};
  }

  std::int64_t count() const { return count_; }
  std::int64_t begin(std::int64_t i) const { return i * base_ + std::min(i, n_longer_); }
  std::int64_t end(std::int64_t i) const { return begin(i + 1); }

 private:
  // The first n_items % count chunks have one item more than the others.
  Chunks(std::int64_t n_items, std::int64_t count)
      : count_(count),
        base_(count > 0 ? n_items / count : 0),
        n_longer_(count > 0 ? n_items % count : 0) {}

  std::int64_t count_;
  std::int64_t base_;
  std::int64_t n_longer_;
};

}  // namespace gramian
