// Clusters by the distances of all pairs, updated by the formulas of Lance and Williams.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "linkage/linkage.hpp"
#include "linkage/slots.hpp"
#include "linkage/triangle.hpp"

namespace gramian::linkage {

// The nearest cluster of each is remembered: for a reducible method it stays so until it merges
// itself, for a union is not nearer to a third cluster than the nearer of its parts.
class Distances {
 public:
  Distances(Triangle& triangle, Method method, const Context& ctx);

  const Slots& slots() const { return slots_; }
  double height(double score) const {
    return is_squared_ ? std::sqrt(std::max(score, 0.0)) : score;
  }
  Nearest nearest(std::int64_t slot, std::int64_t preferred, const Context& ctx);
  void score_all(std::int64_t slot, std::span<double> out, const Context& ctx);
  void merge(std::int64_t first, std::int64_t second, double score, const Context& ctx);

 private:
  void read(std::int64_t place, double* out) const;
  void find_nearest(std::int64_t place, const double* row);
  void combine(double size, double other_size, double score);
  void compact(const Context& ctx);

  Triangle& triangle_;
  Method method_;
  bool is_squared_;
  Slots slots_;
  std::vector<double> sizes_;          // by place, as all that follow
  std::vector<std::int64_t> nearest_;  // a slot, or kNoSlot if that is not known
  std::vector<double> score_of_nearest_;
  std::vector<double> row_, other_row_;
};

}  // namespace gramian::linkage
