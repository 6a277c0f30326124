#include "distance/tile_kernel.hpp"

#include <cmath>

#include "simd/order.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

using distance::kCancelled;
using distance::kPanelRows;
using distance::kTileCols;
using distance::kTileRows;
using distance::Metric;
using distance::TileOperands;
static_assert(kPanelRows == VecD::kLanes);

// Register tiles: rows x panels of accumulators, with 32 registers of 512 bits or 16 of 256.
#if defined(__AVX512F__)
constexpr int kProductRows = 8;
constexpr int kDirectRows = 4;
constexpr int kPanels = 3;
#else
constexpr int kProductRows = 4;
constexpr int kDirectRows = 2;
constexpr int kPanels = 1;
#endif

// -- sums over the features ---------------------------------------------------------------------

template <Metric kMetric>
struct Products {
  VecD sum = VecD::zero();
  void add(VecD x, VecD y, double) { sum = fma(x, y, sum); }
};

template <Metric kMetric>
struct Squares {
  VecD sum = VecD::zero();
  void add(VecD x, VecD y, double) {
    const VecD difference = x - y;
    sum = fma(difference, difference, sum);
  }
};

struct Absolutes {
  VecD sum = VecD::zero();
  void add(VecD x, VecD y, double) { sum = sum + abs(x - y); }
};

struct Largest {
  VecD sum = VecD::zero();
  void add(VecD x, VecD y, double) { sum = max(sum, abs(x - y)); }
};

VecD to_power(VecD base, double power) {
  double lanes[VecD::kLanes];
  base.store(lanes);
  for (double& lane : lanes) lane = std::pow(lane, power);
  return VecD::load(lanes);
}

struct Powers {
  VecD sum = VecD::zero();
  void add(VecD x, VecD y, double power) { sum = sum + to_power(abs(x - y), power); }
};

struct SquaresOfNumbers {
  VecD sum = VecD::zero();
  VecD count = VecD::zero();
  void add(VecD x, VecD y, double) {
    const VecD difference = x - y;
    sum = select_number(difference, fma(difference, difference, sum), sum);
    count = select_number(difference, count + VecD::set1(1.0), count);
  }
};

struct ChiSquares {
  VecD sum = VecD::zero();
  void add(VecD x, VecD y, double) {
    const VecD difference = x - y;
    const VecD total = x + y;
    const VecD square = difference * difference;
    sum = sum + select_less(VecD::zero(), total, square / total, VecD::zero());
  }
};

// -- from a sum to the distance -----------------------------------------------------------------

struct Position {
  int row;    // of the tile
  int panel;  // of the tile
};

// Out of line: pairs that need it are few, and the registers of the others are precious.
[[gnu::noinline]] VecD squares_of_pair(const TileOperands& tile, Position at) {
  Squares<Metric::sqeuclidean> squares;
  const double* x = tile.x + at.row * tile.n_features;
  const double* y = tile.y + at.panel * tile.n_features * kPanelRows;
  for (std::int64_t k = 0; k < tile.n_features; ++k)
    squares.add(VecD::set1(x[k]), VecD::load(y + k * kPanelRows), tile.power);
  return squares.sum;
}

VecD expanded_square(const TileOperands& tile, VecD product, Position at) {
  const VecD norms =
      VecD::set1(tile.x_norms[at.row]) + VecD::load(tile.y_norms + at.panel * kPanelRows);
  const VecD square = fma(VecD::set1(-2.0), product, norms);
  const VecD limit = norms * VecD::set1(kCancelled);
  if (!any_less(square, limit)) return square;
  return select_less(square, limit, squares_of_pair(tile, at), square);
}

// For rows of length 1 the distance is half the square of their Euclidean distance.
VecD cosine_distance(const TileOperands& tile, VecD product, Position at) {
  const VecD one = VecD::set1(1.0);
  const VecD limit = VecD::set1(kCancelled);
  VecD out = min(one - product, VecD::set1(2.0));
  if (any_less(out, limit))
    out = select_less(out, limit, VecD::set1(0.5) * squares_of_pair(tile, at), out);
  return out;
}

template <Metric kMetric>
VecD finish(const TileOperands& tile, const Products<kMetric>& products, Position at) {
  if constexpr (kMetric == Metric::sqeuclidean) return expanded_square(tile, products.sum, at);
  if constexpr (kMetric == Metric::euclidean) return sqrt(expanded_square(tile, products.sum, at));
  if constexpr (kMetric == Metric::cosine) return cosine_distance(tile, products.sum, at);
  return products.sum;
}

template <Metric kMetric>
VecD finish(const TileOperands&, const Squares<kMetric>& squares, Position) {
  return kMetric == Metric::euclidean ? sqrt(squares.sum) : squares.sum;
}

VecD finish(const TileOperands& tile, const Powers& powers, Position) {
  return to_power(powers.sum, 1.0 / tile.power);
}

VecD finish(const TileOperands& tile, const SquaresOfNumbers& squares, Position) {
  const VecD scale = VecD::set1(static_cast<double>(tile.n_features)) / squares.count;
  return sqrt(squares.sum * scale);  // 0 times infinity, NaN, where no feature is left
}

template <class Sum>
VecD finish(const TileOperands&, const Sum& sum, Position) {
  return sum.sum;
}

// -- tiles --------------------------------------------------------------------------------------

template <class Sum, int kRows, int kCount>
void register_tile(const TileOperands& tile, Position at, double* out) {
  const std::int64_t n = tile.n_features;
  const double* x = tile.x + at.row * n;
  const double* y = tile.y + at.panel * n * kPanelRows;
  Sum sums[kRows][kCount];
  for (std::int64_t k = 0; k < n; ++k) {
    VecD right[kCount];
    for (int v = 0; v < kCount; ++v) right[v] = VecD::load(y + (v * n + k) * kPanelRows);
    for (int i = 0; i < kRows; ++i) {
      const VecD left = VecD::set1(x[i * n + k]);
      for (int v = 0; v < kCount; ++v) sums[i][v].add(left, right[v], tile.power);
    }
  }
  for (int i = 0; i < kRows; ++i)
    for (int v = 0; v < kCount; ++v) {
      const Position here{at.row + i, at.panel + v};
      finish(tile, sums[i][v], here).store(out + here.row * kTileCols + here.panel * kPanelRows);
    }
}

// The same for a number of panels known only at run time, at most kCount.
template <class Sum, int kRows, int kCount>
void register_tile_of(std::int64_t count, const TileOperands& tile, Position at, double* out) {
  if constexpr (kCount > 1) {
    if (count < kCount) return register_tile_of<Sum, kRows, kCount - 1>(count, tile, at, out);
  }
  register_tile<Sum, kRows, kCount>(tile, at, out);
}

template <class Sum, int kRows>
void fill(const TileOperands& tile, double* out) {
  for (int row = 0; row < kTileRows; row += kRows)
    for (int panel = 0; panel < tile.n_panels; panel += kPanels)
      register_tile_of<Sum, kRows, kPanels>(tile.n_panels - panel, tile, {row, panel}, out);
}

template <Metric kMetric>
void fill_euclidean(const TileOperands& tile, double* out) {
  if (tile.x_norms)
    fill<Products<kMetric>, kProductRows>(tile, out);
  else
    fill<Squares<kMetric>, kDirectRows>(tile, out);
}

}  // namespace

void compute_tile(const TileOperands& operands, double* tile) {
  switch (operands.metric) {
    case Metric::dot:
      return fill<Products<Metric::dot>, kProductRows>(operands, tile);
    case Metric::cosine:
      return fill<Products<Metric::cosine>, kProductRows>(operands, tile);
    case Metric::sqeuclidean:
      return fill_euclidean<Metric::sqeuclidean>(operands, tile);
    case Metric::euclidean:
      return fill_euclidean<Metric::euclidean>(operands, tile);
    case Metric::manhattan:
      return fill<Absolutes, kDirectRows>(operands, tile);
    case Metric::chebyshev:
      return fill<Largest, kDirectRows>(operands, tile);
    case Metric::minkowski:
      return fill<Powers, kDirectRows>(operands, tile);
    case Metric::nan_euclidean:
      return fill<SquaresOfNumbers, kDirectRows>(operands, tile);
    case Metric::chi2:
      return fill<ChiSquares, kDirectRows>(operands, tile);
  }
}

void panel_norms(const double* panel, std::int64_t n_features, double* out) {
  VecD sum = VecD::zero();
  for (std::int64_t k = 0; k < n_features; ++k) {
    const VecD values = VecD::load(panel + k * kPanelRows);
    sum = fma(values, values, sum);
  }
  sum.store(out);
}

double row_norm(const double* row, std::int64_t n_features) {
  double sum = 0.0;
  for (std::int64_t k = 0; k < n_features; ++k) sum = __builtin_fma(row[k], row[k], sum);
  return sum;
}

}  // namespace gramian::GRAMIAN_ISA
