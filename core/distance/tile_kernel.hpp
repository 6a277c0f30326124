// One tile of a distance matrix: kTileRows rows of X against kTilePanels panels of Y.
//
// A panel holds kPanelRows rows of Y side by side: entry k of row l stands at [k * kPanelRows + l].
// Every pair is summed over the features in their order, one fused multiply-add each, so that its
// distance depends on the two rows alone: not on the instruction set, the tile or the neighbours,
// and d(x, y) has the bits of d(y, x).
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace gramian::distance {

enum class Metric {
  dot,            // sum x y
  sqeuclidean,    // sum (x - y)^2
  euclidean,      // its root
  cosine,         // 1 - sum x y of rows of length 1, within [0, 2]
  manhattan,      // sum |x - y|
  chebyshev,      // max |x - y|
  minkowski,      // (sum |x - y|^power)^(1 / power)
  nan_euclidean,  // the root of n / m times the sum of (x - y)^2 over the m features without NaN
  chi2            // sum (x - y)^2 / (x + y), 0 / 0 = 0
};

inline constexpr int kPanelRows = 8;
inline constexpr int kTileRows = 8;
inline constexpr int kTilePanels = 12;
inline constexpr int kTileCols = kPanelRows * kTilePanels;

// A squared distance is ||x||^2 + ||y||^2 - 2 x'y where that is at least this share of the norms'
// sum, so that no more than 8 bits are lost; smaller ones are summed from the differences.
inline constexpr double kCancelled = 1.0 / 256.0;

struct TileOperands {
  Metric metric;
  double power;           // of minkowski
  const double* x;        // kTileRows adjacent rows
  const double* y;        // adjacent panels
  const double* x_norms;  // squared, of each row; null: Euclidean distances from the differences
  const double* y_norms;  // squared, of each row
  std::int64_t n_features;
  std::int64_t n_panels;  // at most kTilePanels
};

}  // namespace gramian::distance

namespace gramian {

// tile[i * kTileCols + j] = distance of row i of X and row j of Y.
GRAMIAN_DECLARE_KERNEL(void compute_tile(const distance::TileOperands& operands, double* tile))

// The squared norm of each row, with the bits of its inner product with itself in a tile.
GRAMIAN_DECLARE_KERNEL(void panel_norms(const double* panel, std::int64_t n_features, double* out))
GRAMIAN_DECLARE_KERNEL(double row_norm(const double* row, std::int64_t n_features))

}  // namespace gramian
