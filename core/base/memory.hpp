// Memory of the system: pages of another size, and handing it back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/buffer.hpp"

#if defined(__GLIBC__) || defined(__linux__)
#include <features.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace gramian {

// Gives memory that was freed, and that the allocator holds for later, back to the system. For the
// moment between two large phases: it takes milliseconds, and what is used again costs page faults.
inline void give_back_freed_memory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

// Asks for large pages where they lie wholly in this memory, which has not been used yet: its first
// use then costs a fifth. For memory of which all will be used.
inline void use_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t n_bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::size_t kSize = std::size_t{1} << 21;
  const std::size_t skipped = (kSize - reinterpret_cast<std::uintptr_t>(memory) % kSize) % kSize;
  if (n_bytes < skipped + kSize) return;
  auto* first = static_cast<std::byte*>(memory) + skipped;
  madvise(first, (n_bytes - skipped) / kSize * kSize, MADV_HUGEPAGE);  // may have no effect
#endif
}

// A buffer in large pages.
template <class T>
Buffer<T> large_buffer(std::int64_t size) {
  Buffer<T> buffer(size);
  use_large_pages(buffer.data(), static_cast<std::size_t>(size) * sizeof(T));
  return buffer;
}

}  // namespace gramian
