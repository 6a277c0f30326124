#include "bindings/signals.hpp"

#include <nanobind/nanobind.h>

#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__APPLE__)
#include <pthread.h>
#endif

#include "bindings/gil.hpp"

namespace gramian {

namespace {

namespace nb = nanobind;

bool is_finalizing() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

bool is_main_thread() {
#if defined(__linux__)
  return syscall(SYS_gettid) == getpid();
#elif defined(__APPLE__)
  return pthread_main_np() != 0;
#else
  static const auto importing_thread = std::this_thread::get_id();
  return std::this_thread::get_id() == importing_thread;
#endif
}

// What a handler raised and Python has not heard of yet. Touched by the main thread only, with the
// GIL; the destructor of a static object would come after the interpreter's end.
class Raised {
 public:
  static Raised& instance() {
    static Raised& raised = *new Raised;
    return raised;
  }

  bool is_any() const { return error_ != nullptr; }

  // Takes Python's error, in place of an earlier one.
  void take() { error_ = std::make_unique<nb::python_error>(); }

  // Gives it back to Python; false if there is none.
  bool restore() {
    const auto error = std::move(error_);
    if (error) error->restore();
    return error != nullptr;
  }

  // Has the interpreter call restore() when it goes on; where its queue is full, the next poll
  // asks again.
  void schedule() {
    if (!is_scheduled_) is_scheduled_ = Py_AddPendingCall(deliver, this) == 0;
  }

 private:
  static int deliver(void* raised) {
    auto& self = *static_cast<Raised*>(raised);
    self.is_scheduled_ = false;
    return self.restore() ? -1 : 0;
  }

  std::unique_ptr<nb::python_error> error_;
  bool is_scheduled_ = false;
};

// Whether a handler has raised something that is still to be heard.
bool run_handlers() {
  Raised& raised = Raised::instance();
  if (!raised.is_any() && PyErr_CheckSignals() != 0) raised.take();
  if (raised.is_any()) raised.schedule();
  return raised.is_any();
}

}  // namespace

// A daemon thread that is still here when the interpreter goes down must never take the GIL again:
// Python would end it in the middle of C++ and abort the process. It sleeps until the exit.
bool poll_signals(void*) noexcept {
  if (!is_main_thread()) {
    while (is_finalizing()) std::this_thread::sleep_for(std::chrono::hours(1));
    return false;
  }
  if (is_finalizing()) return false;
  PyGILState_STATE state{};
  take_gil_or_sleep([&] { state = PyGILState_Ensure(); });
  const bool is_interrupted = run_handlers();
  PyGILState_Release(state);
  return is_interrupted;
}

void set_interrupt_error() {
  if (is_main_thread() && Raised::instance().restore()) return;
  PyErr_SetNone(PyExc_KeyboardInterrupt);
}

}  // namespace gramian
