// What is told of the leaves that rows reach.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace gramian::tree {

// leaves[i]: number, among the leaves of tree `tree`, of the leaf of row begin + i; or, where rows
// go in an order of their own, of row order[begin + i].
using LeafSink = std::function<void(std::int64_t tree, std::int64_t begin,
                                    std::span<const std::uint32_t> leaves)>;

// Of some rows: their numbers less that of the first row of the block, and their leaves.
using SomeSink = std::function<void(std::int64_t tree, std::span<const std::uint32_t> rows,
                                    std::span<const std::uint32_t> leaves)>;

}  // namespace gramian::tree
