// Rows of a kernel matrix, kept while there is room: the least recently used one goes first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "kernel/source.hpp"

namespace gramian::solve {

template <class T>
class RowCache {
 public:
  // Room for as many of n rows as fit in `bytes`, and for least_rows in any case.
  RowCache(std::int64_t n, double bytes, std::int64_t least_rows)
      : n_(n), stride_(kernel::padded(n)), slot_of_(static_cast<std::size_t>(n), -1) {
    const double fitting = bytes / (static_cast<double>(stride_) * sizeof(T));
    const double wanted = std::max(static_cast<double>(least_rows), fitting);
    data_ = Buffer<T>(stride_ *
                      static_cast<std::int64_t>(std::min<double>(static_cast<double>(n), wanted)));
    set_capacity();
  }

  // Pointers to the rows `which`, all different and at most least_rows; those missing are computed.
  // They hold until the next call.
  std::vector<const T*> rows(std::span<const std::int64_t> which, const kernel::Source<T>& source,
                             const Context& ctx) {
    ++tick_;
    std::vector<std::int64_t> missing;
    for (const std::int64_t i : which) {
      if (slot(i) < 0)
        missing.push_back(i);
      else
        used_[static_cast<std::size_t>(slot(i))] = tick_;
    }
    if (!missing.empty()) compute(missing, source, ctx);
    std::vector<const T*> found;
    found.reserve(which.size());
    for (const std::int64_t i : which) found.push_back(at(slot(i)));
    return found;
  }

  // Keeps the rows and the columns `kept`, which ascend, and numbers them anew.
  void keep(std::span<const std::int64_t> kept) {
    std::vector<std::int64_t> number(static_cast<std::size_t>(n_), -1);
    for (std::size_t k = 0; k < kept.size(); ++k)
      number[static_cast<std::size_t>(kept[k])] = static_cast<std::int64_t>(k);
    const std::int64_t old_stride = stride_, n_slots = capacity();
    const std::vector<std::int64_t> owners = owner_, ticks = used_;
    n_ = static_cast<std::int64_t>(kept.size());
    stride_ = kernel::padded(n_);
    slot_of_.assign(kept.size(), -1);
    set_capacity();
    std::int64_t next = 0;
    for (std::int64_t s = 0; s < n_slots; ++s) {
      const std::int64_t owner = owners[static_cast<std::size_t>(s)];
      if (owner < 0 || number[static_cast<std::size_t>(owner)] < 0) continue;
      const T* from = data_.data() + s * old_stride;
      T* to = data_.data() + next * stride_;  // never behind `from`
      for (std::size_t k = 0; k < kept.size(); ++k) to[k] = from[kept[k]];
      assign(next++, number[static_cast<std::size_t>(owner)], ticks[static_cast<std::size_t>(s)]);
    }
    n_used_ = next;
  }

 private:
  std::int64_t slot(std::int64_t i) const { return slot_of_[static_cast<std::size_t>(i)]; }
  T* at(std::int64_t s) { return data_.data() + s * stride_; }
  std::int64_t capacity() const { return static_cast<std::int64_t>(owner_.size()); }

  void set_capacity() {
    const std::int64_t fitting = stride_ > 0 ? std::min(n_, data_.size() / stride_) : 0;
    owner_.assign(static_cast<std::size_t>(fitting), -1);
    used_.assign(static_cast<std::size_t>(fitting), 0);
    n_used_ = 0;
  }

  void assign(std::int64_t s, std::int64_t row, std::int64_t tick) {
    owner_[static_cast<std::size_t>(s)] = row;
    used_[static_cast<std::size_t>(s)] = tick;
    slot_of_[static_cast<std::size_t>(row)] = s;
  }

  void compute(std::span<const std::int64_t> missing, const kernel::Source<T>& source,
               const Context& ctx) {
    const std::vector<std::int64_t> slots = free_slots(static_cast<std::int64_t>(missing.size()));
    std::vector<T*> out;
    for (std::size_t k = 0; k < missing.size(); ++k) out.push_back(at(slots[k]));
    source.rows(missing, out, ctx);
    for (std::size_t k = 0; k < missing.size(); ++k) assign(slots[k], missing[k], tick_);
  }

  std::vector<std::int64_t> free_slots(std::int64_t count) {
    std::vector<std::int64_t> slots;
    while (n_used_ < capacity() && static_cast<std::int64_t>(slots.size()) < count)
      slots.push_back(n_used_++);
    const auto left =
        static_cast<std::ptrdiff_t>(count) - static_cast<std::ptrdiff_t>(slots.size());
    if (left == 0) return slots;
    std::vector<std::int64_t> old;
    for (std::int64_t s = 0; s < capacity(); ++s)
      if (owner_[static_cast<std::size_t>(s)] >= 0 && used_[static_cast<std::size_t>(s)] != tick_)
        old.push_back(s);
    std::nth_element(old.begin(), old.begin() + (left - 1), old.end(),
                     [&](std::int64_t a, std::int64_t b) {
                       const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
                       return used_[x] != used_[y] ? used_[x] < used_[y] : a < b;
                     });
    for (std::ptrdiff_t k = 0; k < left; ++k) {
      const std::int64_t s = old[static_cast<std::size_t>(k)];
      slot_of_[static_cast<std::size_t>(owner_[static_cast<std::size_t>(s)])] = -1;
      owner_[static_cast<std::size_t>(s)] = -1;
      slots.push_back(s);
    }
    return slots;
  }

  std::int64_t n_;
  std::int64_t stride_;
  Buffer<T> data_;
  std::vector<std::int64_t> slot_of_;  // of each row, or -1
  std::vector<std::int64_t> owner_;    // of each slot, or -1
  std::vector<std::int64_t> used_;     // tick of the last use
  std::int64_t n_used_ = 0;            // slots from here on were never used
  std::int64_t tick_ = 0;
};

}  // namespace gramian::solve
