// Buffers handed from task to task, so that a call takes as many as it has threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "base/buffer.hpp"

namespace gramian {

template <class T>
class SpareBuffers {
 public:
  // A buffer of this size; what it holds is anybody's.
  Buffer<T> take(std::int64_t size) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(spare_.begin(), spare_.end(),
                                    [&](const auto& buffer) { return buffer.size() == size; });
    if (found == spare_.end()) return Buffer<T>(size);
    Buffer<T> buffer = std::move(*found);
    spare_.erase(found);
    return buffer;
  }
  Buffer<T> take_zeros(std::int64_t size) {
    Buffer<T> buffer = take(size);
    std::fill(buffer.begin(), buffer.end(), T{});
    return buffer;
  }
  void give_back(Buffer<T>&& buffer) {
    const std::lock_guard lock(mutex_);
    spare_.push_back(std::move(buffer));
  }

 private:
  std::mutex mutex_;
  std::vector<Buffer<T>> spare_;
};

}  // namespace gramian
