# Quicker builds: ccache where it is installed, else the standard library precompiled. Not both:
# GCC writes other bytes each time that it precompiles a header, so that the cache would never hit.
# What is chosen stays in the build tree's cache.
if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(launcher "")
  if(NOT DEFINED ENV{CCACHE_DISABLE})
    find_program(GRAMIAN_CCACHE ccache)
    mark_as_advanced(GRAMIAN_CCACHE)
    if(GRAMIAN_CCACHE)
      set(launcher "${GRAMIAN_CCACHE}")
    endif()
  endif()
  set(CMAKE_CXX_COMPILER_LAUNCHER "${launcher}" CACHE STRING "What starts the compiler")
endif()

# gramian_precompile(target headers...): these headers and the standard ones that most files use.
# Kernels go without: each of their sets of flags would need a copy, for few files.
function(gramian_precompile target)
  if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
    return()
  endif()
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <bit> <cmath> <cstdint> <functional> <limits> <memory> <mutex> <numeric>
    <optional> <span> <utility> <variant> <vector> ${ARGN})
endfunction()
