#include "metrics/neighbour_information.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/index.hpp"
#include "metrics/plane_tree.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"

namespace gramian::metrics {
namespace {

constexpr std::int64_t kTileRows = 4096;
constexpr double kPlaneNs = 1500.0;  // per row of a pair of continuous variables, measured
constexpr double kClassNs = 250.0;   // per row of a continuous and a discrete one

using Doubles = std::vector<double>;

// fn(j) for every problem: side by side where there are enough, else threads share each one.
template <class Function>
void for_each_problem(std::int64_t n_problems, double cost_ns, const Context& ctx, Function&& fn) {
  if (n_problems >= ctx.n_threads)
    parallel_for(ctx, n_problems, cost_ns, fn);
  else
    for (std::int64_t j = 0; j < n_problems; ++j) fn(j);
}

// The sum of term(i) over n rows, in an order that does not depend on the number of threads;
// `make_term` makes the function for one chunk, with scratch of its own.
template <class MakeTerm>
double sum_rows(std::int64_t n, double row_ns, const Context& ctx, MakeTerm&& make_term) {
  return parallel_reduce(
      ctx, Tiles::of_rows(n, kTileRows), row_ns * static_cast<double>(n),
      [&](std::int64_t begin, std::int64_t end) {
        ctx.check();
        auto term = make_term();
        double sum = 0.0;
        for (std::int64_t i = begin; i < end; ++i) sum += term(i);
        return sum;
      },
      [](double& total, double next) { total += next; });
}

// The largest distance less than `distance`, 0 for 0: what is strictly closer is within it.
double just_below(double distance) { return std::nextafter(distance, 0.0); }

// How many of the sorted values are at most `radius` from `centre`, as the distances are rounded.
std::int64_t count_within(std::span<const double> sorted, double centre, double radius) {
  const auto first = std::partition_point(sorted.begin(), sorted.end(),
                                          [&](double value) { return centre - value > radius; });
  const auto last = std::partition_point(first, sorted.end(),
                                         [&](double value) { return value - centre <= radius; });
  return last - first;
}

// As count_within, where centre = sorted[place]: few steps if few are counted.
std::int64_t count_around(std::span<const double> sorted, std::int64_t place, double radius) {
  const double centre = sorted[at(place)];
  const auto n = static_cast<std::int64_t>(sorted.size());
  std::int64_t low = place, high = place;
  for (std::int64_t step = 1; low > 0 && centre - sorted[at(low)] <= radius; step *= 2)
    low = std::max<std::int64_t>(0, low - step);
  for (std::int64_t step = 1; high < n - 1 && sorted[at(high)] - centre <= radius; step *= 2)
    high = std::min(n - 1, high + step);
  return count_within(sorted.subspan(at(low), at(high - low + 1)), centre, radius);
}

// -- two continuous variables ------------------------------------------------------------------

double continuous_pair(MatrixView<const double> x, std::span<const double> y,
                       std::span<const double> sorted_y, std::int64_t k,
                       std::span<const double> psi, const Context& ctx) {
  const std::int64_t n = x.n_cols;
  Doubles sorted_x(at(n));
  std::vector<Point> points(at(n));
  for (std::int64_t i = 0; i < n; ++i) {
    sorted_x[at(i)] = x(0, i);
    points[at(i)] = {x(0, i), y[at(i)]};
  }
  std::ranges::sort(sorted_x);
  const PlaneTree tree(std::move(points));
  const double sum = sum_rows(n, kPlaneNs, ctx, [&] {
    return [&, nearest = Doubles(at(k))](std::int64_t i) mutable {
      const double radius = just_below(tree.kth_distance(i, nearest));
      const Point& point = tree.points()[at(i)];
      return psi[at(count_within(sorted_x, point.x, radius))] +
             psi[at(count_within(sorted_y, point.y, radius))];
    };
  });
  return psi[at(n)] + psi[at(k)] - sum / static_cast<double>(n);
}

// -- a continuous and a discrete variable -------------------------------------------------------

struct Row {
  double value;
  std::int64_t code;
};

// Rows of the classes that have at least two, by value, and the places of each class in them.
struct SortedClasses {
  Doubles value;
  std::vector<std::int64_t> place;  // class by class
  std::vector<std::int64_t> start;  // of each class in `place`; one more entry at the end

  SortedClasses(MatrixView<const double> x, MatrixView<const std::int64_t> codes,
                std::int64_t n_classes)
      : start(at(n_classes) + 1) {
    std::vector<std::int64_t> size(at(n_classes));
    for (std::int64_t i = 0; i < x.n_cols; ++i) ++size[at(codes(0, i))];
    std::vector<Row> rows;
    for (std::int64_t i = 0; i < x.n_cols; ++i)
      if (size[at(codes(0, i))] > 1) rows.push_back({x(0, i), codes(0, i)});
    std::ranges::sort(rows, {}, &Row::value);
    for (std::int64_t c = 0; c < n_classes; ++c)
      start[at(c) + 1] = start[at(c)] + (size[at(c)] > 1 ? size[at(c)] : 0);
    std::vector<std::int64_t> next(start.begin(), start.end() - 1);
    place.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      value.push_back(rows[i].value);
      place[at(next[at(rows[i].code)]++)] = static_cast<std::int64_t>(i);
    }
  }

  std::int64_t size(std::int64_t c) const { return start[at(c) + 1] - start[at(c)]; }
  double of(std::int64_t c, std::int64_t i) const {  // the i-th smallest value of a class
    return value[at(place[at(start[at(c)] + i)])];
  }
};

// Distance of the i-th smallest value of a class to its k-th nearest other one. The k + 1 nearest
// are next to each other; `first`, where they begin, only rises from one i to the next.
double kth_distance(const SortedClasses& rows, std::int64_t c, std::int64_t i, std::int64_t k,
                    std::int64_t& first) {
  const double value = rows.of(c, i);
  first = std::max(first, i - k);
  while (first < i && first + k + 1 < rows.size(c) &&
         rows.of(c, first + k + 1) - value < value - rows.of(c, first))
    ++first;
  return std::max(value - rows.of(c, first), rows.of(c, first + k) - value);
}

// The same where most of the class are neighbours. scikit-learn then expands the square of the
// distance; its rounding decides whether the k-th neighbour itself is counted, and so does ours.
double expanded_kth_distance(const SortedClasses& rows, std::int64_t c, std::int64_t i,
                             std::int64_t k, Doubles& squares) {
  const double value = rows.of(c, i);
  squares.clear();
  for (std::int64_t j = 0; j < rows.size(c); ++j) {
    const double other = rows.of(c, j);
    const double square = value * value + -2.0 * (value * other) + other * other;
    if (j != i) squares.push_back(std::max(square, 0.0));
  }
  std::ranges::nth_element(squares, squares.begin() + (k - 1));
  return std::sqrt(squares[at(k - 1)]);
}

Doubles class_radii(const SortedClasses& rows, std::int64_t c, std::int64_t k) {
  const std::int64_t n = rows.size(c);
  Doubles radii(at(n)), scratch;
  std::int64_t first = 0;
  for (std::int64_t i = 0; i < n; ++i)
    radii[at(i)] = just_below(k >= n / 2 ? expanded_kth_distance(rows, c, i, k, scratch)
                                         : kth_distance(rows, c, i, k, first));
  return radii;
}

double class_pair(MatrixView<const double> x, MatrixView<const std::int64_t> codes,
                  std::int64_t n_classes, std::int64_t k, std::span<const double> psi,
                  const Context& ctx) {
  const SortedClasses rows(x, codes, n_classes);
  const auto n = static_cast<std::int64_t>(rows.value.size());
  if (n == 0) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0.0;
  for (std::int64_t c = 0; c < n_classes; ++c) {
    const std::int64_t size = rows.size(c);
    if (size == 0) continue;
    const std::int64_t class_k = std::min(k, size - 1);
    const Doubles radii = class_radii(rows, c, class_k);
    const double counted = sum_rows(size, kClassNs, ctx, [&] {
      return [&](std::int64_t i) {
        return psi[at(
            count_around(rows.value, rows.place[at(rows.start[at(c)] + i)], radii[at(i)]))];
      };
    });
    sum += static_cast<double>(size) * (psi[at(class_k)] - psi[at(size)]) - counted;
  }
  return psi[at(n)] + sum / static_cast<double>(n);
}

}  // namespace

void continuous_information(MatrixView<const double> x, std::span<const double> y, std::int64_t k,
                            std::span<const double> psi, std::span<double> out,
                            const Context& ctx) {
  Doubles sorted_y(y.begin(), y.end());
  std::ranges::sort(sorted_y);
  const double cost_ns = kPlaneNs * static_cast<double>(x.n_rows) * static_cast<double>(x.n_cols);
  for_each_problem(x.n_rows, cost_ns, ctx, [&](std::int64_t j) {
    out[at(j)] = continuous_pair(x.rows(j, j + 1), y, sorted_y, k, psi, ctx);
  });
}

void class_information(MatrixView<const double> x, MatrixView<const std::int64_t> codes,
                       std::int64_t n_classes, std::int64_t k, std::span<const double> psi,
                       std::span<double> out, const Context& ctx) {
  const auto row_of = [](const auto& matrix, std::int64_t j) {
    const std::int64_t row = matrix.n_rows == 1 ? 0 : j;
    return matrix.rows(row, row + 1);
  };
  const auto n_problems = static_cast<std::int64_t>(out.size());
  const double cost_ns = kClassNs * static_cast<double>(n_problems) * static_cast<double>(x.n_cols);
  for_each_problem(n_problems, cost_ns, ctx, [&](std::int64_t j) {
    out[at(j)] = class_pair(row_of(x, j), row_of(codes, j), n_classes, k, psi, ctx);
  });
}

}  // namespace gramian::metrics
