#pragma once

#include <nanobind/nanobind.h>

namespace gramian {

void bind_blas(nanobind::module_& m);

}  // namespace gramian
