// Which instruction set the kernels run on, and the call that picks it.
//
// A kernel source (*_kernel.cpp) is compiled once per level with GRAMIAN_ISA set to v2, v3 or v4
// (plain where the machine is not x86-64), and puts its functions in namespace
// gramian::GRAMIAN_ISA. A header declares them with GRAMIAN_DECLARE_KERNEL and callers use
// GRAMIAN_DISPATCH:
//
//   namespace gramian { GRAMIAN_DECLARE_KERNEL(double dot(const double*, const double*, int)) }
//   const double sum = GRAMIAN_DISPATCH(dot, x, y, n);
//
// A kernel uses core/simd/simd.hpp, whose results do not depend on the level.
#pragma once

#include <string_view>

namespace gramian {

enum class Level { plain, v2, v3, v4 };

// The best level of this CPU, found once. The environment variable GRAMIAN_ISA (v2, v3, v4) lowers
// it; throws InvalidArgument if that names no level.
Level cpu_level();

std::string_view level_name(Level level);

}  // namespace gramian

#if defined(__x86_64__)
#define GRAMIAN_DECLARE_KERNEL(...) \
  namespace v2 {                    \
  __VA_ARGS__;                      \
  }                                 \
  namespace v3 {                    \
  __VA_ARGS__;                      \
  }                                 \
  namespace v4 {                    \
  __VA_ARGS__;                      \
  }
#define GRAMIAN_DISPATCH(function, ...)                                                    \
  (::gramian::cpu_level() == ::gramian::Level::v4   ? ::gramian::v4::function(__VA_ARGS__) \
   : ::gramian::cpu_level() == ::gramian::Level::v3 ? ::gramian::v3::function(__VA_ARGS__) \
                                                    : ::gramian::v2::function(__VA_ARGS__))
#else
#define GRAMIAN_DECLARE_KERNEL(...) \
  namespace plain {                 \
  __VA_ARGS__;                      \
  }
#define GRAMIAN_DISPATCH(function, ...) ::gramian::plain::function(__VA_ARGS__)
#endif
