#include <atomic>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "parallel/parallel_for.hpp"

using gramian::Chunks;
using gramian::Context;
using gramian::parallel_for;

namespace {

constexpr double kLarge = 1e12;  // a cost that always goes parallel

Context context_with(int n_threads) {
  Context ctx;
  ctx.n_threads = n_threads;
  return ctx;
}

}  // namespace

TEST(every_task_runs_once) {
  for (int n_threads = 1; n_threads <= 8; ++n_threads) {
    const Context ctx = context_with(n_threads);
    std::vector<std::atomic<int>> n_runs(1000);
    parallel_for(ctx, 1000, kLarge, [&](std::int64_t i) { ++n_runs[static_cast<std::size_t>(i)]; });
    for (const auto& n : n_runs) CHECK(n == 1);
  }
  parallel_for(context_with(4), 0, kLarge, [](std::int64_t) { CHECK(false); });
}

TEST(threads_begin_with_their_own_part) {
  for (int n_threads = 1; n_threads <= 11; ++n_threads) {
    const Context ctx = context_with(n_threads);
    for (const std::int64_t n_tasks : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> n_runs(static_cast<std::size_t>(n_tasks));
      parallel_for(
          ctx, n_tasks, kLarge, [&](std::int64_t i) { ++n_runs[static_cast<std::size_t>(i)]; },
          gramian::Claims::by_place);
      for (const auto& n : n_runs) CHECK(n == 1);
    }
  }
}

TEST(writes_of_tasks_are_visible_to_the_caller) {
  const Context ctx = context_with(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::int64_t> squares(37);
    parallel_for(ctx, 37, kLarge,
                 [&](std::int64_t i) { squares[static_cast<std::size_t>(i)] = i * i; });
    for (std::size_t i = 0; i < squares.size(); ++i)
      CHECK(squares[i] == static_cast<std::int64_t>(i * i));
  }
}

TEST(small_work_stays_on_the_calling_thread) {
  const Context ctx = context_with(8);
  CHECK(gramian::useful_threads(ctx, 1000, 1000.0) == 1);
  CHECK(gramian::useful_threads(ctx, 1000, kLarge) == 8);
  CHECK(gramian::useful_threads(ctx, 3, kLarge) == 3);
  CHECK(gramian::useful_threads(ctx, 0, kLarge) == 1);
  CHECK(gramian::useful_threads(ctx, 1000, -1.0) == 1);
  const auto caller = std::this_thread::get_id();
  parallel_for(ctx, 1000, 1000.0,
               [&](std::int64_t) { CHECK(std::this_thread::get_id() == caller); });
}

TEST(awake_workers_help_with_less) {
  const Context ctx = context_with(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<int> calls(37, 0);
    const auto count = [&](std::int64_t i) { ++calls[static_cast<std::size_t>(i)]; };
    parallel_for(ctx, 37, round % 4 == 0 ? kLarge : 200'000.0, count);
    for (const int n : calls) CHECK(n == 1);
    CHECK(gramian::useful_threads(ctx, 37, 1000.0) == 1);  // not with next to nothing
    CHECK(gramian::useful_threads(ctx, 37, kLarge) == 4);
  }
}

TEST(several_callers_at_once) {
  std::vector<std::thread> callers;
  std::atomic<std::int64_t> total{0};
  for (int c = 0; c < 6; ++c)
    callers.emplace_back([&] {
      const Context ctx = context_with(3);
      for (int round = 0; round < 50; ++round)
        parallel_for(ctx, 20, kLarge, [&](std::int64_t i) { total += i; });
    });
  for (auto& caller : callers) caller.join();
  CHECK(total == 6 * 50 * 190);
}

TEST(nested_calls_run_serially_on_the_same_thread) {
  const Context ctx = context_with(4);
  std::atomic<int> n_inner{0};
  parallel_for(ctx, 8, kLarge, [&](std::int64_t) {
    const auto outer = std::this_thread::get_id();
    parallel_for(ctx, 10, kLarge, [&](std::int64_t) {
      ++n_inner;
      CHECK(std::this_thread::get_id() == outer);
    });
  });
  CHECK(n_inner == 80);
  CHECK(gramian::useful_threads(ctx, 10, kLarge) == 4);  // outside again
}

TEST(the_lowest_failing_task_is_rethrown) {
  for (int n_threads = 1; n_threads <= 8; ++n_threads) {
    const Context ctx = context_with(n_threads);
    for (int round = 0; round < 20; ++round) {
      std::string message;
      const auto fail_from_40 = [](std::int64_t i) {
        if (i == 40) std::this_thread::sleep_for(std::chrono::microseconds(200));
        if (i >= 40 && i % 3 != 2) throw std::runtime_error(std::to_string(i));
      };
      try {
        parallel_for(ctx, 500, kLarge, fail_from_40,
                     round % 2 == 0 ? gramian::Claims::in_order : gramian::Claims::by_place);
      } catch (const std::runtime_error& error) {
        message = error.what();
      }
      CHECK(message == "40");
    }
  }
}

TEST(a_failure_drops_the_tasks_not_yet_begun) {
  std::atomic<int> n_runs{0};
  CHECK_THROWS(std::bad_alloc, parallel_for(context_with(4), 1'000'000, kLarge, [&](std::int64_t) {
                 ++n_runs;
                 throw std::bad_alloc();
               }));
  CHECK(n_runs <= 4);
}

TEST(chunks_cover_the_rows_in_nearly_equal_pieces) {
  for (const std::int64_t n : {0, 1, 5, 99, 100, 101, 1000})
    for (const std::int64_t target : {1, 7, 100, 5000}) {
      const Chunks chunks = Chunks::of_rows(n, target);
      std::int64_t next = 0;
      for (std::int64_t i = 0; i < chunks.count(); ++i) {
        CHECK(chunks.begin(i) == next);
        const std::int64_t size = chunks.end(i) - chunks.begin(i);
        CHECK(size >= 1 && size <= target && size >= n / chunks.count());
        next = chunks.end(i);
      }
      CHECK(next == n);
    }
}
