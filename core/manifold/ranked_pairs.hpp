// Pairs of points in the order of their dissimilarities, for scaling that keeps this order only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::manifold {

// The pairs whose dissimilarity is above zero, from the least on. Ties, which rounding alone tells
// apart, have one rank.
class RankedPairs {
 public:
  // Reads what is above the diagonal. O(n^2) after a radix sort, with 32 bytes a pair of scratch.
  RankedPairs(MatrixView<const double> dissimilarities, const Context& ctx);

  std::int64_t n_points() const { return n_points_; }
  std::int64_t n_ranks() const { return static_cast<std::int64_t>(starts_.size()) - 1; }

  // Means over the pairs of each rank of what a matrix holds for them above the diagonal, and
  // numbers of these pairs.
  void means(MatrixView<const double> values, std::span<double> means, std::span<double> counts,
             const Context& ctx) const;

  // Writes scale * of_rank[r] for the pairs of each rank r, above the diagonal and below it. Other
  // entries stay as they are.
  void spread(std::span<const double> of_rank, double scale, MatrixView<double> out,
              const Context& ctx) const;

 private:
  template <class Function>
  void for_each_rank(const Context& ctx, double ns_of_pair, const Function& fn) const;

  std::int64_t n_points_;
  std::vector<std::int64_t> places_;  // pair i < j is i n + j
  std::vector<std::int64_t> starts_;  // where ranks begin in places_, and its end
};

}  // namespace gramian::manifold
