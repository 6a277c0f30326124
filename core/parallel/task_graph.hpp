// A task graph that grows while it runs: tasks that add further tasks, such as the nodes of a tree.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/spin.hpp"

namespace gramian {

// Calls run(task) for each task that take(worker) gives, on several threads at once where
// `cost_ns`, the estimated cost of what is known so far, is worth it, and put(task) when it has
// been run. take and put run one at a time; take returns a pointer, null if there is nothing to do
// for now, and worker is the thread's number, 0 for the caller. Returns when nothing is left and
// nobody is at work who might bring more. The order of the tasks is up to chance: the outcome must
// not depend on it.
template <class Take, class Run, class Put>
void run_task_graph(const Context& ctx, double cost_ns, Take&& take, Run&& run, Put&& put) {
  alignas(kCacheLine) SpinLock lock;
  std::int64_t n_running = 0;
  std::atomic<bool> has_failed{false};
  // Since its last change there may be something new to take.
  struct alignas(kCacheLine) {
    std::atomic<std::int64_t> value{0};
  } n_changes;
  const auto work = [&](std::int64_t worker) {
    for (;;) {
      std::unique_lock held(lock);
      const std::int64_t n_seen = n_changes.value.load(std::memory_order_relaxed);
      auto* task =
          has_failed.load(std::memory_order_relaxed) ? nullptr : take(static_cast<int>(worker));
      if (task == nullptr) {
        if (n_running == 0 || has_failed.load(std::memory_order_relaxed)) return;
        held.unlock();
        spin_while([&] { return n_changes.value.load(std::memory_order_acquire) == n_seen; });
        continue;
      }
      ++n_running;
      held.unlock();
      try {
        ctx.check();
        run(*task);
      } catch (...) {
        has_failed.store(true, std::memory_order_relaxed);
        n_changes.value.fetch_add(1, std::memory_order_release);
        throw;
      }
      held.lock();
      put(*task);
      --n_running;
      n_changes.value.fetch_add(1, std::memory_order_release);
    }
  };
  const int n_threads = useful_threads(ctx, ctx.n_threads, cost_ns);
  if (n_threads <= 1) return work(0);
  parallel_for(ctx, n_threads, cost_ns, work, Claims::by_place);
}

}  // namespace gramian
