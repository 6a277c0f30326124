// The best of several candidates by their scores. One that is not a number never wins, nor does
// minus infinity, which says that a candidate is not allowed: so there may be no best one.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace gramian {

// The number i in [0, n) with the highest score_of(i); of equal ones the first.
template <class ScoreOf>
std::optional<std::int64_t> arg_max(std::int64_t n, const ScoreOf& score_of) {
  std::optional<std::int64_t> best;
  double highest = -std::numeric_limits<double>::infinity();
  for (std::int64_t i = 0; i < n; ++i) {
    const double score = score_of(i);
    if (!(score > highest)) continue;
    highest = score;
    best = i;
  }
  return best;
}

// The first whose score is at most `noise` below the highest one.
template <class ScoreOf>
std::optional<std::int64_t> first_near_max(std::int64_t n, const ScoreOf& score_of, double noise) {
  const auto best = arg_max(n, score_of);
  if (!best) return best;
  const double least = score_of(*best) - noise;
  for (std::int64_t i = 0; i < *best; ++i)
    if (score_of(i) >= least) return i;
  return best;
}

}  // namespace gramian
