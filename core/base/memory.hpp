// Handing memory back to the system.
#pragma once

#if defined(__GLIBC__) || defined(__linux__)
#include <features.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace gramian {

// Gives memory that was freed, and that the allocator holds for later, back to the system. For the
// moment between two large phases: it takes milliseconds, and what is used again costs page faults.
inline void give_back_freed_memory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

}  // namespace gramian
