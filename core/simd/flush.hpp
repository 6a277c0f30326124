// While it lives, this thread takes numbers too small to be normal for zero, as operands and as
// results: some processors need a hundred times as long for them, and gradients that vanish are
// full of them.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace gramian {

class FlushTiny {
 public:
  FlushTiny() : before_(state()) { set_state(before_ | kFlush); }
  ~FlushTiny() { set_state(before_); }

  FlushTiny(const FlushTiny&) = delete;
  FlushTiny& operator=(const FlushTiny&) = delete;

 private:
#if defined(__x86_64__)
  using State = unsigned int;
  static constexpr State kFlush = 0x8040;  // results and operands
  static State state() { return _mm_getcsr(); }
  static void set_state(State state) { _mm_setcsr(state); }
#elif defined(__aarch64__)
  using State = std::uint64_t;
  static constexpr State kFlush = State{1} << 24;
  static State state() {
    State value;
    asm volatile("mrs %0, fpcr" : "=r"(value));
    return value;
  }
  static void set_state(State state) { asm volatile("msr fpcr, %0" : : "r"(state)); }
#else
  using State = int;
  static constexpr State kFlush = 0;
  static State state() { return 0; }
  static void set_state(State) {}
#endif

  State before_;
};

}  // namespace gramian
