// Which rows a tree is grown on. A row's draw depends on the seed and its number only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gramian::boost {

// Rows in ascending order, and by what their gradients and hessians are multiplied.
struct RowSample {
  std::vector<std::uint32_t> rows;
  std::vector<double> factors;  // one for each of `rows`; empty: all one
};

// n_drawn of n rows without replacement.
RowSample draw_uniform(std::int64_t n, std::int64_t n_drawn, std::uint64_t seed);

// Gradient-based one-side sampling (Ke et al., 2017): the n_top rows of the largest sizes, equal
// ones in their order, and n_other of the rest, which count (n - n_top) / n_other times.
RowSample draw_goss(std::span<const float> sizes, std::int64_t n_top, std::int64_t n_other,
                    std::uint64_t seed);

// Minimal variance sampling (Ibragimov and Gusev, 2019): each row with the probability
// min(1, size / mu), where mu makes n_drawn rows expected; it counts 1 / probability times.
RowSample draw_minimal_variance(std::span<const float> sizes, double n_drawn, std::uint64_t seed);

}  // namespace gramian::boost
