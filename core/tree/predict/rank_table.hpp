// The thresholds of one column in the form that ranks_kernel.hpp searches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/buffer.hpp"
#include "tree/predict/keys_kernel.hpp"
#include "tree/predict/ranks_kernel.hpp"

namespace gramian::tree {

class RankTable {
 public:
  RankTable() = default;
  // Of ascending thresholds, some of which may be the same.
  explicit RankTable(std::span<const std::uint32_t> thresholds) {
    std::int64_t n_groups[RankLevels::kMaxLevels], n_all = 0;
    auto n = static_cast<std::int64_t>(thresholds.size());
    do {
      n_groups[n_levels_] = std::max<std::int64_t>((n + kGroup - 1) / kGroup, 1);
      first_[n_levels_] = n_all;
      n_all += kGroup * n_groups[n_levels_];
      n = n_groups[n_levels_++] - 1;
    } while (n > 0);
    entries_ = Buffer<std::uint32_t>(n_all);
    std::fill_n(entries_.data(), n_all, kMissingKey);
    std::copy(thresholds.begin(), thresholds.end(), entries_.data());
    for (int k = 1; k < n_levels_; ++k)
      for (std::int64_t i = 0; i + 1 < n_groups[k - 1]; ++i)
        entries_[first_[k] + i] = entries_[first_[k - 1] + kGroup * i + kGroup - 1];
  }

  RankLevels levels() const {
    RankLevels levels{{}, n_levels_};
    for (int k = 0; k < n_levels_; ++k) levels.level[k] = entries_.data() + first_[k];
    return levels;
  }

 private:
  static constexpr std::int64_t kGroup = RankLevels::kGroup;
  Buffer<std::uint32_t> entries_;
  std::int64_t first_[RankLevels::kMaxLevels] = {};
  int n_levels_ = 0;
};

// Thresholds in double.
class DoubleTable {
 public:
  DoubleTable() = default;
  // Ascending and all different.
  explicit DoubleTable(std::span<const double> thresholds)
      : thresholds_(static_cast<std::int64_t>(thresholds.size())) {
    Buffer<std::uint32_t> keys(thresholds_.size());
    std::copy(thresholds.begin(), thresholds.end(), thresholds_.data());
    std::transform(thresholds.begin(), thresholds.end(), keys.data(),
                   [](double threshold) { return rough_key_of(threshold); });
    rough_ = RankTable({keys.data(), thresholds.size()});
  }

  std::int64_t size() const { return thresholds_.size(); }
  DoubleLevels levels() const { return {rough_.levels(), thresholds_.data(), size()}; }

 private:
  Buffer<double> thresholds_;
  RankTable rough_;
};

}  // namespace gramian::tree
