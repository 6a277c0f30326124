#include "parallel/worker_thread.hpp"

#include <system_error>
#include <thread>
#include <utility>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#include <signal.h>
#endif

#include "base/thread_role.hpp"

namespace gramian {

namespace {

#if defined(__unix__) || defined(__APPLE__)

// A new thread inherits the mask. Signals stay with the caller's threads, where Python waits for
// them, except those that the CPU raises in the thread itself.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int raised : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&blocked, raised);
    pthread_sigmask(SIG_BLOCK, &blocked, &former_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &former_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t former_;
};

#else

struct SignalsBlocked {};

#endif

}  // namespace

bool start_worker_thread(std::function<void()> body) {
  [[maybe_unused]] const SignalsBlocked blocked;
  try {
    std::thread([body = std::move(body)] {
      thread_role = {.is_worker = true, .in_parallel = true};
      body();
    }).detach();
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace gramian
