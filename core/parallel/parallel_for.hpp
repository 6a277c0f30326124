// The one place where the core goes parallel.
//
// Tasks are claimed dynamically, so what a task computes may depend on its number and on nothing
// else; cut the data with Chunks, whose bounds depend on the data only, and any number of threads
// gives the same bits.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/context.hpp"
#include "parallel/pool.hpp"

namespace gramian {

// How many threads a parallel_for of this estimated serial cost (nanoseconds, all tasks together)
// would use now: 1 inside another one and for small work, where less is small to awake workers.
int useful_threads(const Context& ctx, std::int64_t n_tasks, double cost_ns);

// Calls fn(task) once for every task in [0, n_tasks), ctx.check() before each. If tasks throw, the
// exception of the lowest-numbered one is rethrown here and tasks not yet begun are dropped.
template <std::invocable<std::int64_t> Function>
void parallel_for(const Context& ctx, std::int64_t n_tasks, double cost_ns, Function&& fn,
                  Claims claims = Claims::in_order) {
  const int n_threads = useful_threads(ctx, n_tasks, cost_ns);
  if (n_threads <= 1) {
    for (std::int64_t task = 0; task < n_tasks; ++task) {
      ctx.check();
      fn(task);
    }
    return;
  }
  using Erased = std::remove_reference_t<Function>;
  const auto call = [](void* erased, std::int64_t task) { (*static_cast<Erased*>(erased))(task); };
  auto* address = const_cast<void*>(static_cast<const void*>(std::addressof(fn)));
  Job job(ctx, n_tasks, n_threads, claims, {call, address});
  Pool::instance().run(job, n_threads - 1);
  job.rethrow();
}

// n items cut into pieces of nearly equal size, about target_size each.
class Chunks {
 public:
  static Chunks of_rows(std::int64_t n_rows, std::int64_t target_rows) {
    const std::int64_t target = std::max<std::int64_t>(target_rows, 1);
    return {n_rows, (n_rows + target - 1) / target};
  }

  std::int64_t count() const { return count_; }
  std::int64_t begin(std::int64_t i) const { return i * base_ + std::min(i, n_longer_); }
  std::int64_t end(std::int64_t i) const { return begin(i + 1); }

 private:
  // The first n_items % count chunks have one item more than the others.
  Chunks(std::int64_t n_items, std::int64_t count)
      : count_(count),
        base_(count > 0 ? n_items / count : 0),
        n_longer_(count > 0 ? n_items % count : 0) {}

  std::int64_t count_;
  std::int64_t base_;
  std::int64_t n_longer_;
};

// Folds partial results in the order of their numbers while they arrive in any order. The thread
// that brings the next one due combines it, and what waited for it, outside the lock; about as many
// partials are alive as threads.
template <class Partial, class Combine>
class OrderedFold {
 public:
  OrderedFold(std::int64_t count, Combine& combine)
      : waiting_(static_cast<std::size_t>(count)), combine_(combine) {}

  void add(std::int64_t i, Partial&& partial) {
    std::unique_lock lock(mutex_);
    waiting_[static_cast<std::size_t>(i)] = std::move(partial);
    if (is_folding_) return;
    is_folding_ = true;
    while (next_ < waiting_.size() && waiting_[next_]) {
      Partial due = std::move(*waiting_[next_]);
      waiting_[next_++].reset();
      lock.unlock();
      fold(std::move(due));
      lock.lock();
    }
    is_folding_ = false;
  }

  Partial take() { return std::move(*total_); }

 private:
  void fold(Partial&& partial) {
    if (total_)
      combine_(*total_, std::move(partial));
    else
      total_.emplace(std::move(partial));
  }

  std::mutex mutex_;
  std::vector<std::optional<Partial>> waiting_;
  std::size_t next_ = 0;
  bool is_folding_ = false;
  std::optional<Partial> total_;  // touched by the folding thread only
  Combine& combine_;
};

// make_partial(begin, end) for every chunk, then combine(total, partial) in chunk order, starting
// from the first chunk's partial: the same bits for any number of threads. No rows at all give
// make_partial(0, 0).
template <class MakePartial, class Combine>
auto parallel_reduce(const Context& ctx, const Chunks& chunks, double cost_ns,
                     MakePartial&& make_partial, Combine&& combine) {
  using Partial = decltype(make_partial(std::int64_t{0}, std::int64_t{0}));
  if (chunks.count() == 0) return make_partial(std::int64_t{0}, std::int64_t{0});
  OrderedFold<Partial, std::remove_reference_t<Combine>> folded(chunks.count(), combine);
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t i) {
    folded.add(i, make_partial(chunks.begin(i), chunks.end(i)));
  });
  return folded.take();
}

}  // namespace gramian
