// The GIL, given up and taken back so that an interpreter going down cannot abort the process.
//
// CPython ends a thread that asks for the GIL during finalisation by pthread_exit, which unwinds
// the C++ stack and, in a destructor, terminates the process. Such a thread sleeps here instead;
// the process exits without it.
#pragma once

#include <Python.h>

#include <chrono>
#include <thread>

namespace gramian {

template <class TakeGil>
void take_gil_or_sleep(const TakeGil& take_gil) {
  try {
    take_gil();
  } catch (...) {  // the forced unwinding of pthread_exit
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
}

// Releases the GIL for the lifetime of the object.
class ReleasedGil {
 public:
  ReleasedGil() : state_(PyEval_SaveThread()) {}
  ~ReleasedGil() {
    take_gil_or_sleep([this] { PyEval_RestoreThread(state_); });
  }
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;

 private:
  PyThreadState* state_;
};

// What the function returns, computed without the GIL.
template <class Function>
auto without_gil(const Function& function) {
  const ReleasedGil nogil;
  return function();
}

}  // namespace gramian
