// Runs the registered tests, or those whose names contain the first argument. With
// GRAMIAN_TEST_NO_FORK in the environment those that fork are skipped: emulators cannot run them.
#include <cstdlib>
#include <cstring>

#include "check.hpp"

static bool passes(const check::Test& test) {
  check::n_failed_checks = 0;
  try {
    test.run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: unexpected exception: %s\n", test.name, error.what());
    return false;
  }
  return check::n_failed_checks == 0;
}

int main(int argc, char** argv) {
  int n_passed = 0;
  int n_failed = 0;
  int n_skipped = 0;
  const bool may_fork = std::getenv("GRAMIAN_TEST_NO_FORK") == nullptr;
  for (const check::Test& test : check::all_tests()) {
    if (argc > 1 && std::strstr(test.name, argv[1]) == nullptr) continue;
    if (test.forks && !may_fork) {
      std::printf("skip %s: it forks\n", test.name);
      ++n_skipped;
      continue;
    }
    const bool has_passed = passes(test);
    (has_passed ? n_passed : n_failed) += 1;
    std::printf("%s %s\n", has_passed ? "ok  " : "FAIL", test.name);
    std::fflush(stdout);
  }
  std::printf("%d passed, %d failed, %d skipped\n", n_passed, n_failed, n_skipped);
  return n_failed == 0 && n_passed > 0 ? 0 : 1;
}
