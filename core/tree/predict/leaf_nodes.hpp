// Of each leaf its node, in preorder: made when first asked for.
#pragma once

#include <cstdint>
#include <mutex>

#include "base/buffer.hpp"

namespace gramian::tree {

class LeafNodes {
 public:
  // `make` gives the same at every call.
  template <class Make>
  const std::int32_t* get(const Make& make) {
    const std::lock_guard lock(mutex_);
    if (nodes_.size() == 0) nodes_ = make();
    return nodes_.data();
  }

 private:
  std::mutex mutex_;
  Buffer<std::int32_t> nodes_;
};

}  // namespace gramian::tree
