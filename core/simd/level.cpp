#include "simd/level.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "base/error.hpp"

namespace gramian {

namespace {

constexpr std::array<std::string_view, 4> kNames{"plain", "v2", "v3", "v4"};

#if defined(__x86_64__)
constexpr Level kLowest = Level::v2;  // NumPy's own baseline: no process with NumPy runs on less

Level detected_level() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return Level::v4;
  if (__builtin_cpu_supports("x86-64-v3")) return Level::v3;
  return kLowest;
}
#else
constexpr Level kLowest = Level::plain;

Level detected_level() { return kLowest; }
#endif

Level wanted_level() {
  const char* wanted = std::getenv("GRAMIAN_ISA");
  if (wanted == nullptr) return Level::v4;
  const auto name =
      std::find(kNames.begin() + static_cast<int>(kLowest), kNames.end(), std::string_view(wanted));
  if (name == kNames.end())
    throw InvalidArgument("environment variable GRAMIAN_ISA must name a level from " +
                          std::string(level_name(kLowest)) + " to v4, got '" + wanted + "'");
  return static_cast<Level>(name - kNames.begin());
}

}  // namespace

Level cpu_level() {
  static const Level level = std::min(detected_level(), wanted_level());
  return level;
}

std::string_view level_name(Level level) { return kNames[static_cast<std::size_t>(level)]; }

}  // namespace gramian
