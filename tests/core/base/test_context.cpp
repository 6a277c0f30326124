#include <chrono>
#include <thread>

#include "base/context.hpp"
#include "base/error.hpp"
#include "check.hpp"
#include "parallel/parallel_for.hpp"

using gramian::Context;
using gramian::Interrupted;
using std::chrono::milliseconds;

namespace {

struct Signal {
  std::atomic<int> n_polls{0};
  std::atomic<bool> is_raised{false};
};

bool poll_signal(void* state) noexcept {
  auto& signal = *static_cast<Signal*>(state);
  ++signal.n_polls;
  return signal.is_raised;
}

Context context_of(Signal& signal, int n_threads) {
  Context ctx;
  ctx.n_threads = n_threads;
  ctx.poll = poll_signal;
  ctx.poll_state = &signal;
  return ctx;
}

double seconds_since(Context::Clock::time_point start) {
  return std::chrono::duration<double>(Context::Clock::now() - start).count();
}

}  // namespace

TEST(check_polls_about_every_ten_milliseconds) {
  Signal signal;
  const Context ctx = context_of(signal, 1);
  const auto start = Context::Clock::now();
  while (seconds_since(start) < 0.1) ctx.check();
  CHECK(signal.n_polls >= 2 && signal.n_polls <= 11);
}

TEST(check_polls_soon_when_checks_are_rare) {
  Signal signal;
  const Context ctx = context_of(signal, 1);
  for (int i = 0; i < 100; ++i) ctx.check();  // many fast ones first
  for (int i = 0; i < 10; ++i) {
    std::this_thread::sleep_for(milliseconds(11));
    ctx.check();
  }
  CHECK(signal.n_polls >= 2);
}

TEST(check_throws_after_a_signal_and_stays_stopped) {
  Signal signal;
  signal.is_raised = true;
  const Context ctx = context_of(signal, 1);
  std::this_thread::sleep_for(milliseconds(11));
  CHECK_THROWS(Interrupted, for (int i = 0; i < 100; ++i) ctx.check());
  CHECK(ctx.stop_requested());
  CHECK_THROWS(Interrupted, ctx.check());
}

TEST(with_threads_shares_the_stop_flag_and_the_deadline) {
  Context ctx;
  ctx.n_threads = 8;
  ctx.deadline = Context::Clock::now();
  const Context serial = ctx.with_threads(1);
  CHECK(serial.n_threads == 1 && ctx.n_threads == 8 && serial.expired());
  serial.request_stop();
  CHECK(ctx.stop_requested());
}

TEST(deadline_expires) {
  Context ctx;
  CHECK(!ctx.expired());
  ctx.deadline = Context::Clock::now() + std::chrono::hours(1);
  CHECK(!ctx.expired());
  ctx.deadline = Context::Clock::now() - milliseconds(1);
  CHECK(ctx.expired());
}

TEST(a_signal_stops_all_workers) {
  Signal signal;
  const Context ctx = context_of(signal, 4);
  std::thread sender([&] {
    std::this_thread::sleep_for(milliseconds(50));
    signal.is_raised = true;
  });
  const auto start = Context::Clock::now();
  CHECK_THROWS(Interrupted, gramian::parallel_for(ctx, 4, 1e12, [&](std::int64_t) {
                 while (seconds_since(start) < 10.0) ctx.check();
               }));
  CHECK(seconds_since(start) < 5.0);
  sender.join();
}

TEST(a_caller_that_only_waits_still_polls) {
  Signal signal;
  const Context ctx = context_of(signal, 2);
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> has_worker{false};
  const auto start = Context::Clock::now();
  // The caller's task ends once a worker has taken the other; only the wait is left to poll in.
  CHECK_THROWS(Interrupted, gramian::parallel_for(ctx, 2, 1e12, [&](std::int64_t) {
                 if (std::this_thread::get_id() == caller) {
                   while (!has_worker && seconds_since(start) < 5.0) std::this_thread::yield();
                   signal.is_raised = true;
                 } else {
                   has_worker = true;
                   while (seconds_since(start) < 10.0) ctx.check();
                 }
               }));
  CHECK(seconds_since(start) < 5.0);
}

// The last poll of a call may come when there is no check left that could throw.
TEST(a_signal_seen_while_the_last_task_ends_still_throws) {
  Signal signal;
  const Context ctx = context_of(signal, 2);
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> has_worker{false};
  const auto start = Context::Clock::now();
  CHECK_THROWS(Interrupted, gramian::parallel_for(ctx, 2, 1e12, [&](std::int64_t) {
                 if (std::this_thread::get_id() == caller) {
                   while (!has_worker && seconds_since(start) < 5.0) std::this_thread::yield();
                   signal.is_raised = true;
                 } else {
                   has_worker = true;
                   while (!ctx.stop_requested() && seconds_since(start) < 10.0)
                     std::this_thread::yield();
                 }
               }));
  CHECK(ctx.stop_requested());
}
