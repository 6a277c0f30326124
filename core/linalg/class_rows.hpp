// Rows grouped by class: what lets sums over a class stay in registers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"

namespace gramian::linalg {

// The numbers of some rows, those of one class after those of another, each in the order of rows.
class ClassRows {
 public:
  explicit ClassRows(std::int64_t n_classes) : begins_(at(n_classes) + 1) {}

  // Groups fewer than 2^31 rows begin .. end, counted from `begin`; throws unless every code is a
  // class.
  void group(std::span<const std::int64_t> codes, std::int64_t begin, std::int64_t end) {
    const auto some = codes.subspan(at(begin), at(end - begin));
    std::fill(begins_.begin(), begins_.end(), 0);
    for (const std::int64_t code : some) {
      if (code < 0 || code >= n_classes())
        throw InvalidArgument("the codes must be numbers of classes");
      ++begins_[at(code)];
    }
    std::int32_t total = 0;
    for (std::int32_t& count : begins_) total += std::exchange(count, total);
    rows_.resize(some.size());
    for (std::size_t i = 0; i < some.size(); ++i)
      rows_[at(begins_[at(some[i])]++)] = static_cast<std::int32_t>(i);
    // Every begin has moved on to that of the next class.
    std::copy_backward(begins_.begin(), begins_.end() - 1, begins_.end());
    begins_.front() = 0;
  }

  std::int64_t n_classes() const { return static_cast<std::int64_t>(begins_.size()) - 1; }

  std::span<const std::int32_t> of(std::int64_t k) const {
    const std::int32_t begin = begins_[at(k)];
    return std::span(rows_).subspan(at(begin), at(begins_[at(k + 1)] - begin));
  }

 private:
  std::vector<std::int32_t> begins_;  // n_classes + 1
  std::vector<std::int32_t> rows_;
};

}  // namespace gramian::linalg
