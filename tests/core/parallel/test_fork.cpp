// Not under ThreadSanitizer, which cannot follow threads started in a forked child.
#if !defined(__SANITIZE_THREAD__)

#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "base/error.hpp"
#include "check.hpp"
#include "parallel/detached.hpp"
#include "parallel/parallel_for.hpp"

using gramian::Context;
using gramian::parallel_for;

namespace {

bool sums_right(int n_threads) {
  Context ctx;
  ctx.n_threads = n_threads;
  std::atomic<std::int64_t> sum{0};
  parallel_for(ctx, 100, 1e12, [&](std::int64_t i) { sum += i; });
  return sum == 4950;
}

// The exit status of a forked child that runs `body`; -1 if it crashes or takes twenty seconds.
template <class Body>
int child_status(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  for (int i = 0; i < 2000; ++i) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child)
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return -1;
}

template <class Body>
bool child_succeeds(Body body) {
  return child_status([&] { return body() ? 0 : 1; }) == 0;
}

}  // namespace

FORK_TEST(a_forked_child_gets_a_pool_of_its_own) {
  CHECK(sums_right(4));
  CHECK(gramian::Pool::instance().size() >= 3);
  CHECK(child_succeeds([] {
    const bool is_empty = gramian::Pool::instance().size() == 0;
    return is_empty && sums_right(4) && gramian::Pool::instance().size() == 3;
  }));
  CHECK(sums_right(4));
}

FORK_TEST(a_fork_while_another_thread_works_in_the_pool) {
  std::atomic<bool> is_done{false};
  std::thread busy([&] {
    while (!is_done) CHECK(sums_right(3));
  });
  for (int i = 0; i < 5; ++i) CHECK(child_succeeds([] { return sums_right(3); }));
  is_done = true;
  busy.join();
}

FORK_TEST(a_grandchild_works_too) {
  CHECK(
      child_succeeds([] { return sums_right(2) && child_succeeds([] { return sums_right(2); }); }));
}

FORK_TEST(exit_does_not_wait_for_a_call_left_behind) {
  const int status = child_status([]() -> int {
    const Context ctx;
    std::thread([&] { ctx.request_stop(); }).detach();
    try {
      gramian::run_detached(ctx, 1e12, [] { std::this_thread::sleep_for(std::chrono::hours(1)); });
    } catch (const gramian::Interrupted&) {
      std::exit(7);
    }
    return 1;
  });
  CHECK(status == 7);
}

#endif
