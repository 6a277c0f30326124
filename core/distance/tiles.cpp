#include "distance/tiles.hpp"

#include <cmath>

namespace gramian::distance {
namespace {

// Up to so many features the differences cost no more than norms, products and their check.
constexpr std::int64_t kFewFeatures = 4;
constexpr std::int64_t kSampledRows = 1024;
// Where the variance is a smaller share of the squared norms, most pairs would be summed twice.
constexpr double kSpread = 1.0 / 64.0;

bool is_euclidean(Metric metric) {
  return metric == Metric::euclidean || metric == Metric::sqeuclidean;
}

// Whether the rows lie so far from the origin, compared with each other, that norms and inner
// products cancel. A question of speed only: every pair is checked.
template <class T>
bool lies_far_out(MatrixView<const T> Y) {
  const std::int64_t step = std::max<std::int64_t>(Y.n_rows / kSampledRows, 1);
  double squares = 0.0;
  double squared_means = 0.0;
  for (std::int64_t k = 0; k < Y.n_cols; ++k) {
    double sum = 0.0;
    double count = 0.0;
    for (std::int64_t i = 0; i < Y.n_rows; i += step, count += 1.0) {
      const auto value = static_cast<double>(Y(i, k));
      sum += value;
      squares += value * value;
    }
    squared_means += sum * sum / count;
  }
  return squares - squared_means < kSpread * squares;
}

template <class T>
bool norms_pay(Metric metric, MatrixView<const T> Y) {
  return is_euclidean(metric) && Y.n_cols > kFewFeatures && !lies_far_out(Y);
}

// The factor 1 / ||row|| that cosine distances start with; rows of zeros stay zeros.
template <class T>
double divisor_of(Metric metric, MatrixView<const T> rows, std::int64_t i) {
  if (metric != Metric::cosine) return 1.0;
  double square = 0.0;
  for (std::int64_t k = 0; k < rows.n_cols; ++k) {
    const auto value = static_cast<double>(rows(i, k));
    square += value * value;
  }
  return square > 0.0 ? std::sqrt(square) : 1.0;
}

// Row i of `rows` into out[0], out[stride], ...
template <class T>
void pack_row(Metric metric, MatrixView<const T> rows, std::int64_t i, double* out,
              std::int64_t stride) {
  const double divisor = divisor_of(metric, rows, i);
  for (std::int64_t k = 0; k < rows.n_cols; ++k)
    out[k * stride] = static_cast<double>(rows(i, k)) / divisor;
}

std::int64_t rounded_up(std::int64_t n, std::int64_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

}  // namespace

template <class T>
PackedRows::PackedRows(const Measure& measure, MatrixView<const T> Y, const Context& ctx)
    : measure_(measure),
      n_rows_(Y.n_rows),
      n_features_(Y.n_cols),
      uses_norms_(norms_pay(measure.metric, Y)),
      panels_(rounded_up(Y.n_rows, kPanelRows) * Y.n_cols),
      norms_(rounded_up(Y.n_rows, kPanelRows)) {
  const double cost_ns = 1.0 * static_cast<double>(panels_.size());
  const Chunks chunks = Chunks::of_rows(rounded_up(Y.n_rows, kPanelRows) / kPanelRows, 64);
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t task) {
    for (std::int64_t v = chunks.begin(task); v < chunks.end(task); ++v) {
      double* panel = panels_.data() + v * kPanelRows * n_features_;
      for (std::int64_t l = 0; l < kPanelRows; ++l) {
        if (v * kPanelRows + l < n_rows_)
          pack_row(measure.metric, Y, v * kPanelRows + l, panel + l, kPanelRows);
        else
          for (std::int64_t k = 0; k < n_features_; ++k) panel[k * kPanelRows + l] = 0.0;
      }
      GRAMIAN_DISPATCH(panel_norms, panel, n_features_, norms_.data() + v * kPanelRows);
    }
  });
}

TileOperands PackedRows::operands(const double* x, const double* x_norms,
                                  std::int64_t first_col) const {
  const std::int64_t n_left = rounded_up(n_rows_ - first_col, kPanelRows) / kPanelRows;
  return {measure_.metric,
          measure_.power,
          x,
          panels_.data() + first_col * n_features_,
          uses_norms_ ? x_norms : nullptr,
          norms_.data() + first_col,
          n_features_,
          std::min<std::int64_t>(n_left, kTilePanels)};
}

template <class T>
ChunkOfRows::ChunkOfRows(const Measure& measure, MatrixView<const T> rows)
    : n_features_(rows.n_cols),
      values_(Buffer<double>::zeros(rounded_up(rows.n_rows, kTileRows) * rows.n_cols)),
      norms_(Buffer<double>::zeros(rounded_up(rows.n_rows, kTileRows))) {
  for (std::int64_t i = 0; i < rows.n_rows; ++i) {
    double* out = values_.data() + i * n_features_;
    pack_row(measure.metric, rows, i, out, 1);
    norms_[i] = GRAMIAN_DISPATCH(row_norm, out, n_features_);
  }
}

double tiles_cost_ns(const PackedRows& Y, std::int64_t n_rows) {
  const double per_feature = Y.measure().metric == Metric::minkowski ? 15.0 : 0.1;
  return static_cast<double>(n_rows) * static_cast<double>(Y.n_rows()) *
         (1.0 + per_feature * static_cast<double>(Y.n_features()));
}

#define GRAMIAN_INSTANTIATE(T)                                                          \
  template PackedRows::PackedRows(const Measure&, MatrixView<const T>, const Context&); \
  template ChunkOfRows::ChunkOfRows(const Measure&, MatrixView<const T>);
GRAMIAN_INSTANTIATE(float)
GRAMIAN_INSTANTIATE(double)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::distance
