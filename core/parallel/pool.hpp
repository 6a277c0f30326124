// The threads of the core: a pool of our own on std::thread.
//
// - The calling thread always works on its own job and withdraws the seats that no worker has
//   taken, so progress never depends on workers: any number of threads may call at once.
// - Workers are started when first asked for, and sleep on a condition variable when idle.
// - A forked child starts with an empty pool of its own.
// - Workers are never joined: at exit they are asleep and end with the process.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <limits>
#include <mutex>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "parallel/spin.hpp"

namespace gramian {

// A callable fn(task) owned by somebody who outlives the job.
struct TaskFunction {
  void (*call)(void* fn, std::int64_t task);
  void* fn;
};

// Who claims which tasks. Either way each is claimed by one thread, and one that has none left of
// its own goes on with the others'.
enum class Claims {
  in_order,  // ascending, by all threads
  by_place,  // each thread begins with its own part of the tasks, the same one in every job: what a
             // pass over the rows has left in its cache the next one finds there
};

// One parallel_for in flight.
class Job {
 public:
  Job(const Context& ctx, std::int64_t n_tasks, int n_threads, Claims claims,
      TaskFunction function);

  // Runs tasks until none is left or one has failed. `place`: 0 for the caller, else the worker's
  // number.
  void work(int place) noexcept;

  // Throws Interrupted after a stop, else the exception of the lowest-numbered task that failed.
  // All tasks below that one have run.
  void rethrow() const;

 private:
  friend class Pool;

  // Consecutive tasks, claimed in ascending order.
  struct alignas(kCacheLine) Part {
    std::atomic<std::int64_t> next{0};
    std::int64_t end = 0;
  };
  static constexpr int kMostParts = 8;  // further threads share them

  void work_on(Part& part) noexcept;
  void record_failure(std::int64_t task) noexcept;

  const Context& ctx_;
  const TaskFunction function_;
  int n_parts_;
  std::array<Part, kMostParts> parts_;
  std::atomic<std::int64_t> first_failed_{std::numeric_limits<std::int64_t>::max()};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;

  // Owned by Pool, written under its mutex.
  int n_seats_ = 0;                                    // workers that may still join
  alignas(kCacheLine) std::atomic<int> n_running_{0};  // workers inside work()
  std::condition_variable finished_;
};

class Pool {
 public:
  static Pool& instance();

  // Works on `job` with the calling thread and up to n_helpers workers; returns when nobody works
  // on it any more.
  void run(Job& job, int n_helpers);

  int size() const;

  // Workers that look for a job at this moment and would take one without being woken up.
  static int n_awake();

 private:
  friend class Series;

  Pool() = default;

  void begin_series(int n_workers);
  void end_series();
  bool may_spin(int n_spins) const;

  void open(Job& job, int n_helpers);
  void withdraw(Job& job);
  void wait_for_workers(Job& job);
  void grow(int n_workers);
  void serve(int number);
  void wait_for_seat(std::unique_lock<std::mutex>& lock);
  bool spin_for_job() const;

  mutable std::mutex mutex_;
  std::condition_variable seat_offered_;
  std::deque<Job*> open_jobs_;  // those with a free seat, oldest first
  // What a spinning worker looks at.
  alignas(kCacheLine) std::atomic<int> n_open_jobs_{0};
  std::atomic<int> n_series_{0};
  std::atomic<Context::Clock::rep> awake_until_{0};  // after the last series
  alignas(kCacheLine) std::atomic<int> n_spinning_{0};
  int n_workers_ = 0;
  int n_asleep_ = 0;
  std::int64_t n_calls_ = 0;  // of workers to stay awake
};

// A series of short jobs that follow each other closely: while one lives, and shortly after,
// workers wait for the next job awake instead of asleep, and much smaller jobs are worth their
// help.
class Series {
 public:
  // `cost_ns`: of one pass over all data on one thread; what is small needs no workers.
  Series(const Context& ctx, double cost_ns);
  ~Series();

  Series(const Series&) = delete;
  Series& operator=(const Series&) = delete;

 private:
  Pool* pool_ = nullptr;
};

}  // namespace gramian
