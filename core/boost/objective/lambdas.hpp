// LambdaMART (Burges, 2010): derivatives for ranking, from pairs of rows of one query.
//
// A pair in which row i is more relevant than row j adds, with p = 1 / (1 + exp(s_i - s_j)),
//
//   lambda = p |change of the measure if the two changed places|
//
// to the score's wish to rise of i and to fall of j, and p (1 - p) times that change to the
// hessians of both.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"

namespace gramian::boost {

enum class RankMeasure {
  ndcg,   // discounted cumulative gain with the gains 2^relevance - 1, of that of the best order
  map,    // average precision; relevance above zero counts as relevant
  pairs,  // none: every pair counts alike
};

struct RankObjective {
  RankMeasure measure = RankMeasure::ndcg;
  // Pairs with at least one row among so many first ones count. The measure itself sees these
  // alone; what a pair changes is counted at all places.
  std::int64_t truncation = 30;
  bool normalises = true;  // divides by the pairs' sum, so that long queries do not outweigh others
  bool divides_by_gap = false;  // divides each change by 0.01 + |s_i - s_j|, once scores differ

  // Rows of query q are offsets[q] .. offsets[q + 1].
  void differentiate(std::span<const double> relevance, std::span<const std::int64_t> offsets,
                     std::span<const double> scores, std::span<float> gradient,
                     std::span<float> hessian, const Context& ctx) const;

  // The measure of each query; a query in which nothing is relevant counts as `empty_value`.
  void evaluate(std::span<const double> relevance, std::span<const std::int64_t> offsets,
                std::span<const double> scores, double empty_value, std::span<double> values,
                const Context& ctx) const;
};

}  // namespace gramian::boost
