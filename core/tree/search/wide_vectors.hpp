// The compiler's vectors, as wide as the registers. For kernels only: each level has its own.
#pragma once

#include <cstdint>

#ifndef GRAMIAN_ISA
#error "wide_vectors.hpp is for kernel sources, which are compiled with GRAMIAN_ISA set"
#endif

namespace gramian::GRAMIAN_ISA {

#if defined(__AVX512F__) && defined(__AVX512DQ__)
inline constexpr int kBytes = 64;
#elif defined(__AVX2__)
inline constexpr int kBytes = 32;
#else
inline constexpr int kBytes = 16;
#endif
template <class T>
using Vector [[gnu::vector_size(kBytes)]] = T;
template <class T>
constexpr std::int64_t kWidth = kBytes / static_cast<int>(sizeof(T));

}  // namespace gramian::GRAMIAN_ISA
