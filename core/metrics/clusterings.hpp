// What two clusterings share by chance.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"

namespace gramian::metrics {

// Distinct sizes of the clusters of one clustering, and how many clusters have each.
struct ClusterSizes {
  std::span<const std::int64_t> size;   // positive
  std::span<const std::int64_t> count;  // as long as size
};

// The mean of the mutual information (in nats) over all pairs of clusterings of n_samples rows with
// clusters of these sizes: the cell of clusters of sizes a and b has a hypergeometric count. O(1)
// memory, and time in proportion to the standard deviations of the cells. No size exceeds
// n_samples.
double expected_mutual_information(const ClusterSizes& a, const ClusterSizes& b,
                                   std::int64_t n_samples, const Context& ctx);

}  // namespace gramian::metrics
