// What every binding needs: arrays, the GIL, names of choices, and nanobind's literals.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/any_matrix.hpp"
#include "bindings/arrays.hpp"
#include "bindings/gil.hpp"

namespace gramian {

using namespace nanobind::literals;

template <class Value>
using Named = std::pair<std::string_view, Value>;

// The value with this name; ValueError with the message if there is none.
template <class Value, std::size_t kCount>
Value named(const Named<Value> (&names)[kCount], std::string_view name, const char* message) {
  for (const auto& [known, value] : names)
    if (known == name) return value;
  throw nb::value_error(message);
}

// The name of a value that has one.
template <class Value, std::size_t kCount>
std::string_view name_of(const Named<Value> (&names)[kCount], Value value) {
  return std::ranges::find(names, value, &Named<Value>::second)->first;
}

}  // namespace gramian
