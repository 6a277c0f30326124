// Mean shift with a flat kernel (Comaniciu & Meer 2002): a seed moves to the mean of the rows
// within a bandwidth of it, until it rests.
//
// The rows stand in a k-d tree. A node whose box lies wholly within the bandwidth gives the sum of
// its rows at once, so that a step costs as many leaves as the sphere's surface cuts. Sums are
// taken about the middle of the rows, so that a common offset costs no digits. A seed's way depends
// on the tree and the seed alone.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"
#include "distance/kd_tree/tree.hpp"

namespace gramian::cluster {

struct MeanShiftRule {
  double bandwidth;
  std::int64_t max_iter;
};

struct ShiftedSeeds {
  MatrixView<double> means;            // the seeds, which move; C-contiguous
  std::span<std::int64_t> n_within;    // rows within the bandwidth of where the last step began
  std::span<std::int64_t> n_iter;      // steps but the last
  std::span<std::uint8_t> is_settled;  // the last step was within 1e-3 of the bandwidth
};

// A seed near no row stays, with n_within zero. Past the deadline seeds stay where they are.
void shift_to_means(const distance::KdTree& tree, const MeanShiftRule& rule,
                    const ShiftedSeeds& out, const Context& ctx);

// keeps[i]: row i of Y, in their order, is not within the radius of a row that is kept.
void keep_apart(MatrixView<const double> Y, const distance::KdTree& tree, double radius,
                std::span<std::uint8_t> keeps, const Context& ctx);

}  // namespace gramian::cluster
