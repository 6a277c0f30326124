#pragma once

#include <nanobind/nanobind.h>

#include "base/context.hpp"

namespace gramian {

// Context, the translation of Interrupted, and the hooks of the tests of threads.
void bind_context(nanobind::module_& m);

}  // namespace gramian
