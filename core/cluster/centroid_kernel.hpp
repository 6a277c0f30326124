// Kernels of k-means: rows of X in lanes, centres broadcast, so that the nearest centre and the
// runner-up of sixteen rows are found without looking across lanes.
//
// A panel holds kRowLanes rows of X side by side: entry k of row l stands at [k * kRowLanes + l].
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian::cluster {

inline constexpr int kRowLanes = 16;
inline constexpr int kTrialLanes = 8;

// Centres in the panels of distance::FilterRows, against n_panels adjacent panels of rows.
struct CentreScores {
  const float* x;
  const float* centres;
  const float* half_norms;  // infinite beyond the last centre
  std::int64_t n_panels;
  std::int64_t n_features;
  std::int64_t n_centres;
};

// For each row the two least scores ||c||^2 / 2 - x'c, and the first centre of the least.
struct NearestTwo {
  float* best;
  float* second;
  float* centre;
};

template <class T>
struct LabelledRows {
  const T* x;
  std::int64_t row_stride, n_rows, n_features;
  const std::int32_t* labels;
  const double* weight;  // null: all are one
  const double* shift;   // padded with zeros to whole vectors
};

// Sums of clusters of n_features entries, filled up to whole vectors. Row i goes to copy
// i % n_copies, so that rows of one cluster do not wait for each other.
struct PaddedSums {
  double* sums;     // copy after copy, cluster after cluster
  double* weights;  // copy after copy
  std::int64_t n_copies, n_clusters;
};

}  // namespace gramian::cluster

namespace gramian {

GRAMIAN_DECLARE_KERNEL(void nearest_two(const cluster::CentreScores& scores,
                                        const cluster::NearestTwo& out))

// sums[k] += weight (x[k] - shift[k]).
GRAMIAN_DECLARE_KERNEL(void add_shifted(const double* x, const double* shift, double weight,
                                        std::int64_t n, double* sums))
GRAMIAN_DECLARE_KERNEL(void add_shifted(const float* x, const double* shift, double weight,
                                        std::int64_t n, double* sums))

// The same of many rows, each to the sums of its cluster.
GRAMIAN_DECLARE_KERNEL(void add_rows_to_clusters(const cluster::LabelledRows<double>& rows,
                                                 const cluster::PaddedSums& out))
GRAMIAN_DECLARE_KERNEL(void add_rows_to_clusters(const cluster::LabelledRows<float>& rows,
                                                 const cluster::PaddedSums& out))

// ||x - y||^2, summed in eight lanes.
GRAMIAN_DECLARE_KERNEL(double squared_apart(const double* x, const double* y, std::int64_t n))
GRAMIAN_DECLARE_KERNEL(double squared_apart(const float* x, const float* y, std::int64_t n))

// out[i * kTrialLanes + l] = ||x_i - y_l||^2 for the n rows x_i named by places and the rows y_l of
// a panel of kTrialLanes doubles per feature; summed in the order of the features.
GRAMIAN_DECLARE_KERNEL(void trial_distances(const double* x, std::int64_t row_stride,
                                            const std::int32_t* places, std::int64_t n,
                                            const double* panel, std::int64_t n_features,
                                            double* out))
GRAMIAN_DECLARE_KERNEL(void trial_distances(const float* x, std::int64_t row_stride,
                                            const std::int32_t* places, std::int64_t n,
                                            const double* panel, std::int64_t n_features,
                                            double* out))

}  // namespace gramian
