// Nearest rows and rows within a radius: every index and every bit of a distance as of a loop over
// all pairs in float64.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "check.hpp"
#include "distance/neighbours.hpp"
#include "linalg/linalg_data.hpp"

using gramian::MatrixView;
using gramian::distance::Order;
using gramian::distance::Self;
using test::at;
using test::context_with;
using test::Layout;

namespace {

using Doubles = std::vector<double>;
using Pair = std::pair<double, std::int64_t>;

struct Answer {
  std::vector<std::int64_t> index;
  Doubles distance;
  bool operator==(const Answer&) const = default;
};

template <class T>
double square(MatrixView<const T> X, std::int64_t i, MatrixView<const T> Y, std::int64_t j) {
  double sum = 0.0;
  for (std::int64_t k = 0; k < X.n_cols; ++k) {
    const double gap = static_cast<double>(X(i, k)) - static_cast<double>(Y(j, k));
    sum = std::fma(gap, gap, sum);
  }
  return sum;
}

template <class T>
std::vector<Pair> all_of(MatrixView<const T> X, std::int64_t i, MatrixView<const T> Y, Self self) {
  std::vector<Pair> pairs;
  for (std::int64_t j = 0; j < Y.n_rows; ++j)
    if (self == Self::counts || i != j) pairs.emplace_back(square(X, i, Y, j), j);
  return pairs;
}

template <class T>
Answer naive_nearest(MatrixView<const T> X, MatrixView<const T> Y, std::int64_t k, Self self) {
  Answer answer;
  for (std::int64_t i = 0; i < X.n_rows; ++i) {
    auto pairs = all_of(X, i, Y, self);
    std::sort(pairs.begin(), pairs.end());
    for (std::int64_t c = 0; c < k; ++c) {
      answer.index.push_back(pairs[at(c)].second);
      answer.distance.push_back(std::sqrt(pairs[at(c)].first));
    }
  }
  return answer;
}

template <class T>
Answer nearest(MatrixView<const T> X, MatrixView<const T> Y, std::int64_t k, Self self,
               int n_threads) {
  Answer answer{std::vector<std::int64_t>(at(X.n_rows * k), -1), Doubles(at(X.n_rows * k), -1.0)};
  gramian::distance::k_nearest<T>(X, Y, self, {answer.index.data(), X.n_rows, k},
                                  {answer.distance.data(), X.n_rows, k}, context_with(n_threads));
  return answer;
}

template <class T>
Answer within(MatrixView<const T> X, MatrixView<const T> Y, double radius, Self self, Order order,
              int n_threads) {
  std::vector<std::int64_t> starts(at(X.n_rows + 1), 0);
  const auto ctx = context_with(n_threads);
  gramian::distance::count_within<T>(X, Y, radius, self, {starts.data() + 1, at(X.n_rows)}, ctx);
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  Answer answer{std::vector<std::int64_t>(at(starts.back()), -1), Doubles(at(starts.back()), -1.0)};
  gramian::distance::fill_within<T>(X, Y, radius, self, order, starts, answer.index,
                                    answer.distance, ctx);
  return answer;
}

template <class T>
Answer naive_within(MatrixView<const T> X, MatrixView<const T> Y, double radius, Self self,
                    Order order) {
  Answer answer;
  for (std::int64_t i = 0; i < X.n_rows; ++i) {
    auto pairs = all_of(X, i, Y, self);
    for (Pair& pair : pairs) pair.first = std::sqrt(pair.first);
    if (order == Order::by_distance) std::sort(pairs.begin(), pairs.end());
    for (const auto& [distance, j] : pairs)
      if (distance <= radius) {
        answer.index.push_back(j);
        answer.distance.push_back(distance);
      }
  }
  return answer;
}

// Rows of several kinds: what makes float32 hard, ties, and numbers of any size.
enum class Kind { normal, far_out, whole, equal, outliers, huge, tiny, mixed };
constexpr Kind kKinds[] = {Kind::normal,   Kind::far_out, Kind::whole, Kind::equal,
                           Kind::outliers, Kind::huge,    Kind::tiny,  Kind::mixed};

Doubles rows_of(Kind kind, std::int64_t n, std::int64_t p, std::uint64_t seed) {
  Doubles values = test::normal_values(n * p, seed);
  for (std::size_t i = 0; i < values.size(); ++i) {
    double& x = values[i];
    if (kind == Kind::far_out) x = 4208848.0 + 1e-3 * x;
    if (kind == Kind::whole) x = std::round(x);
    if (kind == Kind::equal) x = 0.1;
    if (kind == Kind::outliers && i % 97 == 0) x *= 1e9;
    if (kind == Kind::huge) x *= 1e150;
    if (kind == Kind::tiny) x *= 1e-160;
    if (kind == Kind::mixed && i % 3 == 0) x = std::ldexp(x, static_cast<int>(i % 600) - 300);
  }
  return values;
}

template <class T>
void check_all(const Doubles& x, const Doubles& y, std::int64_t p, std::int64_t k, Layout layout) {
  const auto n = static_cast<std::int64_t>(x.size()) / p,
             m = static_cast<std::int64_t>(y.size()) / p;
  const test::Matrix<T> rows(MatrixView<const double>(x.data(), n, p), layout);
  const test::Matrix<T> others(MatrixView<const double>(y.data(), m, p), layout);
  const auto X = rows.view(), Y = others.view();
  CHECK(nearest(X, Y, k, Self::counts, 1) == naive_nearest(X, Y, k, Self::counts));
  CHECK(nearest(Y, Y, k, Self::is_left_out, 1) == naive_nearest(Y, Y, k, Self::is_left_out));
  const Answer far = naive_nearest(X, Y, std::min<std::int64_t>(2 * k, m), Self::counts);
  const double radius = far.distance[far.distance.size() / 2];
  for (const Order order : {Order::by_number, Order::by_distance})
    CHECK(within(X, Y, radius, Self::counts, order, 1) ==
          naive_within(X, Y, radius, Self::counts, order));
  CHECK(within(Y, Y, radius, Self::is_left_out, Order::by_number, 1) ==
        naive_within(Y, Y, radius, Self::is_left_out, Order::by_number));
}

}  // namespace

TEST(neighbours_are_those_of_all_pairs_in_float64) {
  for (const Kind kind : kKinds)
    for (const std::int64_t p : {1, 3, 50}) {
      const Doubles y = rows_of(kind, 500, p, 1), x = rows_of(kind, 21, p, 2);
      check_all<double>(x, y, p, 7, Layout::c);
      if (kind != Kind::huge && kind != Kind::tiny && kind != Kind::mixed)
        check_all<float>(x, y, p, 7, Layout::c);
    }
}

TEST(neighbours_in_any_layout_and_number_of_features) {
  const Doubles y = rows_of(Kind::normal, 130, 300, 3), x = rows_of(Kind::normal, 10, 300, 4);
  for (const Layout layout : test::kLayouts) check_all<double>(x, y, 300, 5, layout);
  for (const std::int64_t p : {2, 8, 17})
    check_all<float>(rows_of(Kind::normal, 9, p, 5), rows_of(Kind::whole, 400, p, 6), p, 30,
                     Layout::f);
}

TEST(neighbours_are_all_rows_at_the_most) {
  const Doubles y = rows_of(Kind::normal, 40, 3, 7), x = rows_of(Kind::normal, 12, 3, 8);
  check_all<double>(x, y, 3, 39, Layout::c);
  const MatrixView<const double> X(x.data(), 12, 3), Y(y.data(), 40, 3);
  CHECK(nearest(X, Y, 40, Self::counts, 1) == naive_nearest(X, Y, 40, Self::counts));
  CHECK_THROWS(gramian::InvalidArgument, nearest(X, Y, 41, Self::counts, 1));
  CHECK_THROWS(gramian::InvalidArgument, nearest(Y, Y, 40, Self::is_left_out, 1));
}

TEST(neighbours_of_few_rows_and_of_rows_far_away) {
  const Doubles y = rows_of(Kind::normal, 300, 4, 9);
  Doubles x = rows_of(Kind::normal, 30, 4, 10);
  check_all<double>(Doubles(x.begin(), x.begin() + 4), y, 4, 5, Layout::c);
  for (std::size_t i = 0; i < x.size(); i += 5) x[i] *= 1e30;  // beyond the filter
  x[1] = INFINITY;
  check_all<double>(x, y, 4, 5, Layout::c);
}

TEST(neighbours_do_not_depend_on_threads) {
  const Doubles y = rows_of(Kind::normal, 3000, 20, 11), x = rows_of(Kind::normal, 700, 20, 12);
  const MatrixView<const double> X(x.data(), 700, 20), Y(y.data(), 3000, 20);
  const Answer one = nearest(X, Y, 10, Self::counts, 1);
  const Answer near_ones = within(X, Y, 4.5, Self::counts, Order::by_distance, 1);
  CHECK(one == naive_nearest(X, Y, 10, Self::counts));
  CHECK(near_ones.index.size() > 1000);
  for (const int n_threads : {2, 4}) {
    CHECK(nearest(X, Y, 10, Self::counts, n_threads) == one);
    CHECK(within(X, Y, 4.5, Self::counts, Order::by_distance, n_threads) == near_ones);
  }
}
