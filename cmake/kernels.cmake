# Kernels: one source compiled once per instruction set level, chosen at run time (see
# core/simd/level.hpp). The source puts its code in `namespace gramian::GRAMIAN_ISA`.

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(gramian_levels v2 v3 v4)
  set(gramian_flags_v2 -march=x86-64-v2)
  set(gramian_flags_v3 -march=x86-64-v3)
  set(gramian_flags_v4 -march=x86-64-v4 -mprefer-vector-width=512)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC's own AVX-512 header warns about the undefined operand it uses on purpose (GCC bug 105593).
    list(APPEND gramian_flags_v4 -Wno-uninitialized -Wno-maybe-uninitialized)
  endif()
else()
  set(gramian_levels plain)
  set(gramian_flags_plain "")
endif()

# gramian_kernel(target source): add `source`, compiled for every level, to `target`.
#
# Weak symbols (templates and inline functions of shared headers) are emitted by every level, and
# the linker keeps the first one it meets. Levels are therefore listed from low to high, behind the
# target's own objects, and the core is linked as a whole archive: what is shared is code that runs
# anywhere.
function(gramian_kernel target source)
  get_filename_component(name ${source} NAME_WE)
  foreach(level IN LISTS gramian_levels)
    set(object ${target}_${name}_${level})
    add_library(${object} OBJECT ${source})
    target_compile_definitions(${object} PRIVATE GRAMIAN_ISA=${level})
    target_compile_options(${object} PRIVATE ${gramian_compile_options} ${gramian_flags_${level}})
    target_include_directories(${object}
                               PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
    set_property(TARGET ${target} APPEND PROPERTY gramian_objects_${level} ${object})
  endforeach()
endfunction()

# gramian_kernels(target sources...): all kernels of `target`, in link order.
function(gramian_kernels target)
  foreach(source IN LISTS ARGN)
    gramian_kernel(${target} ${source})
  endforeach()
  foreach(level IN LISTS gramian_levels)
    get_target_property(objects ${target} gramian_objects_${level})
    if(objects)
      foreach(object IN LISTS objects)
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
      endforeach()
    endif()
  endforeach()
endfunction()

# gramian_link_core(target): link the core, whole, in archive order.
function(gramian_link_core target)
  target_link_libraries(${target} PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,gramian_core>)
endfunction()
