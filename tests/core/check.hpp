// A small test harness. TEST(name) { ... } registers a test, FORK_TEST(name) one that forks; CHECK*
// report a failure and go on, from any thread. See main.cpp for the runner.
#pragma once

#include <atomic>
#include <cstdio>
#include <exception>
#include <vector>

namespace check {

struct Test {
  const char* name;
  void (*run)();
  bool forks;
};

inline std::vector<Test>& all_tests() {
  static std::vector<Test> tests;
  return tests;
}

inline std::atomic<int> n_failed_checks{0};

inline bool register_test(const char* name, void (*run)(), bool forks) {
  all_tests().push_back({name, run, forks});
  return true;
}

inline void fail(const char* file, int line, const char* what) {
  ++n_failed_checks;
  std::fprintf(stderr, "%s:%d: %s\n", file, line, what);
}

}  // namespace check

#define REGISTERED_TEST(name, forks)                     \
  static void test_##name();                             \
  [[maybe_unused]] static const bool registered_##name = \
      check::register_test(#name, test_##name, forks);   \
  static void test_##name()

#define TEST(name) REGISTERED_TEST(name, false)
#define FORK_TEST(name) REGISTERED_TEST(name, true)

#define CHECK(condition) \
  ((condition) ? void() : check::fail(__FILE__, __LINE__, "not true: " #condition))

#define CHECK_THROWS(exception, ...)                                                \
  do {                                                                              \
    bool has_thrown = false;                                                        \
    try {                                                                           \
      __VA_ARGS__;                                                                  \
    } catch (const exception&) {                                                    \
      has_thrown = true;                                                            \
    }                                                                               \
    if (!has_thrown) check::fail(__FILE__, __LINE__, "does not throw " #exception); \
  } while (false)
