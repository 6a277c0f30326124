#include "parallel/parallel_for.hpp"

#include "base/thread_role.hpp"

namespace gramian {

namespace {

// Nanoseconds. Measured with two threads on two cores: with a worker just asleep, 80 microseconds
// of work are 1.4 times and 400 are 1.8 times faster than on one thread. But where the machine has
// put its second core to rest, which some do within 20 milliseconds, waking it up costs 10 to 40
// microseconds and gains nothing at first. From 800 microseconds of work that is below 5 %, so that
// more threads are never slower.
constexpr double kMinCostPerThread = 400'000.0;
// A worker that has just finished a job still looks for the next one and takes it within a
// microsecond or two: the passes of an iterative solver pay much earlier.
constexpr double kMinCostPerAwakeThread = 10'000.0;

}  // namespace

int useful_threads(const Context& ctx, std::int64_t n_tasks, double cost_ns) {
  if (thread_role.in_parallel) return 1;
  const auto paid_at = [&](double least_ns) {
    return static_cast<int>(std::clamp(cost_ns / least_ns, 1.0, 1e6));
  };
  const int with_awake = std::min(paid_at(kMinCostPerAwakeThread), 1 + Pool::n_awake());
  const int by_cost = std::max(paid_at(kMinCostPerThread), with_awake);
  const auto by_tasks = static_cast<int>(std::clamp<std::int64_t>(n_tasks, 1, 1'000'000));
  return std::min({ctx.n_threads, by_tasks, by_cost});
}

}  // namespace gramian
