// Every kernel on packed blocks against a twin that spells out its sum, on every instruction set.
//
// The kernels promise one fused multiply-add after the other in a stated order, so the twins give
// the same bits; long double tells that the order is a sum of the right things.
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "linalg/linalg_data.hpp"
#include "linalg/panels_kernel.hpp"

using gramian::kBlockRows;
using gramian::kLanes;
using gramian::kPanelStride;
using gramian::n_panels;
using gramian::PackSource;
using gramian::RowBlock;
using test::at;
using test::Layout;
using test::Matrix;
using test::same_bits;

namespace {

using Doubles = std::vector<double>;

struct Kernels {
  void (*pack_double)(const PackSource<double>&, double*);
  void (*pack_float)(const PackSource<float>&, double*);
  void (*add_gram)(const double*, std::int64_t, std::int64_t, double*, std::int64_t);
  void (*add_product)(const double*, std::int64_t, const double*, std::int64_t, std::int64_t,
                      double*, std::int64_t);
  void (*add_narrow_product)(const double*, std::int64_t, const double*, std::int64_t, std::int64_t,
                             double*, std::int64_t);
  void (*panels_times)(const double*, std::int64_t, std::int64_t, const double*, double*);
  void (*rows_times_double)(const RowBlock<double>&, const double*, double*);
  void (*rows_times_float)(const RowBlock<float>&, const double*, double*);
  void (*add_transposed)(const double*, std::int64_t, std::int64_t, const double*, double*);
  void (*add_rows_double)(const RowBlock<double>&, const double*, double*);
  void (*add_rows_float)(const RowBlock<float>&, const double*, double*);
  void (*solve_lower)(const double*, std::int64_t, std::int64_t, double*, std::int64_t);
  bool (*all_finite_double)(const double*, std::int64_t);
  bool (*all_finite_float)(const float*, std::int64_t);

  void pack(const PackSource<double>& source, double* panels) const { pack_double(source, panels); }
  void pack(const PackSource<float>& source, double* panels) const { pack_float(source, panels); }
  void rows_times(const RowBlock<double>& rows, const double* coef, double* out) const {
    rows_times_double(rows, coef, out);
  }
  void rows_times(const RowBlock<float>& rows, const double* coef, double* out) const {
    rows_times_float(rows, coef, out);
  }
  void add_rows(const RowBlock<double>& rows, const double* r, double* acc) const {
    add_rows_double(rows, r, acc);
  }
  void add_rows(const RowBlock<float>& rows, const double* r, double* acc) const {
    add_rows_float(rows, r, acc);
  }
  bool all_finite(const double* values, std::int64_t n) const {
    return all_finite_double(values, n);
  }
  bool all_finite(const float* values, std::int64_t n) const { return all_finite_float(values, n); }
};

#define KERNELS_OF(isa)                                                             \
  Kernels {                                                                         \
    gramian::isa::pack_panels, gramian::isa::pack_panels, gramian::isa::add_gram,   \
        gramian::isa::add_product, gramian::isa::add_narrow_product,                \
        gramian::isa::panels_times_vector, gramian::isa::rows_times_vector,         \
        gramian::isa::rows_times_vector, gramian::isa::add_transposed_times_vector, \
        gramian::isa::add_rows_transposed_times_vector,                             \
        gramian::isa::add_rows_transposed_times_vector, gramian::isa::solve_lower,  \
        gramian::isa::all_finite, gramian::isa::all_finite                          \
  }

std::vector<Kernels> all_levels() {
#if defined(__x86_64__)
  std::vector<Kernels> levels{KERNELS_OF(v2)};
  if (gramian::cpu_level() >= gramian::Level::v3) levels.push_back(KERNELS_OF(v3));
  if (gramian::cpu_level() >= gramian::Level::v4) levels.push_back(KERNELS_OF(v4));
  return levels;
#else
  return {KERNELS_OF(plain)};
#endif
}

constexpr std::int64_t kRowCounts[] = {0, 1, 3, 4, 5, 255, 256};
constexpr std::int64_t kColCounts[] = {1, 2, 7, 8, 9, 16, 23, 24, 25, 31, 33, 40};

std::int64_t padded(std::int64_t n_cols) { return n_panels(n_cols) * kLanes; }

// A block in panels, made entry by entry.
struct Panels {
  std::int64_t n_rows, n_cols;
  Doubles memory;

  Panels(std::int64_t rows, std::int64_t cols)
      : n_rows(rows), n_cols(cols), memory(at(n_panels(cols) * kPanelStride), 0.0) {}
  Panels(std::int64_t rows, std::int64_t cols, std::uint64_t seed) : Panels(rows, cols) {
    const auto values = test::normal_values(rows * cols, seed);
    for (std::int64_t k = 0; k < rows; ++k)
      for (std::int64_t j = 0; j < cols; ++j) (*this)(k, j) = values[at(k * cols + j)];
  }

  double& operator()(std::int64_t k, std::int64_t j) {
    return memory[at(j / kLanes * kPanelStride + k * kLanes + j % kLanes)];
  }
  double operator()(std::int64_t k, std::int64_t j) const {
    return memory[at(j / kLanes * kPanelStride + k * kLanes + j % kLanes)];
  }
  const double* data() const { return memory.data(); }
  std::int64_t count() const { return n_panels(n_cols); }
};

// acc(i, j) += sum_k a(k, i) b(k, j) for whole panels; column-major.
void add_product_naively(const Panels& a, const Panels& b, std::int64_t n_cols_b, bool only_lower,
                         Doubles& acc, std::int64_t ld) {
  for (std::int64_t j = 0; j < n_cols_b; ++j)
    for (std::int64_t i = only_lower ? j / kLanes * kLanes : 0; i < padded(a.n_cols); ++i) {
      double& entry = acc[at(j * ld + i)];
      long double exact = entry, size = std::abs(entry);
      for (std::int64_t k = 0; k < a.n_rows; ++k) {
        const long double product = static_cast<long double>(a(k, i)) * b(k, j);
        exact += product;
        size += std::abs(product);
        entry = std::fma(a(k, i), b(k, j), entry);
      }
      CHECK(test::is_close(entry, exact, 1e-14L * size));
    }
}

// The halving sum of simd.hpp.
double sum_of_lanes(std::array<double, kLanes> lanes) {
  for (std::size_t half = kLanes / 2; half > 0; half /= 2)
    for (std::size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  return lanes[0];
}

Doubles times_naively(const Panels& block, const Doubles& coef) {
  Doubles out(at(block.n_rows));
  for (std::int64_t k = 0; k < block.n_rows; ++k) {
    std::array<double, kLanes> lanes{};
    long double exact = 0.0L, size = 0.0L;
    for (std::int64_t j = 0; j < padded(block.n_cols); ++j) {
      double& lane = lanes[at(j % kLanes)];
      lane = std::fma(block(k, j), coef[at(j)], lane);
      exact += static_cast<long double>(block(k, j)) * coef[at(j)];
      size += std::abs(static_cast<long double>(block(k, j)) * coef[at(j)]);
    }
    out[at(k)] = sum_of_lanes(lanes);
    CHECK(test::is_close(out[at(k)], exact, 1e-14L * size));
  }
  return out;
}

void add_transposed_naively(const Panels& block, const double* r, Doubles& acc) {
  for (std::int64_t j = 0; j < padded(block.n_cols); ++j)
    for (std::int64_t k = 0; k < block.n_rows; ++k)
      acc[at(j)] = std::fma(block(k, j), r[k], acc[at(j)]);
}

// What is done to a block on the way into the panels; every part may be missing.
struct Shifts {
  Doubles col, row, scale;

  Shifts(std::int64_t n_rows, std::int64_t n_cols, int parts)
      : col(parts & 1 ? test::normal_values(n_cols, 11, 5.0) : Doubles{}),
        row(parts & 2 ? test::normal_values(n_rows, 12) : Doubles{}),
        scale(parts & 4 ? test::random_weights(n_rows, 13) : Doubles{}) {
    if (parts & 1) col.resize(at(padded(n_cols)), 0.0);
  }

  double applied(double x, std::int64_t k, std::int64_t j) const {
    if (!col.empty()) x -= col[at(j)];
    if (!row.empty()) x -= row[at(k)];
    return scale.empty() ? x : x * scale[at(k)];
  }
};

template <class T>
void check_pack(const Kernels& kernels, const gramian::MatrixView<const double>& values,
                const Shifts& shifts) {
  const auto pointer = [](const Doubles& x) { return x.empty() ? nullptr : x.data(); };
  for (const Layout layout : test::kLayouts) {
    const Matrix<T> X(values, layout);
    const auto view = X.view();
    Panels packed(view.n_rows, view.n_cols);
    for (double& entry : packed.memory) entry = NAN;
    kernels.pack({view.data, view.row_stride, view.col_stride, view.n_rows, view.n_cols,
                  pointer(shifts.col), pointer(shifts.row), pointer(shifts.scale)},
                 packed.memory.data());
    bool is_same = true;
    for (std::int64_t k = 0; k < view.n_rows; ++k)
      for (std::int64_t j = 0; j < padded(view.n_cols); ++j)
        is_same =
            is_same && packed(k, j) == (j < view.n_cols ? shifts.applied(values(k, j), k, j) : 0.0);
    CHECK(is_same);
  }
}

template <class T>
void check_row_kernels(const Kernels& kernels, std::int64_t n, std::int64_t p) {
  const auto values = test::normal_values(n * p, 21, 2.0);
  const Matrix<T> X(gramian::MatrixView<const double>(values.data(), n, p), Layout::c);
  Shifts shifts(n, p, 1);
  Panels centred(n, p);
  for (std::int64_t k = 0; k < n; ++k)
    for (std::int64_t j = 0; j < p; ++j)
      centred(k, j) = shifts.applied(values[at(k * p + j)], k, j);
  auto coef = test::normal_values(p, 22);
  coef.resize(at(padded(p)), 0.0);
  const RowBlock<T> rows{X.view().data, p, n, p, shifts.col.data()};

  const Doubles expected = times_naively(centred, coef);
  Doubles from_rows(at(n), NAN);
  kernels.rows_times(rows, coef.data(), from_rows.data());
  CHECK(same_bits(from_rows, expected));

  const auto r = test::normal_values(n, 23);
  Doubles sum(at(padded(p)), 0.25), sum_of_rows(sum);
  add_transposed_naively(centred, r.data(), sum);
  kernels.add_rows(rows, r.data(), sum_of_rows.data());
  CHECK(same_bits(sum_of_rows, sum));
}

template <class T>
void check_finite(const Kernels& kernels) {
  constexpr T kLargest = std::numeric_limits<T>::max();
  constexpr T kTiny = std::numeric_limits<T>::denorm_min();
  for (std::size_t n = 0; n < 150; ++n) {
    std::vector<T> values(n, kLargest);
    for (std::size_t i = 0; i < n; i += 2) values[i] = i % 4 == 0 ? -kLargest : kTiny;
    const auto size = static_cast<std::int64_t>(n);
    CHECK(kernels.all_finite(values.data(), size));
    for (std::size_t i = 0; i < n; ++i)
      for (const T bad : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(),
                          -std::numeric_limits<T>::infinity()}) {
        std::vector<T> spoilt(values);
        spoilt[i] = bad;
        CHECK(!kernels.all_finite(spoilt.data(), size));
      }
  }
}

}  // namespace

TEST(pack_panels_gives_the_same_panels_from_any_layout) {
  for (const Kernels& kernels : all_levels())
    for (const std::int64_t n : {0, 1, 5, 256})
      for (const std::int64_t p : kColCounts)
        for (int parts = 0; parts < 8; ++parts) {
          const auto values = test::normal_values(n * p, 10);
          const gramian::MatrixView<const double> view(values.data(), n, p);
          const Shifts shifts(n, p, parts);
          check_pack<double>(kernels, view, shifts);
          check_pack<float>(kernels, view, shifts);
        }
}

TEST(add_gram_adds_products_in_the_order_of_the_rows) {
  for (const std::int64_t n : kRowCounts)
    for (const std::int64_t p : kColCounts) {
      const Panels block(n, p, 1);
      const std::int64_t ld = padded(p) + 8;
      const Doubles start = test::normal_values(padded(p) * ld, 2);
      Doubles expected(start);
      add_product_naively(block, block, padded(p), true, expected, ld);
      for (const Kernels& kernels : all_levels()) {
        Doubles acc(start);
        kernels.add_gram(block.data(), block.count(), n, acc.data(), ld);
        CHECK(same_bits(acc, expected));
      }
    }
}

TEST(add_gram_goes_on_from_block_to_block) {
  const std::int64_t p = 19, ld = padded(p);
  Doubles expected(at(ld * ld), 0.0);
  const Panels first(kBlockRows, p, 1), last(1, p, 2);
  for (const Panels* block : {&first, &last})
    add_product_naively(*block, *block, ld, true, expected, ld);
  for (const Kernels& kernels : all_levels()) {
    Doubles acc(at(ld * ld), 0.0);
    for (const Panels* block : {&first, &last})
      kernels.add_gram(block->data(), block->count(), block->n_rows, acc.data(), ld);
    CHECK(same_bits(acc, expected));
  }
}

TEST(add_product_and_add_narrow_product_add_in_the_order_of_the_rows) {
  for (const std::int64_t n : {0, 1, 17, 256})
    for (const std::int64_t p : {1, 8, 20, 40, 70})
      for (const std::int64_t q : {2, 6, 8, 10, 24, 34}) {
        const Panels a(n, p, 3), b(n, q, 4);
        const std::int64_t ld = padded(p);
        Doubles expected(at(padded(q) * ld), 0.5), narrow(expected);
        add_product_naively(a, b, padded(q), false, expected, ld);
        add_product_naively(a, b, q, false, narrow, ld);
        for (const Kernels& kernels : all_levels()) {
          Doubles acc(at(padded(q) * ld), 0.5), acc_narrow(acc);
          kernels.add_product(a.data(), a.count(), b.data(), b.count(), n, acc.data(), ld);
          CHECK(same_bits(acc, expected));
          kernels.add_narrow_product(a.data(), a.count(), b.data(), q, n, acc_narrow.data(), ld);
          CHECK(same_bits(acc_narrow, narrow));
        }
      }
}

TEST(products_with_a_vector_have_the_same_bits_packed_or_not) {
  for (const std::int64_t n : kRowCounts)
    for (const std::int64_t p : kColCounts) {
      const Panels block(n, p, 5);
      auto coef = test::normal_values(p, 6);
      coef.resize(at(padded(p)), 0.0);
      const auto r = test::normal_values(n, 7);
      const Doubles expected = times_naively(block, coef);
      Doubles sum(at(padded(p)), -0.5);
      add_transposed_naively(block, r.data(), sum);
      for (const Kernels& kernels : all_levels()) {
        Doubles out(at(n), NAN), acc(at(padded(p)), -0.5);
        kernels.panels_times(block.data(), block.count(), n, coef.data(), out.data());
        CHECK(same_bits(out, expected));
        kernels.add_transposed(block.data(), block.count(), n, r.data(), acc.data());
        CHECK(same_bits(acc, sum));
      }
    }
}

TEST(products_with_rows_as_they_lie_in_memory) {
  for (const Kernels& kernels : all_levels())
    for (const std::int64_t n : {0, 1, 3, 4, 6, 255, 256, 257})
      for (std::int64_t p = 1; p <= 40; ++p) {
        check_row_kernels<double>(kernels, n, p);
        check_row_kernels<float>(kernels, n, p);
      }
}

TEST(solve_lower_solves_every_column) {
  for (const std::int64_t n : {1, 2, 7, 64, 100})
    for (const std::int64_t p : {1, 8, 13, 40}) {
      const std::int64_t ld = n + 3;
      auto L = test::normal_values(n * ld, 8);
      for (std::int64_t k = 0; k < n; ++k)
        for (std::int64_t i = k; i < n; ++i)
          L[at(k * ld + i)] = i == k ? 2.0 : L[at(k * ld + i)] / static_cast<double>(n);
      const Panels right(n, p, 9);
      Panels expected(right);
      for (std::int64_t j = 0; j < padded(p); ++j)
        for (std::int64_t k = 0; k < n; ++k) {
          double sum = expected(k, j);
          for (std::int64_t m = 0; m < k; ++m)
            sum = std::fma(expected(m, j), -L[at(m * ld + k)], sum);
          expected(k, j) = sum * (1.0 / L[at(k * ld + k)]);
          long double product = 0.0L;
          for (std::int64_t m = 0; m <= k; ++m)
            product += static_cast<long double>(L[at(m * ld + k)]) * expected(m, j);
          CHECK(test::is_close(right(k, j), product, 1e-13L));
        }
      for (const Kernels& kernels : all_levels()) {
        Panels solved(right);
        kernels.solve_lower(L.data(), ld, n, solved.memory.data(), solved.count());
        CHECK(same_bits(solved.memory, expected.memory));
      }
    }
}

TEST(all_finite_finds_every_bad_entry) {
  for (const Kernels& kernels : all_levels()) {
    check_finite<double>(kernels);
    check_finite<float>(kernels);
  }
}
