#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "parallel/detached.hpp"
#include "parallel/parallel_for.hpp"

using gramian::Context;
using gramian::run_detached;
using std::chrono::milliseconds;

namespace {

constexpr double kLong = 1e12;

}  // namespace

TEST(short_calls_run_on_the_calling_thread) {
  const auto caller = std::this_thread::get_id();
  bool has_run = false;
  run_detached(Context(), 1000.0, [&] {
    has_run = true;
    CHECK(std::this_thread::get_id() == caller);
  });
  CHECK(has_run);
}

TEST(long_calls_run_on_a_thread_of_their_own) {
  const auto caller = std::this_thread::get_id();
  const auto result = std::make_shared<std::vector<int>>(3);
  run_detached(Context(), kLong, [caller, result] {
    CHECK(std::this_thread::get_id() != caller);
    (*result)[1] = 42;
  });
  CHECK((*result)[1] == 42);
  CHECK(result.use_count() == 1);
}

TEST(what_a_detached_call_throws_arrives) {
  CHECK_THROWS(std::domain_error,
               run_detached(Context(), kLong, [] { throw std::domain_error("x"); }));
  CHECK_THROWS(std::domain_error,
               run_detached(Context(), 1.0, [] { throw std::domain_error("x"); }));
}

TEST(a_stop_leaves_the_detached_call_behind) {
  struct Shared {
    std::atomic<bool> may_end{false};
    std::atomic<bool> has_ended{false};
  };
  const auto shared = std::make_shared<Shared>();
  const Context ctx;
  std::thread stopper([&] {
    std::this_thread::sleep_for(milliseconds(30));
    ctx.request_stop();
  });
  CHECK_THROWS(gramian::Interrupted, run_detached(ctx, kLong, [shared] {
                 while (!shared->may_end) std::this_thread::sleep_for(milliseconds(1));
                 shared->has_ended = true;
               }));
  stopper.join();
  CHECK(!shared->has_ended);
  shared->may_end = true;
  for (int i = 0; i < 5000 && shared.use_count() > 1; ++i)
    std::this_thread::sleep_for(milliseconds(1));
  CHECK(shared->has_ended && shared.use_count() == 1);
}

TEST(a_stopped_context_starts_nothing) {
  const Context ctx;
  ctx.request_stop();
  CHECK_THROWS(gramian::Interrupted, run_detached(ctx, 1.0, [] { CHECK(false); }));
}
