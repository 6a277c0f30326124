#include "linalg/cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/arg_max.hpp"
#include "base/index.hpp"
#include "linalg/panels_kernel.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::linalg {
namespace {

constexpr std::int64_t kBlock = 64;       // columns eliminated at once; at most kBlockRows
constexpr std::int64_t kTilePanels = 16;  // panels per task of the trailing update
constexpr double kFlopsPerNs = 40.0;

double one_norm(const double* A, std::int64_t n) {
  double norm = 0.0;
  for (std::int64_t i = 0; i < n; ++i) {
    double sum = 0.0;
    for (std::int64_t j = 0; j < n; ++j) sum += std::abs(A[i * n + j]);
    norm = std::max(norm, sum);
  }
  return norm;
}

double absolute_sum(std::span<const double> x) {
  double sum = 0.0;
  for (const double value : x) sum += std::abs(value);
  return sum;
}

}  // namespace

std::optional<Cholesky> Cholesky::factor(const double* A, std::int64_t n, const Context& ctx) {
  Cholesky result(n, n_panels(n) * kLanes, one_norm(A, n));
  if (!std::isfinite(result.norm_)) return std::nullopt;
  std::fill(result.L_.begin(), result.L_.end(), 0.0);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j; i < n; ++i) result.L_[j * result.ld_ + i] = -A[j * n + i];
  for (std::int64_t k = 0; k < n; k += kBlock) {
    ctx.check();
    const std::int64_t size = std::min(kBlock, n - k);
    if (!result.factor_block(k, size)) return std::nullopt;
    if (k + size < n) result.eliminate(k, size, ctx);
  }
  return result;
}

// The block on the diagonal, column by column.
bool Cholesky::factor_block(std::int64_t k, std::int64_t size) {
  double* block = L_.data() + k * ld_ + k;
  for (std::int64_t j = 0; j < size; ++j)
    for (std::int64_t i = j; i < size; ++i) block[j * ld_ + i] = -block[j * ld_ + i];
  for (std::int64_t j = 0; j < size; ++j) {
    double* column = block + j * ld_;
    if (!(column[j] > 0.0)) return false;
    const double root = std::sqrt(column[j]);
    column[j] = root;
    for (std::int64_t i = j + 1; i < size; ++i) column[i] /= root;
    for (std::int64_t m = j + 1; m < size; ++m)
      for (std::int64_t i = m; i < size; ++i) block[m * ld_ + i] -= column[i] * column[m];
  }
  return true;
}

// The rows below the block: L21 = A21 L11^-T, then -A22 += L21 L21'. Column i of the packed block
// is row i of L21.
void Cholesky::eliminate(std::int64_t k, std::int64_t size, const Context& ctx) {
  const std::int64_t first = k + size;
  const std::int64_t panel_count = n_panels(n_ - first);
  Buffer<double> panels(panel_count * kPanelStride);
  const std::vector<double> minus_one(static_cast<std::size_t>(size), -1.0);
  const Chunks tiles = Chunks::of_rows(panel_count, kTilePanels);
  const auto rows = static_cast<double>(n_ - first);
  const auto depth = static_cast<double>(size);

  parallel_for(ctx, tiles.count(), rows * depth * depth / kFlopsPerNs, [&](std::int64_t task) {
    const std::int64_t begin = first + tiles.begin(task) * kLanes;
    const std::int64_t end = std::min(first + tiles.end(task) * kLanes, n_);
    double* at = panels.data() + tiles.begin(task) * kPanelStride;
    PackSource<double> source{L_.data() + k * ld_ + begin, ld_, 1, size, end - begin};
    source.row_scale = minus_one.data();
    GRAMIAN_DISPATCH(pack_panels, source, at);
    GRAMIAN_DISPATCH(solve_lower, L_.data() + k * ld_ + k, ld_, size, at,
                     tiles.end(task) - tiles.begin(task));
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t c = i - begin;
      const double* column = at + (c / kLanes) * kPanelStride + c % kLanes;
      for (std::int64_t m = 0; m < size; ++m) L_[(k + m) * ld_ + i] = column[m * kLanes];
    }
  });

  const std::int64_t n_pairs = tiles.count() * (tiles.count() + 1) / 2;
  parallel_for(ctx, n_pairs, rows * rows * depth / kFlopsPerNs, [&](std::int64_t task) {
    std::int64_t a = 0;
    std::int64_t b = task;
    while (b > a) b -= ++a;  // task = a (a + 1) / 2 + b with b <= a
    const double* left = panels.data() + tiles.begin(a) * kPanelStride;
    double* acc =
        L_.data() + (first + tiles.begin(b) * kLanes) * ld_ + first + tiles.begin(a) * kLanes;
    const std::int64_t n_left = tiles.end(a) - tiles.begin(a);
    if (a == b)
      GRAMIAN_DISPATCH(add_gram, left, n_left, size, acc, ld_);
    else
      GRAMIAN_DISPATCH(add_product, left, n_left, panels.data() + tiles.begin(b) * kPanelStride,
                       tiles.end(b) - tiles.begin(b), size, acc, ld_);
  });
}

void Cholesky::solve(std::span<double> x) const {
  for (std::int64_t j = 0; j < n_; ++j) {
    const double* column = L_.data() + j * ld_;
    double& xj = x[static_cast<std::size_t>(j)];
    xj /= column[j];
    for (std::int64_t i = j + 1; i < n_; ++i) x[static_cast<std::size_t>(i)] -= xj * column[i];
  }
  for (std::int64_t j = n_ - 1; j >= 0; --j) {
    const double* column = L_.data() + j * ld_;
    double sum = x[static_cast<std::size_t>(j)];
    for (std::int64_t i = j + 1; i < n_; ++i) sum -= column[i] * x[static_cast<std::size_t>(i)];
    x[static_cast<std::size_t>(j)] = sum / column[j];
  }
}

// Hager's method for |A^-1|_1: climb x -> |A^-1 x|_1 over the corners of the unit ball. A is
// symmetric, so the transposed solves are the same. Higham's alternating vector guards against the
// few matrices on which the climb stops at once.
double Cholesky::rcond() const {
  if (n_ == 0 || norm_ == 0.0) return n_ == 0 ? 1.0 : 0.0;
  const auto n = static_cast<std::size_t>(n_);
  std::vector<double> x(n, 1.0 / static_cast<double>(n));
  double estimate = 0.0;
  for (int step = 0; step < 5; ++step) {
    solve(x);
    const double size = absolute_sum(x);
    if (step > 0 && !(size > estimate)) break;
    estimate = size;
    for (double& value : x) value = std::copysign(1.0, value);
    solve(x);
    const auto corner = arg_max(n_, [&](std::int64_t i) { return std::abs(x[at(i)]); });
    if (!corner) return 0.0;
    std::fill(x.begin(), x.end(), 0.0);
    x[at(*corner)] = 1.0;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double magnitude =
        1.0 + static_cast<double>(i) / static_cast<double>(std::max<std::size_t>(n - 1, 1));
    x[i] = i % 2 == 0 ? magnitude : -magnitude;
  }
  solve(x);
  estimate = std::max(estimate, 2.0 * absolute_sum(x) / (3.0 * static_cast<double>(n)));
  const double product = norm_ * estimate;
  return std::isfinite(product) ? 1.0 / product : 0.0;
}

}  // namespace gramian::linalg
