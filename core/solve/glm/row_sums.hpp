// Folds over the rows in an order that depends on their number only: the same bits for any number
// of threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/context.hpp"
#include "parallel/tiles.hpp"

namespace gramian::solve {

inline constexpr std::int64_t kFoldRows = 8192;
inline constexpr double kFoldRowNs = 3.0;  // a row's few products and a division

template <class Partial, class Row, class Combine>
Partial fold_rows(std::int64_t n, Partial first, const Row& row, const Combine& combine,
                  const Context& ctx, double row_ns = kFoldRowNs) {
  const auto of_tile = [&](std::int64_t begin, std::int64_t end) {
    Partial partial = first;
    for (std::int64_t i = begin; i < end; ++i) row(static_cast<std::size_t>(i), partial);
    return partial;
  };
  return parallel_reduce(ctx, Tiles::of_rows(n, kFoldRows), row_ns * static_cast<double>(n),
                         of_tile, combine);
}

// row(i, sums) adds the terms of row i to N sums.
template <std::size_t N, class Row>
std::array<double, N> sum_rows(std::int64_t n, const Row& row, const Context& ctx,
                               double row_ns = kFoldRowNs) {
  const auto combine = [](std::array<double, N>& total, const std::array<double, N>& next) {
    for (std::size_t k = 0; k < N; ++k) total[k] += next[k];
  };
  return fold_rows(n, std::array<double, N>{}, row, combine, ctx, row_ns);
}

// row(i, largest) raises N maxima, none below zero.
template <std::size_t N, class Row>
std::array<double, N> max_rows(std::int64_t n, const Row& row, const Context& ctx) {
  const auto combine = [](std::array<double, N>& total, const std::array<double, N>& next) {
    for (std::size_t k = 0; k < N; ++k) total[k] = std::max(total[k], next[k]);
  };
  return fold_rows(n, std::array<double, N>{}, row, combine, ctx);
}

}  // namespace gramian::solve
