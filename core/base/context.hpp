// What a native call may use and when it has to end. Travels as the last argument of every
// algorithm; nothing of it is global.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

namespace gramian {

struct Context {
  using Clock = std::chrono::steady_clock;
  using Poll = bool (*)(void* state) noexcept;  // true: the user wants to stop

  int n_threads = 1;
  std::uint64_t seed = 0;
  std::optional<Clock::time_point> deadline;
  Poll poll = nullptr;
  void* poll_state = nullptr;

  // Throws Interrupted once a stop was asked for. On a calling thread it runs the poll callback
  // about every 10 ms; on the core's own threads it reads a flag. A few nanoseconds per call.
  void check() const;

  // Runs the poll callback now (calling threads only); whether to stop. Never throws.
  bool poll_stop() const noexcept;

  bool stop_requested() const noexcept { return stop_->load(std::memory_order_relaxed); }
  void request_stop() const noexcept { stop_->store(true, std::memory_order_relaxed); }

  // Whether the time limit has passed: an iterative algorithm then returns the best it has.
  bool expired() const noexcept { return deadline && Clock::now() >= *deadline; }

  // The same call, its stop flag and deadline shared, limited to `limit` threads.
  Context with_threads(int limit) const;

 private:
  std::shared_ptr<std::atomic<bool>> stop_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace gramian
