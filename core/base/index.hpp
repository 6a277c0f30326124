// Numbers of rows, columns and nodes are signed; containers count in std::size_t.
#pragma once

#include <concepts>
#include <cstddef>

namespace gramian {

// The place of entry `i`, which must not be negative, in a container.
constexpr std::size_t at(std::integral auto i) { return static_cast<std::size_t>(i); }

}  // namespace gramian
