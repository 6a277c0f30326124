// Memory that starts on a cache line, for packed blocks and partial sums.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace gramian {

inline constexpr std::size_t kCacheLine = 64;

template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::int64_t size)
      : data_(static_cast<T*>(::operator new(static_cast<std::size_t>(size) * sizeof(T),
                                             std::align_val_t{kCacheLine}))),
        size_(size) {}

  static Buffer zeros(std::int64_t size) {
    Buffer buffer(size);
    std::fill_n(buffer.data(), size, T{});
    return buffer;
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::int64_t size() const { return size_; }
  T& operator[](std::int64_t i) { return data_.get()[i]; }
  const T& operator[](std::int64_t i) const { return data_.get()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }

 private:
  struct Delete {
    void operator()(T* values) const { ::operator delete(values, std::align_val_t{kCacheLine}); }
  };
  std::unique_ptr<T, Delete> data_;
  std::int64_t size_ = 0;
};

}  // namespace gramian
