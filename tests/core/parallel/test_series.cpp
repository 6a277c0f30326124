#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "parallel/parallel_for.hpp"

#if !defined(__SANITIZE_THREAD__)  // which cannot follow threads started in a forked child
#include <sys/wait.h>
#include <unistd.h>
#endif

using gramian::Context;
using gramian::parallel_for;
using gramian::Pool;
using gramian::Series;
using gramian::useful_threads;
using test::context_with;

namespace {

constexpr double kPass = 1e6;      // nanoseconds, worth a series
constexpr double kShortJob = 5e4;  // worth the help of workers that are awake, and of no others
constexpr int kThreads = 3;

// Whether the condition holds within ten seconds: other processes may have the cores for a while.
template <class Condition>
bool comes_true(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

bool workers_are_awake() {
  return comes_true([] { return Pool::n_awake() >= kThreads - 1; });
}

bool workers_are_asleep() {
  return comes_true([] { return Pool::n_awake() == 0; });
}

// Two tasks that end only when both have begun: one thread alone would wait for ever.
bool is_helped(const Context& ctx, double cost_ns) {
  std::atomic<int> n_begun{0};
  std::atomic<bool> have_met{true};
  parallel_for(ctx, 2, cost_ns, [&](std::int64_t) {
    ++n_begun;
    if (!comes_true([&] { return n_begun == 2; })) have_met = false;
  });
  return have_met;
}

}  // namespace

TEST(a_series_brings_help_to_short_jobs) {
  const Context ctx = context_with(kThreads);
  CHECK(workers_are_asleep());
  CHECK(useful_threads(ctx, 100, kShortJob) == 1);
  const Series series(ctx, kPass);
  for (int round = 0; round < 3; ++round) {
    CHECK(workers_are_awake());
    CHECK(useful_threads(ctx, 100, kShortJob) == kThreads);
    CHECK(useful_threads(ctx, 100, 1000.0) == 1);  // not with next to nothing
    CHECK(is_helped(ctx, kShortJob));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // they stay awake between jobs
  }
}

TEST(workers_who_come_too_late_for_a_job_stay_awake) {
  const Series series(context_with(kThreads), kPass);
  const Context ctx = context_with(2);  // one seat for two workers
  for (int round = 0; round < 300; ++round) {
    parallel_for(ctx, 2, 1e12, [](std::int64_t) {
      std::this_thread::sleep_for(std::chrono::microseconds(10));  // the others have time to look
    });
    if (!workers_are_awake()) return CHECK(false);
  }
}

TEST(nobody_stays_awake_after_a_series) {
  const Context ctx = context_with(kThreads);
  {
    const Series series(ctx, kPass);
    CHECK(workers_are_awake());
  }
  CHECK(workers_are_asleep());
  CHECK(useful_threads(ctx, 100, kShortJob) == 1);
  const std::clock_t before = std::clock();  // the time of all threads
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  CHECK(std::clock() - before < CLOCKS_PER_SEC / 20);
}

TEST(a_series_that_needs_no_workers_wakes_none) {
  CHECK(workers_are_asleep());
  const Series alone(context_with(1), kPass);
  const Series small(context_with(kThreads), 1000.0);
  const int size = Pool::instance().size();
  parallel_for(context_with(2), 4, 1e12, [&](std::int64_t) {
    const Series nested(context_with(size + 5), kPass);  // inside a job all are busy already
    CHECK(Pool::instance().size() <= std::max(size, 1));
  });
  CHECK(workers_are_asleep());
}

TEST(an_inner_series_leaves_the_outer_one_awake) {
  const Context ctx = context_with(kThreads);
  const Series outer(ctx, kPass);
  {
    const Series inner(ctx, kPass);
    CHECK(workers_are_awake());
    CHECK(is_helped(ctx, kShortJob));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(2));  // longer than workers linger
  CHECK(workers_are_awake());
  CHECK(is_helped(ctx, kShortJob));
}

TEST(exceptions_leave_a_series_and_end_it) {
  const Context ctx = context_with(kThreads);
  const auto fails = [&] {
    const Series series(ctx, kPass);
    CHECK(workers_are_awake());
    parallel_for(ctx, 100, kShortJob, [](std::int64_t i) {
      if (i == 7) throw std::runtime_error("seven");
    });
  };
  CHECK_THROWS(std::runtime_error, fails());
  CHECK(workers_are_asleep());
  const Series series(ctx, kPass);  // the next one works as the first did
  CHECK(workers_are_awake());
  CHECK(is_helped(ctx, kShortJob));
}

TEST(series_of_two_threads_share_the_workers) {
  const auto sums = [](int n_rounds) {
    const Context ctx = context_with(kThreads);
    const Series series(ctx, kPass);
    for (int round = 0; round < n_rounds; ++round) {
      std::atomic<std::int64_t> sum{0};
      parallel_for(ctx, 50, kShortJob, [&](std::int64_t i) { sum += i; });
      CHECK(sum == 1225);
    }
  };
  std::vector<std::thread> callers;
  for (const int n_rounds : {300, 600}) callers.emplace_back(sums, n_rounds);
  for (auto& caller : callers) caller.join();
  CHECK(workers_are_asleep());

  std::optional<Series> first, second;  // that of another thread ends before this one's
  const Context ctx = context_with(kThreads);
  std::thread([&] { first.emplace(ctx, kPass); }).join();
  second.emplace(ctx, kPass);
  first.reset();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  CHECK(workers_are_awake());
  second.reset();
  CHECK(workers_are_asleep());
}

#if !defined(__SANITIZE_THREAD__)
FORK_TEST(a_fork_within_a_series_starts_anew) {
  const Context ctx = context_with(kThreads);
  std::optional<Series> series(std::in_place, ctx, kPass);
  CHECK(workers_are_awake());
  const pid_t child = fork();
  if (child == 0) {
    const bool is_alone = Pool::n_awake() == 0 && Pool::instance().size() == 0;
    series.emplace(ctx, kPass);  // ends the parent's, which the child holds a copy of
    const bool is_right = is_alone && workers_are_awake() && is_helped(ctx, kShortJob);
    series.reset();
    _exit(is_right && workers_are_asleep() ? 0 : 1);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK(workers_are_awake());
  CHECK(is_helped(ctx, kShortJob));
}
#endif
