#include "distance/filter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/index.hpp"
#include "parallel/tiles.hpp"

namespace gramian::distance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnit = 0x1p-24;        // of rounding to float32
constexpr double kLargestNorm = 0x1p40;  // of a row of X, where entries of Y are at most 1
constexpr std::int64_t kMostFeatures = 1 << 22;
constexpr std::int64_t kManyFeatures = 256;  // fewer columns at a time
constexpr std::int64_t kSampledRows = 1024;
constexpr int kLargestExponent = 1000;

std::int64_t n_panels_of(std::int64_t n_rows) { return (n_rows + kFilterLanes - 1) / kFilterLanes; }

// A power of two that brings the largest entry between 1/2 and 1.
double scale_for(double largest) {
  if (largest <= 0.0) return 1.0;
  return std::ldexp(1.0, std::clamp(-std::ilogb(largest) - 1, -kLargestExponent, kLargestExponent));
}

constexpr std::int64_t kSizeLanes = 8;

// The largest of many sizes, in lanes that do not wait for each other.
struct SizeLanes {
  double most[kSizeLanes] = {};
  double zero[kSizeLanes] = {};  // NaN after NaN or infinity

  void see(std::int64_t lane, double size) {
    most[lane] = size > most[lane] ? size : most[lane];
    zero[lane] += 0.0 * size;
  }

  double largest() const {
    for (const double z : zero)
      if (z != 0.0) return kInfinity;
    return *std::max_element(most, most + kSizeLanes);
  }
};

}  // namespace

float rounded_up_to_float(double x) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  if (!(x < static_cast<double>(kLargest))) return kLargest;
  const auto rounded = static_cast<float>(x);
  return static_cast<double>(rounded) < x ? std::nextafter(rounded, kLargest) : rounded;
}

template <class T>
FilterRows<T>::FilterRows(MatrixView<const T> Y, Filter filter, const Context& ctx)
    : Y_(Y), shift_(at(Y.n_cols)), beta_(2.0 * static_cast<double>(Y.n_cols + 4) * kUnit) {
  if (Y.n_rows > std::numeric_limits<std::int32_t>::max())
    throw InvalidArgument("a search takes fewer than 2^31 rows");
  if (filter == Filter::off || Y.n_cols > kMostFeatures) return;
  choose_shift();
  const double largest = largest_entry(ctx);
  is_usable_ = std::isfinite(largest);
  if (!is_usable_) return;
  set_scale(scale_for(largest));
  pack_panels(ctx);
}

template <class T>
FilterRows<T>::FilterRows(MatrixView<const T> Y, const Frame& frame, const Context& ctx)
    : Y_(Y), shift_(frame.shift), beta_(2.0 * static_cast<double>(Y.n_cols + 4) * kUnit) {
  set_scale(frame.scale);
  is_usable_ = scale_ > 0.0 && largest_entry(ctx) * scale_ <= kLargestNorm;
  if (is_usable_) pack_panels(ctx);
}

template <class T>
Frame FilterRows<T>::frame_of(MatrixView<const T> X, const Context& ctx) {
  FilterRows rows(X, Filter::off, ctx);
  Frame frame{std::vector<double>(at(X.n_cols)), 0.0};
  if (X.n_cols > kMostFeatures) return frame;
  rows.choose_shift();
  const double largest = rows.largest_entry(ctx);
  if (std::isfinite(largest)) frame = {rows.shift_, scale_for(largest)};
  return frame;
}

// Of the shifted rows; infinite if an entry is not finite.
template <class T>
double FilterRows<T>::largest_entry(const Context& ctx) const {
  const double cost_ns = 0.5 * static_cast<double>(n_rows() * n_features());
  return parallel_reduce_exact(
      ctx, Chunks::of_rows(n_rows(), 4096), cost_ns,
      [&](std::int64_t begin, std::int64_t end) {
        SizeLanes sizes;
        for (std::int64_t i = begin; i < end; ++i) {
          const auto size_at = [&](std::int64_t k) {
            return std::abs(static_cast<double>(Y_(i, k)) - shift_[at(k)]);
          };
          std::int64_t k = 0;
          for (; k + kSizeLanes <= n_features(); k += kSizeLanes)
            for (std::int64_t l = 0; l < kSizeLanes; ++l) sizes.see(l, size_at(k + l));
          for (; k < n_features(); ++k) sizes.see(k % kSizeLanes, size_at(k));
        }
        return sizes.largest();
      },
      [](double& total, double next) { total = std::max(total, next); });
}

template <class T>
void FilterRows<T>::pack_panels(const Context& ctx) {
  const std::int64_t n_panels = n_panels_of(n_rows());
  panels_ = Buffer<float>(n_panels * kFilterLanes * n_features());
  half_norms_ = Buffer<float>(n_panels * kFilterLanes);
  slack_ = Buffer<float>(n_panels * kFilterLanes);
  const Chunks chunks = Chunks::of_rows(n_panels, 64);
  const double cost_ns = static_cast<double>(n_rows() * n_features());
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t task) {
    for (std::int64_t v = chunks.begin(task); v < chunks.end(task); ++v) pack_panel(v);
  });
}

// The mean of some rows. Any vector would do; this one makes the norms, and with them the bounds,
// small.
template <class T>
void FilterRows<T>::choose_shift() {
  const std::int64_t step = std::max<std::int64_t>(Y_.n_rows / kSampledRows, 1);
  double count = 0.0;
  for (std::int64_t i = 0; i < Y_.n_rows; i += step, count += 1.0)
    for (std::int64_t k = 0; k < Y_.n_cols; ++k) shift_[at(k)] += static_cast<double>(Y_(i, k));
  for (double& mean : shift_) mean /= std::max(count, 1.0);
}

template <class T>
void FilterRows<T>::pack_panel(std::int64_t panel) {
  float* out = panels_.data() + panel * kFilterLanes * n_features();
  for (std::int64_t l = 0; l < kFilterLanes; ++l) {
    const std::int64_t row = panel * kFilterLanes + l;
    double square = 0.0;
    for (std::int64_t k = 0; k < n_features(); ++k) {
      const double value =
          row < n_rows() ? (static_cast<double>(Y_(row, k)) - shift_[at(k)]) * scale_ : 0.0;
      out[k * kFilterLanes + l] = static_cast<float>(value);
      square += value * value;
    }
    const bool is_row = row < n_rows();
    half_norms_[row] = static_cast<float>(is_row ? 0.5 * square * (1.0 - beta_) : kInfinity);
    slack_[row] = rounded_up_to_float(square * beta_);
  }
}

template <class T>
double FilterRows<T>::pack(MatrixView<const T> X, std::int64_t i, float* out) const {
  double square = 0.0;
  for (std::int64_t k = 0; k < n_features(); ++k) {
    const double value = (static_cast<double>(X(i, k)) - shift_[at(k)]) * scale_;
    out[k] = static_cast<float>(value);
    square += value * value;
  }
  if (is_usable_ && square <= kLargestNorm * kLargestNorm) return square;
  std::fill_n(out, n_features(), 0.0F);
  return kInfinity;
}

template <class T>
void FilterRows<T>::set_scale(double scale) {
  scale_ = scale;
  const double in_double = scale_ * 0x1p-537;
  tiny_loss_ = static_cast<double>(n_features() + 4) * (0x1p-140 + in_double * in_double);
}

template <class T>
std::int64_t FilterRows<T>::block_cols(std::int64_t first_col) const {
  return first_col > 0 && n_features() <= kManyFeatures ? kFilterCols : kFilterCols / 4;
}

template <class T>
FilterOperands FilterRows<T>::operands(const float* x, std::int64_t first_col) const {
  const std::int64_t n_left = n_panels_of(n_rows() - first_col);
  return {x,
          panels_.data() + first_col * n_features(),
          half_norms_.data() + first_col,
          n_features(),
          std::min<std::int64_t>(n_left, block_cols(first_col) / kFilterLanes),
          static_cast<std::int32_t>(first_col)};
}

template class FilterRows<float>;
template class FilterRows<double>;

}  // namespace gramian::distance
