// Kernels on every instruction set level that this CPU has.
//
//   for (const Level level : test::levels()) CHECK(AT_LEVEL(level, dot, x, y, n) == expected);
#pragma once

#include <initializer_list>
#include <vector>

#include "simd/level.hpp"

namespace test {

using gramian::Level;

inline std::vector<Level> levels() {
  std::vector<Level> found;
  for (const Level level : {Level::plain, Level::v2, Level::v3, Level::v4}) {
#if defined(__x86_64__)
    if (level == Level::plain) continue;
#endif
    if (level <= gramian::cpu_level()) found.push_back(level);
  }
  return found;
}

}  // namespace test

#if defined(__x86_64__)
#define AT_LEVEL(level, function, ...)                                      \
  ((level) == ::gramian::Level::v4   ? ::gramian::v4::function(__VA_ARGS__) \
   : (level) == ::gramian::Level::v3 ? ::gramian::v3::function(__VA_ARGS__) \
                                     : ::gramian::v2::function(__VA_ARGS__))
#else
#define AT_LEVEL(level, function, ...) \
  (static_cast<void>(level), ::gramian::plain::function(__VA_ARGS__))
#endif
