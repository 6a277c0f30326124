#include "parallel/detached.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#include <unistd.h>
#endif

#include "base/error.hpp"
#include "parallel/worker_thread.hpp"

namespace gramian {

namespace {

constexpr std::chrono::milliseconds kPollInterval{10};
// Nanoseconds. An interrupt must be seen within 0.2 s: shorter calls need no thread, and a thread
// (about 30 microseconds) does not show in longer ones. Leaves room for an estimate off by 4.
constexpr double kMinDetachedCost = 5e7;

std::atomic<int> n_alive{0};

#if defined(__unix__) || defined(__APPLE__)
[[maybe_unused]] const int fork_handler =
    pthread_atfork(nullptr, nullptr, [] { n_alive.store(0); });  // the threads stay with the parent
#endif

#if defined(__GLIBC__)
// Libraries release their memory at exit. A thread still inside one of them must not see that: the
// process ends here instead, before their turn.
[[maybe_unused]] const int exit_handler = on_exit(
    [](int status, void*) {
      if (n_alive.load() == 0) return;
      std::fflush(nullptr);
      _exit(status);
    },
    nullptr);
#endif

struct Outcome {
  std::mutex mutex;
  std::condition_variable ended;
  bool has_ended = false;
  std::exception_ptr failure;
};

void run_and_report(std::function<void()>& fn, Outcome& outcome) {
  std::exception_ptr failure;
  try {
    fn();
  } catch (...) {
    failure = std::current_exception();
  }
  fn = nullptr;  // the buffers go back to the caller, or are freed if it has left
  const std::lock_guard lock(outcome.mutex);
  outcome.failure = std::move(failure);
  outcome.has_ended = true;
  outcome.ended.notify_one();
}

}  // namespace

void run_detached(const Context& ctx, double cost_ns, std::function<void()> fn) {
  ctx.check();
  if (cost_ns < kMinDetachedCost) return fn();

  const auto outcome = std::make_shared<Outcome>();
  const auto owned = std::make_shared<std::function<void()>>(std::move(fn));
  n_alive.fetch_add(1);
  const bool has_started = start_worker_thread([outcome, owned] {
    run_and_report(*owned, *outcome);
    n_alive.fetch_sub(1);
  });
  if (!has_started) {
    n_alive.fetch_sub(1);
    return (*owned)();
  }
  std::unique_lock lock(outcome->mutex);
  while (!outcome->ended.wait_for(lock, kPollInterval, [&] { return outcome->has_ended; })) {
    lock.unlock();
    if (ctx.poll_stop()) throw Interrupted();
    lock.lock();
  }
  if (outcome->failure) std::rethrow_exception(outcome->failure);
}

}  // namespace gramian
