// Tiles of kernel matrices against the formulas, and sums of rows to the last bit.
#include <cmath>
#include <vector>

#include "check.hpp"
#include "kernel/gram_kernel.hpp"
#include "kernel/source.hpp"
#include "linalg/linalg_data.hpp"
#include "simd/each_level.hpp"

namespace kernel = gramian::kernel;
using kernel::Kind;
using kernel::kPanelCols;
using kernel::kTileRows;
using test::at;

namespace {

const kernel::Function kFunctions[] = {
    {Kind::linear, 1.0, 0.0, 3},    {Kind::poly, 0.5, 0.25, 3},       {Kind::rbf, 0.125, 0.0, 3},
    {Kind::sigmoid, 0.25, -0.5, 3}, {Kind::laplacian, 0.125, 0.0, 3}, {Kind::cosine, 1.0, 0.0, 3},
    {Kind::chi2, 0.5, 0.0, 3}};

bool is_absolute(const kernel::Function& f) {
  return f.kind == Kind::laplacian || f.kind == Kind::chi2;
}

template <class T>
struct Points {
  std::int64_t n, p;
  std::vector<T> values, norms;

  // As the kernel takes them: of length 1 for the cosine, not negative for chi2.
  Points(const kernel::Function& f, std::int64_t n_rows, std::int64_t n_features,
         std::uint64_t seed)
      : n(n_rows), p(n_features) {
    auto given = test::normal_values(n * p, seed);
    for (std::int64_t i = 0; i < n; ++i) {
      const auto value = [&](std::int64_t k) { return given[at(i * p + k)]; };
      const kernel::UnitLength unit(p, value);
      for (std::int64_t k = 0; k < p; ++k) {
        double x = value(k);
        if (f.kind == Kind::cosine) x = unit(x);
        if (f.kind == Kind::chi2) x = k % 4 == 0 ? 0.0 : std::abs(x);
        values.push_back(static_cast<T>(x));
      }
    }
    for (std::int64_t i = 0; i < n; ++i) norms.push_back(norm(f, i));
  }
  T norm(const kernel::Function& f, std::int64_t i) const {
    if (!is_absolute(f)) return product(*this, i, i);
    T sum = 0;
    for (std::int64_t k = 0; k < p; ++k) sum += std::abs(values[at(i * p + k)]);
    return sum;
  }
  // In the order of the features, one fused multiply-add each.
  T product(const Points& other, std::int64_t i, std::int64_t j) const {
    T sum = 0;
    for (std::int64_t k = 0; k < p; ++k)
      sum = std::fma(values[at(i * p + k)], other.values[at(j * p + k)], sum);
    return sum;
  }
};

template <class T>
double distance_of(const kernel::Function& f, const Points<T>& x, std::int64_t i,
                   const Points<T>& y, std::int64_t j) {
  double sum = 0.0;
  for (std::int64_t k = 0; k < x.p; ++k) {
    const auto a = static_cast<double>(x.values[at(i * x.p + k)]);
    const auto b = static_cast<double>(y.values[at(j * y.p + k)]);
    if (f.kind == Kind::laplacian)
      sum += std::abs(a - b);
    else if (a + b > 0.0)
      sum += (a - b) * (a - b) / (a + b);
  }
  return sum;
}

template <class T>
double kernel_of(const kernel::Function& f, const Points<T>& x, std::int64_t i, const Points<T>& y,
                 std::int64_t j) {
  const auto product = static_cast<double>(x.product(y, i, j));
  const double square =
      static_cast<double>(x.norms[at(i)]) + static_cast<double>(y.norms[at(j)]) - 2.0 * product;
  switch (f.kind) {
    case Kind::linear:
    case Kind::cosine:
      return product;
    case Kind::poly:
      return std::pow(f.gamma * product + f.coef0, static_cast<double>(f.degree));
    case Kind::rbf:
      return std::exp(-f.gamma * std::max(square, 0.0));
    case Kind::sigmoid:
      return std::tanh(f.gamma * product + f.coef0);
    case Kind::laplacian:
    case Kind::chi2:
      return std::exp(-f.gamma * distance_of(f, x, i, y, j));
  }
  return NAN;
}

template <class T>
bool is_near(T found, double expected) {
  const double rounding = sizeof(T) == sizeof(float) ? 3e-5 : 1e-13;
  return std::abs(static_cast<double>(found) - expected) <= rounding * (1.0 + std::abs(expected));
}

// Rows x features as [feature][row], as panels and scattered rows stand.
template <class T>
std::vector<T> side_by_side(const Points<T>& points) {
  std::vector<T> out;
  for (std::int64_t first = 0; first < points.n; first += kPanelCols<T>)
    for (std::int64_t k = 0; k < points.p; ++k)
      for (std::int64_t l = 0; l < kPanelCols<T>; ++l)
        out.push_back(points.values[at((first + l) * points.p + k)]);
  return out;
}

template <class T>
void check_dense(const kernel::Function& function, std::int64_t p, std::int64_t n_panels,
                 std::int64_t n_rows) {
  const Points<T> x(function, kTileRows, p, 1), y(function, n_panels * kPanelCols<T>, p, 2);
  const auto panels = side_by_side(y);
  std::vector<T> first;
  for (const auto level : test::levels()) {
    std::vector<T> out(at(n_rows * y.n), T{-1});
    AT_LEVEL(level, kernel_tile,
             kernel::DenseTile<T>{function, x.values.data(), x.norms.data(), panels.data(),
                                  y.norms.data(), p, n_panels, n_rows, out.data(), y.n});
    for (std::int64_t i = 0; i < n_rows; ++i)
      for (std::int64_t j = 0; j < y.n; ++j)
        CHECK(is_near(out[at(i * y.n + j)], kernel_of(function, x, i, y, j)));
    if (first.empty()) first = out;
    CHECK(test::same_bits(out, first));
  }
}

// Sparse columns with every third feature, against the same columns with zeros.
template <class T>
void check_sparse(const kernel::Function& function, std::int64_t p, std::int64_t n_cols) {
  const Points<T> x(function, kPanelCols<T>, p, 3);
  Points<T> y(function, n_cols, p, 4);
  std::vector<T> values;
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> indptr{0};
  for (std::int64_t j = 0; j < n_cols; ++j) {
    for (std::int64_t k = 0; k < p; ++k) {
      T& value = y.values[at(j * p + k)];
      if ((j + k) % 3 != 0) {
        value = T{0};
        continue;
      }
      values.push_back(value);
      indices.push_back(static_cast<std::int32_t>(k));
    }
    indptr.push_back(static_cast<std::int64_t>(values.size()));
    y.norms[at(j)] = y.norm(function, j);
  }
  const auto scattered = side_by_side(x);
  std::vector<T> first;
  for (const auto level : test::levels()) {
    std::vector<T> out(at(n_cols * x.n));
    AT_LEVEL(
        level, kernel_tile,
        kernel::SparseTile<T>{function, scattered.data(), x.norms.data(), values.data(),
                              indices.data(), indptr.data(), y.norms.data(), n_cols, out.data()});
    for (std::int64_t j = 0; j < n_cols; ++j)
      for (std::int64_t i = 0; i < x.n; ++i)
        CHECK(is_near(out[at(j * x.n + i)], kernel_of(function, x, i, y, j)));
    if (first.empty()) first = out;
    CHECK(test::same_bits(out, first));
  }
}

template <class T>
void check_add_rows(std::int64_t n_rows, std::int64_t n_cols) {
  const Points<T> x(kFunctions[0], n_rows, n_cols, 5);
  const auto coef = test::normal_values(n_rows, 6), start = test::normal_values(n_cols, 7);
  std::vector<const T*> rows;
  auto expected = start;
  for (std::int64_t i = 0; i < n_rows; ++i) {
    rows.push_back(x.values.data() + i * n_cols);
    for (std::int64_t j = 0; j < n_cols; ++j)
      expected[at(j)] = std::fma(coef[at(i)], static_cast<double>(rows.back()[j]), expected[at(j)]);
  }
  for (const auto level : test::levels()) {
    auto sums = start;
    AT_LEVEL(level, add_rows,
             kernel::RowSum<T>{rows.data(), coef.data(), n_rows, n_cols, sums.data()});
    CHECK(test::same_bits(sums, expected));
  }
}

}  // namespace

TEST(kernel_tiles_are_the_kernels_of_their_pairs) {
  for (const auto& function : kFunctions)
    for (const std::int64_t p : {1, 3, 8, 17}) {
      for (const std::int64_t n_panels : {1, 2, 3, 4, 7})
        for (const std::int64_t n_rows : {1, 4, 5, 8}) {
          check_dense<float>(function, p, n_panels, n_rows);
          check_dense<double>(function, p, n_panels, n_rows);
        }
      check_sparse<float>(function, p, 5);
      check_sparse<double>(function, p, 5);
    }
}

TEST(a_row_is_brought_to_length_one_whatever_its_size) {
  for (const double size : {5e-324, 1e-300, 1.0, 1e300}) {
    const double row[] = {3.0 * size, -4.0 * size};
    const kernel::UnitLength unit(2, [&](std::int64_t k) { return row[k]; });
    CHECK(std::abs(unit(row[0]) - 0.6) <= 1e-15 && std::abs(unit(row[1]) + 0.8) <= 1e-15);
  }
  const kernel::UnitLength zero(1, [](std::int64_t) { return 0.0; });
  CHECK(zero(0.0) == 0.0);
}

TEST(rows_of_a_kernel_matrix_are_added_in_their_order) {
  for (const std::int64_t n_rows : {0, 1, 7, 8, 9, 20})
    for (const std::int64_t n_cols : {1, 7, 8, 9, 30}) {
      check_add_rows<float>(n_rows, n_cols);
      check_add_rows<double>(n_rows, n_cols);
    }
}
