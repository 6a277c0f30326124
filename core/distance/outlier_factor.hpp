// Densities of rows by the distances to their neighbours, for the local outlier factor.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::distance {

// density[i] = 1 / (1e-10 + mean of max(distance(i, c), k_distance[index(i, c)])): the small number
// keeps it finite where all neighbours are copies of the row.
void reachability_density(MatrixView<const double> distance, MatrixView<const std::int64_t> index,
                          std::span<const double> k_distance, std::span<double> density,
                          const Context& ctx);

// factor[i] = mean of density[index(i, c)] / own_density[i].
void outlier_factors(MatrixView<const std::int64_t> index, std::span<const double> density,
                     std::span<const double> own_density, std::span<double> factor,
                     const Context& ctx);

}  // namespace gramian::distance
