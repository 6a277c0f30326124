// What pulls the points of an embedding together: the affinities of their rows.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"
#include "manifold/forces_kernel.hpp"
#include "manifold/planes.hpp"

namespace gramian::manifold {

// Either of some pairs, as compressed rows, or of all, in a square matrix.
struct Affinities {
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> places;
  std::span<const float> values;
  MatrixView<const float> all;

  AffinityRow row(std::int64_t i) const;
  std::int64_t n_rows() const;
  std::int64_t n_pairs() const;
};

// forces = sum_j p_ij q (y_i - y_j) of each point.
void attract_points(const Affinities& affinities, const Planes& points, Planes& forces,
                    const Context& ctx);

// sum p log p, and sum p log(1 / w), over all pairs.
double negative_entropy_of(const Affinities& affinities, const Context& ctx);
double energy_of(const Affinities& affinities, const Planes& points, const Context& ctx);

}  // namespace gramian::manifold
