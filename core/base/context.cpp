#include "base/context.hpp"

#include "base/error.hpp"
#include "base/thread_role.hpp"

namespace gramian {

constinit thread_local ThreadRole thread_role;

namespace {

using std::chrono::microseconds;

constexpr microseconds kPollInterval{10'000};
constexpr microseconds kFastBatch{200};
constexpr int kMaxSkip = 7;  // bounds the delay when a loop of fast checks turns into slow ones

// Reading the clock costs more (about 25 ns) than everything else in check(). While checks come
// quickly, it is read once in kMaxSkip + 1 of them.
struct PollClock {
  Context::Clock::time_point last_read{};
  Context::Clock::time_point last_poll{};
  int skip = 0;
  int n_skipped = 0;

  bool is_due() {
    if (n_skipped < skip) {
      ++n_skipped;
      return false;
    }
    const auto now = Context::Clock::now();
    skip = now - last_read < kFastBatch ? kMaxSkip : 0;
    n_skipped = 0;
    last_read = now;
    if (now - last_poll < kPollInterval) return false;
    last_poll = now;
    return true;
  }
};

constinit thread_local PollClock poll_clock;

}  // namespace

void Context::check() const {
  if (stop_requested()) throw Interrupted();
  if (poll == nullptr || thread_role.is_worker) return;
  if (poll_clock.is_due() && poll_stop()) throw Interrupted();
}

bool Context::poll_stop() const noexcept {
  if (poll != nullptr && !thread_role.is_worker && !stop_requested() && poll(poll_state))
    request_stop();
  return stop_requested();
}

Context Context::with_threads(int limit) const {
  Context limited = *this;
  limited.n_threads = limit;
  return limited;
}

}  // namespace gramian
