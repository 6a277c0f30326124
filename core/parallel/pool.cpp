#include "parallel/pool.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif
#include "base/error.hpp"
#include "base/thread_role.hpp"
#include "parallel/spin.hpp"
#include "parallel/worker_thread.hpp"

namespace gramian {

namespace {

constexpr std::chrono::milliseconds kPollInterval{10};
// About 25 microseconds of pauses, a little more than it takes to wake a sleeping thread (15 to 20
// measured): waiting for the next job costs at most twice what the best choice would have.
constexpr int kSpins = 1000;

// The time between two trees of a boosted model, where Python has its turn, is shorter than this.
constexpr std::chrono::microseconds kLinger{300};
// A series of smaller passes is over before workers are awake.
constexpr double kMinSeriesPass = 40'000.0;

// Leaked on purpose: a worker may still be waking up when static objects are destroyed.
std::atomic<Pool*> current_pool{nullptr};

#if defined(__unix__) || defined(__APPLE__)

// The child has none of the parent's workers, and maybe a mutex that one of them held: it forgets
// the pool. Registered when the library is loaded, before any second thread can be forking.
[[maybe_unused]] const int fork_handler =
    pthread_atfork(nullptr, nullptr, [] { current_pool.store(nullptr); });
#endif

}  // namespace

Job::Job(const Context& ctx, std::int64_t n_tasks, int n_threads, Claims claims,
         TaskFunction function)
    : ctx_(ctx), function_(function) {
  n_parts_ = claims == Claims::in_order ? 1 : std::clamp(n_threads, 1, kMostParts);
  for (std::int64_t i = 0; i < n_parts_; ++i) {
    Part& part = parts_[static_cast<std::size_t>(i)];
    part.next.store(n_tasks * i / n_parts_, std::memory_order_relaxed);
    part.end = n_tasks * (i + 1) / n_parts_;
  }
}

void Job::work(int place) noexcept {
  const ThreadRole former = thread_role;
  thread_role.in_parallel = true;
  for (int i = 0; i < n_parts_; ++i)
    work_on(parts_[static_cast<std::size_t>((place + i) % n_parts_)]);
  thread_role = former;
}

void Job::work_on(Part& part) noexcept {
  for (;;) {
    const std::int64_t task = part.next.fetch_add(1, std::memory_order_relaxed);
    if (task >= part.end || task > first_failed_.load(std::memory_order_relaxed)) return;
    try {
      ctx_.check();
      function_.call(function_.fn, task);
    } catch (...) {
      record_failure(task);
    }
  }
}

void Job::record_failure(std::int64_t task) noexcept {
  const std::lock_guard lock(failure_mutex_);
  if (task > first_failed_.load(std::memory_order_relaxed)) return;
  first_failed_.store(task, std::memory_order_relaxed);
  failure_ = std::current_exception();
}

void Job::rethrow() const {
  // Also if all tasks have ended well: whoever polled for the stop relies on its being heard.
  if (ctx_.stop_requested()) throw Interrupted();
  if (failure_) std::rethrow_exception(failure_);
}

Pool& Pool::instance() {
  Pool* pool = current_pool.load(std::memory_order_acquire);
  if (pool != nullptr) return *pool;
  auto* created = new Pool;
  if (current_pool.compare_exchange_strong(pool, created)) return *created;
  delete created;
  return *pool;
}

int Pool::size() const {
  const std::lock_guard lock(mutex_);
  return n_workers_;
}

int Pool::n_awake() {
  const Pool* pool = current_pool.load(std::memory_order_acquire);
  return pool == nullptr ? 0 : pool->n_spinning_.load(std::memory_order_relaxed);
}

void Pool::run(Job& job, int n_helpers) {
  open(job, n_helpers);
  job.work(0);
  withdraw(job);
  wait_for_workers(job);
}

void Pool::open(Job& job, int n_helpers) {
  const std::lock_guard lock(mutex_);
  grow(n_helpers);
  job.n_seats_ = std::min(n_helpers, n_workers_);
  if (job.n_seats_ == 0) return;
  open_jobs_.push_back(&job);
  n_open_jobs_.store(static_cast<int>(open_jobs_.size()), std::memory_order_relaxed);
  for (int i = 0; i < std::min(job.n_seats_, n_asleep_); ++i) seat_offered_.notify_one();
}

void Pool::withdraw(Job& job) {
  const std::lock_guard lock(mutex_);
  std::erase(open_jobs_, &job);
  n_open_jobs_.store(static_cast<int>(open_jobs_.size()), std::memory_order_relaxed);
}

// Polls for a stop meanwhile: the workers see the flag at their next check.
void Pool::wait_for_workers(Job& job) {
  for (int i = 0; i < kSpins && job.n_running_.load(std::memory_order_acquire) > 0; ++i)
    pause_briefly();
  std::unique_lock lock(mutex_);
  const auto nobody_works = [&] { return job.n_running_.load(std::memory_order_relaxed) == 0; };
  while (!job.finished_.wait_for(lock, kPollInterval, nobody_works)) {
    lock.unlock();
    job.ctx_.poll_stop();
    lock.lock();
  }
}

// The pool is as large as the largest request; callers at the same time share it. A system that
// refuses another thread leaves it smaller.
void Pool::grow(int n_workers) {
  while (n_workers_ < n_workers &&
         start_worker_thread([this, number = n_workers_ + 1] { serve(number); }))
    ++n_workers_;
}

void Pool::serve(int number) {
  std::unique_lock lock(mutex_);
  for (;;) {
    wait_for_seat(lock);
    Job& job = *open_jobs_.front();
    if (--job.n_seats_ == 0) {
      open_jobs_.pop_front();
      n_open_jobs_.store(static_cast<int>(open_jobs_.size()), std::memory_order_relaxed);
    }
    job.n_running_.fetch_add(1, std::memory_order_relaxed);
    lock.unlock();
    job.work(number);
    lock.lock();
    // Under the lock: the caller, who owns the job, cannot leave before this thread has let go.
    if (job.n_running_.fetch_sub(1, std::memory_order_release) == 1) job.finished_.notify_one();
  }
}

bool Pool::may_spin(int n_spins) const {
  if (n_spins < kSpins || n_series_.load(std::memory_order_relaxed) > 0) return true;
  const auto until = awake_until_.load(std::memory_order_relaxed);
  return until != 0 && Context::Clock::now().time_since_epoch().count() < until;
}

// Spins shortly, since iterative algorithms come back with the next job at once, then sleeps. Who
// finds that others were quicker to take a job goes on looking: a series may have more to come.
void Pool::wait_for_seat(std::unique_lock<std::mutex>& lock) {
  while (open_jobs_.empty()) {
    const std::int64_t n_calls = n_calls_;
    n_spinning_.fetch_add(1, std::memory_order_relaxed);
    lock.unlock();
    const bool has_seen_job = spin_for_job();
    n_spinning_.fetch_sub(1, std::memory_order_relaxed);
    lock.lock();
    if (has_seen_job) continue;
    ++n_asleep_;
    seat_offered_.wait(lock, [&] { return !open_jobs_.empty() || n_calls_ != n_calls; });
    --n_asleep_;
  }
}

bool Pool::spin_for_job() const {
  for (int i = 0; may_spin(i); ++i) {
    if (n_open_jobs_.load(std::memory_order_relaxed) > 0) return true;
    pause_briefly();
    if (i == kSpins) {  // others may need the core
      std::this_thread::yield();
      i = kSpins / 2;
    }
  }
  return false;
}

void Pool::begin_series(int n_workers) {
  const std::lock_guard lock(mutex_);
  n_series_.fetch_add(1, std::memory_order_relaxed);
  grow(n_workers);
  ++n_calls_;
  for (int i = 0; i < std::min(n_workers, n_asleep_); ++i) seat_offered_.notify_one();
}

void Pool::end_series() {
  const auto until = Context::Clock::now() + kLinger;
  awake_until_.store(until.time_since_epoch().count(), std::memory_order_relaxed);
  n_series_.fetch_sub(1, std::memory_order_relaxed);
}

Series::Series(const Context& ctx, double cost_ns) {
  if (ctx.n_threads < 2 || thread_role.in_parallel || cost_ns < kMinSeriesPass) return;
  pool_ = &Pool::instance();
  pool_->begin_series(ctx.n_threads - 1);
}

Series::~Series() {
  if (pool_ != nullptr) pool_->end_series();
}

}  // namespace gramian
