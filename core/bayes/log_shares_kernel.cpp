#include "bayes/log_shares_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd/mask.hpp"
#include "simd/simd.hpp"
#include "simd/vector_math.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

constexpr std::int64_t kLanes = VecD::kLanes;
constexpr std::int64_t kTileCols = 128;
constexpr double kSmallest = std::numeric_limits<double>::min();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

VecD log_of_lanes(VecD x) {
  const VecD largest = VecD::set1(std::numeric_limits<double>::max());
  if ((less_equal(VecD::set1(kSmallest), x) & less_equal(x, largest)) == 0xff) return log(x);
  double lanes[kLanes];
  x.store(lanes);
  for (double& lane : lanes) lane = log_of(lane);
  return VecD::load(lanes);
}

// The logarithms of `width` columns from j on, of one class.
void logs_of(const LogShares& shares, std::int64_t c, std::int64_t j, std::int64_t width,
             double* logs) {
  const VecD sign = VecD::set1(shares.sign), log_total = VecD::set1(shares.log_total[c]);
  const double* counts = shares.counts + c * shares.n_cols + j;
  const double *base = shares.base + j, *added = shares.added + j;
  std::int64_t l = 0;
  for (; l + kLanes <= width; l += kLanes) {
    const VecD sum =
        fma(sign, VecD::load(counts + l), VecD::load(base + l)) + VecD::load(added + l);
    (sign * (log_of_lanes(sum) - log_total)).store(logs + l);
  }
  for (; l < width; ++l) {
    const double sum = __builtin_fma(shares.sign, counts[l], base[l]) + added[l];
    logs[l] = shares.sign * (log_of(sum) - shares.log_total[c]);
  }
}

void store(VecD x, std::int64_t n, double* out) {
  if (n == kLanes) return x.store(out);
  double lanes[kLanes];
  x.store(lanes);
  for (std::int64_t l = 0; l < n; ++l) out[l] = lanes[l];
}

// Writes n <= 8 classes of the columns of a tile side by side.
void write_columns(const double* tile, std::int64_t n, std::int64_t width, std::int64_t k,
                   double* out) {
  for (std::int64_t l = 0; l < width; l += kLanes) {
    VecD x[kLanes];
    for (std::int64_t c = 0; c < kLanes; ++c) x[c] = VecD::load(tile + c * kTileCols + l);
    transpose(x);
    for (std::int64_t m = 0; m < std::min(kLanes, width - l); ++m)
      store(x[m], n, out + (l + m) * k);
  }
}

}  // namespace

double log_of(double x) {
  if (!(x > 0.0)) return x == 0.0 ? -kInfinity : std::numeric_limits<double>::quiet_NaN();
  if (x == kInfinity) return x;
  double lanes[kLanes];
  log(VecD::set1(x < kSmallest ? x * 0x1p54 : x)).store(lanes);
  return x < kSmallest ? lanes[0] - 54.0 * 0.69314718055994531 : lanes[0];
}

void log_shares(const LogShares& shares, std::int64_t begin, std::int64_t end) {
  alignas(64) double tile[kLanes * kTileCols] = {};
  const std::int64_t k = shares.n_classes;
  for (std::int64_t j = begin; j < end; j += kTileCols) {
    const std::int64_t width = std::min(kTileCols, end - j);
    for (std::int64_t first = 0; first < k; first += kLanes) {
      const std::int64_t n = std::min(kLanes, k - first);
      for (std::int64_t c = 0; c < n; ++c)
        logs_of(shares, first + c, j, width, tile + c * kTileCols);
      write_columns(tile, n, width, k, shares.out + j * k + first);
    }
  }
}

}  // namespace gramian::GRAMIAN_ISA
