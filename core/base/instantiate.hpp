// The numbers and layouts for which templates over matrices are instantiated: the alternatives of
// AnyMatrix. For templates that are defined in one source and called from others.
#pragma once

#include <cstdint>

#define GRAMIAN_FOR_EACH_NUMBER(INSTANTIATE) INSTANTIATE(float) INSTANTIATE(double)

#define GRAMIAN_FOR_EACH_SPARSE(INSTANTIATE) \
  INSTANTIATE(float, std::int32_t)           \
  INSTANTIATE(float, std::int64_t)           \
  INSTANTIATE(double, std::int32_t)          \
  INSTANTIATE(double, std::int64_t)
