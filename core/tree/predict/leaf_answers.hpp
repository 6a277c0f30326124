// What the leaves of all trees give to the rows that reach them.
#pragma once

#include <cstdint>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "tree/format/trees.hpp"

namespace gramian::tree {

class LeafAnswers {
 public:
  // `trees` has passed its check.
  LeafAnswers(const TreesView& trees, const Context& ctx);

  Buffer<double> value;       // leaves x width; empty if every leaf is of one class
  Buffer<std::int32_t> vote;  // leaves x outputs: column of the class; classification only

 private:
  void keep_values(const TreesView& trees, const Context& ctx);
  void keep_classes(const TreesView& trees, const Context& ctx);
};

}  // namespace gramian::tree
