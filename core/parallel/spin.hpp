// Waiting for what takes a few microseconds at most.
#pragma once

#include <atomic>
#include <thread>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gramian {

inline void pause_briefly() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

// Waits awake; after a while other threads may have the core in between.
template <class Condition>
void spin_while(Condition&& condition) {
  constexpr int kSpins = 1000;
  for (int i = 0; condition(); ++i) {
    if (i < kSpins)
      pause_briefly();
    else
      std::this_thread::yield();
  }
}

// A mutex for what is held for less than it takes to fall asleep.
class SpinLock {
 public:
  void lock() {
    while (is_held_.exchange(true, std::memory_order_acquire))
      spin_while([&] { return is_held_.load(std::memory_order_relaxed); });
  }
  void unlock() { is_held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> is_held_{false};
};

}  // namespace gramian
