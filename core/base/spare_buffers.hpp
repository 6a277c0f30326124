// Buffers, or other objects, handed from task to task, so that a call takes as many as it has
// threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
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

// What such objects hold is anybody's.
template <class T>
class SpareObjects {
 public:
  // What is made anew is made of `parts`.
  template <class... Parts>
  std::unique_ptr<T> take(const Parts&... parts) {
    const std::lock_guard lock(mutex_);
    if (spare_.empty()) return std::make_unique<T>(parts...);
    std::unique_ptr<T> object = std::move(spare_.back());
    spare_.pop_back();
    return object;
  }
  void give_back(std::unique_ptr<T>&& object) {
    const std::lock_guard lock(mutex_);
    spare_.push_back(std::move(object));
  }
  // All that were made, once the tasks are done.
  std::vector<std::unique_ptr<T>> take_all() { return std::move(spare_); }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> spare_;
};

}  // namespace gramian
