// The thresholds of one column in the form that ranks_kernel.hpp searches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "base/buffer.hpp"
#include "tree/predict/ranks_kernel.hpp"

namespace gramian::tree {

template <class T>
class SearchTable {
 public:
  using Levels = SearchLevels<T>;

  SearchTable() = default;
  // Of ascending thresholds.
  explicit SearchTable(std::span<const T> thresholds) {
    std::int64_t n_groups[Levels::kMaxLevels], n_all = 0;
    auto n = static_cast<std::int64_t>(thresholds.size());
    do {
      n_groups[n_levels_] = std::max<std::int64_t>((n + kGroup - 1) / kGroup, 1);
      first_[n_levels_] = n_all;
      n_all += kGroup * n_groups[n_levels_];
      n = n_groups[n_levels_++] - 1;
    } while (n > 0);
    entries_ = Buffer<T>(n_all);
    std::fill_n(entries_.data(), n_all, kNone);
    std::copy(thresholds.begin(), thresholds.end(), entries_.data());
    for (int k = 1; k < n_levels_; ++k)
      for (std::int64_t i = 0; i + 1 < n_groups[k - 1]; ++i)
        entries_[first_[k] + i] = entries_[first_[k - 1] + kGroup * i + kGroup - 1];
  }

  Levels levels() const {
    Levels levels{{}, n_levels_};
    for (int k = 0; k < n_levels_; ++k) levels.level[k] = entries_.data() + first_[k];
    return levels;
  }

 private:
  using Limits = std::numeric_limits<T>;
  static constexpr std::int64_t kGroup = Levels::kGroup;
  static constexpr T kNone = Limits::has_infinity ? Limits::infinity() : Limits::max();
  Buffer<T> entries_;
  std::int64_t first_[Levels::kMaxLevels] = {};
  int n_levels_ = 0;
};

using RankTable = SearchTable<std::uint32_t>;  // of at most kMaxThresholds

}  // namespace gramian::tree
