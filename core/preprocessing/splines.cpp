#include "preprocessing/splines.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "base/index.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"

namespace gramian::preprocessing {
namespace {

// The values of all splines of a degree that are not 0 in the interval from t[0] to t[1], by the
// recursion of Cox and de Boor: each degree mixes neighbours of the degree below with the shares in
// which x divides their supports.
void basis(double x, const double* t, std::int64_t degree, double* values) {
  values[0] = 1.0;
  for (std::int64_t d = 1; d <= degree; ++d) {
    double saved = 0.0;
    for (std::int64_t r = 0; r < d; ++r) {
      const double right = t[r + 1];
      const double left = t[r + 1 - d];
      const double width = right - left;
      const double fraction = width > 0.0 ? values[r] / width : 0.0;
      values[r] = saved + (right - x) * fraction;
      saved = (x - left) * fraction;
    }
    values[d] = saved;
  }
}

// The remainder of a division that has the sign of the divisor, which is positive.
double remainder_of(double x, double divisor) {
  const double rest = std::fmod(x, divisor);
  return rest < 0.0 ? rest + divisor : std::abs(rest);
}

// The splines of one entry after the other.
class Evaluation {
 public:
  explicit Evaluation(const Splines& splines)
      : splines_(splines),
        degree_(splines.degree),
        values_(at(degree_ + 1)),
        lower_(at(degree_ + 1)) {}

  // False if the entry is refused.
  bool evaluate(double x, std::int64_t column) {
    const double* t = splines_.knots.data + column * splines_.knots.row_stride;
    const std::int64_t last = splines_.knots.n_cols - degree_ - 2;
    const double low = t[degree_];
    const double high = t[last + 1];
    const bool is_missing = x != x;
    if (is_missing) x = low;
    if (splines_.beyond == Beyond::periodic)
      x = high > low ? low + remainder_of(x - low, high - low) : low;
    const double inside = std::min(std::max(x, low), high);
    if (splines_.beyond == Beyond::refused && x != inside) return false;
    const double place = splines_.beyond == Beyond::continued ? x : inside;
    const double* interval = std::upper_bound(t + degree_ + 1, t + last + 1, place) - 1;
    first_ = interval - t - degree_;
    basis(place, interval, degree_, values_.data());
    if (splines_.beyond == Beyond::linear && degree_ > 0 && x != inside)
      add_line(x - inside, inside, interval);
    if (is_missing) std::ranges::fill(values_, 0.0);
    return true;
  }

  double value(std::int64_t r) const { return values_[at(r)]; }

  // The number of the spline among those of the column.
  std::int64_t spline(std::int64_t r) const {
    const std::int64_t number = first_ + r;
    return number < splines_.n_splines ? number : number % splines_.n_splines;
  }

 private:
  // Adds `step` times the derivatives.
  void add_line(double step, double x, const double* t) {
    basis(x, t, degree_ - 1, lower_.data());
    for (std::int64_t r = 0; r < degree_; ++r) {
      const double width = t[r + 1] - t[r + 1 - degree_];
      const double share = width > 0.0 ? lower_[at(r)] / width : 0.0;
      const double slope = static_cast<double>(degree_) * share;
      values_[at(r)] -= step * slope;
      values_[at(r + 1)] += step * slope;
    }
  }

  const Splines& splines_;
  std::int64_t degree_;
  std::int64_t first_ = 0;
  std::vector<double> values_, lower_;
};

// Calls use(evaluation, i, j) for all entries of the rows of a task; false if one is refused.
template <class T, class Use>
bool for_entries(MatrixView<const T> X, const Splines& splines, const Context& ctx,
                 const Use& use) {
  const double cost_ns = 30.0 * static_cast<double>(X.n_rows) * static_cast<double>(X.n_cols);
  const Chunks chunks = Chunks::of_rows(X.n_rows, 1 + (1 << 13) / (1 + X.n_cols));
  std::atomic<bool> is_refused = false;
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t task) {
    Evaluation evaluation(splines);
    for (std::int64_t i = chunks.begin(task); i < chunks.end(task); ++i)
      for (std::int64_t j = 0; j < X.n_cols; ++j) {
        if (!evaluation.evaluate(static_cast<double>(X(i, j)), j)) {
          is_refused = true;
          return;
        }
        use(evaluation, i, j);
      }
  });
  return !is_refused;
}

}  // namespace

template <class T>
bool spline_values(MatrixView<const T> X, const Splines& splines, MatrixView<T> out,
                   const Context& ctx) {
  const std::int64_t n_kept = X.n_cols > 0 ? out.n_cols / X.n_cols : 0;
  return for_entries(X, splines, ctx, [&](const Evaluation& found, std::int64_t i, std::int64_t j) {
    T* row = &out(i, j * n_kept);
    for (std::int64_t k = 0; k < n_kept; ++k) row[k * out.col_stride] = T{};
    for (std::int64_t r = 0; r <= splines.degree; ++r) {
      const std::int64_t k = found.spline(r);
      if (k >= n_kept) continue;
      T& sum = row[k * out.col_stride];  // periodic splines may fall together
      sum = static_cast<T>(static_cast<double>(sum) + found.value(r));
    }
  });
}

template <class T>
bool spline_entries(MatrixView<const T> X, const Splines& splines, std::span<std::int64_t> places,
                    std::span<T> values, const Context& ctx) {
  const std::int64_t width = splines.degree + 1;
  return for_entries(X, splines, ctx, [&](const Evaluation& found, std::int64_t i, std::int64_t j) {
    const std::int64_t begin = (i * X.n_cols + j) * width;
    for (std::int64_t r = 0; r < width; ++r) {
      places[at(begin + r)] = j * splines.n_splines + found.spline(r);
      values[at(begin + r)] = static_cast<T>(found.value(r));
    }
  });
}

#define GRAMIAN_INSTANTIATE(T)                                                                     \
  template bool spline_values(MatrixView<const T>, const Splines&, MatrixView<T>, const Context&); \
  template bool spline_entries(MatrixView<const T>, const Splines&, std::span<std::int64_t>,       \
                               std::span<T>, const Context&);
GRAMIAN_INSTANTIATE(float)
GRAMIAN_INSTANTIATE(double)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::preprocessing
