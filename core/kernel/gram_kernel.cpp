#include "kernel/gram_kernel.hpp"

#include "simd/order.hpp"
#include "simd/vector_math.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

using kernel::DenseTile;
using kernel::Function;
using kernel::Kind;
using kernel::kPanelCols;
using kernel::kTileRows;
using kernel::RowSum;
using kernel::SparseTile;

template <class T>
struct VecOf;
template <>
struct VecOf<float> {
  using type = VecF;
};
template <>
struct VecOf<double> {
  using type = VecD;
};
template <class T>
using Vec = typename VecOf<T>::type;
static_assert(VecF::kLanes == kPanelCols<float> && VecD::kLanes == kPanelCols<double>);

// Register tiles: rows x panels of accumulators, with 32 registers of 512 bits or 16 of 256.
#if defined(__AVX512F__)
constexpr int kRows = 8;
constexpr int kPanels = 3;
#else
constexpr int kRows = 4;
constexpr int kPanels = 1;
#endif
static_assert(kTileRows % kRows == 0);

// -- sums over the features ----------------------------------------------------------------------

template <class T>
struct Products {
  static Vec<T> add(Vec<T> sum, Vec<T> x, Vec<T> y) { return fma(x, y, sum); }
};

template <class T>
struct Absolutes {
  static Vec<T> add(Vec<T> sum, Vec<T> x, Vec<T> y) { return sum + abs(x - y); }
};

template <class T>
struct ChiSquares {
  static Vec<T> add(Vec<T> sum, Vec<T> x, Vec<T> y) {
    const Vec<T> zero = Vec<T>::zero(), difference = x - y, total = x + y;
    return sum + select_less(zero, total, difference * (difference / total), zero);
  }
};

// |x| + |y| - |x - y| = 2 min(|x|, |y|) for numbers of the same sign, else 0: zero where one is.
template <class T>
struct Overlaps {
  static Vec<T> add(Vec<T> sum, Vec<T> x, Vec<T> y) {
    const Vec<T> zero = Vec<T>::zero();
    return sum + (max(zero, min(x, y)) - min(zero, max(x, y)));
  }
};

// x + y - (x - y)^2 / (x + y) = 4 / (1 / x + 1 / y), zero where one is.
template <class T>
struct Harmonics {
  static Vec<T> add(Vec<T> sum, Vec<T> x, Vec<T> y) {
    const Vec<T> one = Vec<T>::set1(T{1});
    return sum + one / (one / x + one / y);
  }
};

// -- from sums to the kernel ---------------------------------------------------------------------

template <class T>
Vec<T> power(Vec<T> base, std::int64_t degree) {
  Vec<T> result = Vec<T>::set1(T{1});
  for (; degree > 0; degree /= 2) {
    if (degree % 2 == 1) result = result * base;
    base = base * base;
  }
  return result;
}

// tanh z = 1 - 2 / (exp(2 z) + 1)
template <class T>
Vec<T> tanh_of(Vec<T> z) {
  const Vec<T> one = Vec<T>::set1(T{1});
  return one - Vec<T>::set1(T{2}) / (exp(z + z) + one);
}

template <class T>
struct Linear : Products<T> {
  explicit Linear(const Function&) {}
  Vec<T> operator()(Vec<T> product, Vec<T>, Vec<T>) const { return product; }
};

template <class T>
struct Poly : Products<T> {
  Vec<T> gamma, coef0;
  std::int64_t degree;
  explicit Poly(const Function& f)
      : gamma(Vec<T>::set1(static_cast<T>(f.gamma))),
        coef0(Vec<T>::set1(static_cast<T>(f.coef0))),
        degree(f.degree) {}
  Vec<T> operator()(Vec<T> product, Vec<T>, Vec<T>) const {
    return power<T>(fma(gamma, product, coef0), degree);
  }
};

template <class T>
struct Rbf : Products<T> {
  Vec<T> gamma;
  explicit Rbf(const Function& f) : gamma(Vec<T>::set1(static_cast<T>(-f.gamma))) {}
  Vec<T> operator()(Vec<T> product, Vec<T> row_norm, Vec<T> col_norm) const {
    const Vec<T> square = fma(Vec<T>::set1(T{-2}), product, row_norm + col_norm);
    return exp(gamma * max(square, Vec<T>::zero()));
  }
};

template <class T>
struct Sigmoid : Products<T> {
  Vec<T> gamma, coef0;
  explicit Sigmoid(const Function& f)
      : gamma(Vec<T>::set1(static_cast<T>(f.gamma))),
        coef0(Vec<T>::set1(static_cast<T>(f.coef0))) {}
  Vec<T> operator()(Vec<T> product, Vec<T>, Vec<T>) const {
    return tanh_of<T>(fma(gamma, product, coef0));
  }
};

// Of distances that are the sums themselves (dense rows), or the norms less kTimes of them.
template <class T, class Sum, int kTimes>
struct Exponential : Sum {
  Vec<T> gamma;
  explicit Exponential(const Function& f) : gamma(Vec<T>::set1(static_cast<T>(-f.gamma))) {}
  Vec<T> operator()(Vec<T> sum, Vec<T> row_norm, Vec<T> col_norm) const {
    if constexpr (kTimes == 0) return exp(gamma * sum);
    const Vec<T> distance = fma(Vec<T>::set1(T{-kTimes}), sum, row_norm + col_norm);
    return exp(gamma * max(distance, Vec<T>::zero()));
  }
};

// visit(evaluate) with the function's own type
template <class T, bool kIsSparse, class Visit>
void with_function(const Function& function, Visit&& visit) {
  switch (function.kind) {
    case Kind::linear:
    case Kind::cosine:
      return visit(Linear<T>(function));
    case Kind::poly:
      return visit(Poly<T>(function));
    case Kind::rbf:
      return visit(Rbf<T>(function));
    case Kind::sigmoid:
      return visit(Sigmoid<T>(function));
    case Kind::laplacian:
      if constexpr (kIsSparse) return visit(Exponential<T, Overlaps<T>, 2>(function));
      return visit(Exponential<T, Absolutes<T>, 0>(function));
    case Kind::chi2:
      if constexpr (kIsSparse) return visit(Exponential<T, Harmonics<T>, 4>(function));
      return visit(Exponential<T, ChiSquares<T>, 0>(function));
  }
}

// -- dense ---------------------------------------------------------------------------------------

// Rows first .. first + kRows of the tile against kCount panels from `panel` on.
template <int kCount, class T, class Evaluate>
void dense_part(const DenseTile<T>& tile, int first, std::int64_t panel, const Evaluate& evaluate) {
  constexpr int kLanes = kPanelCols<T>;
  Vec<T> sum[kRows][kCount];
  for (auto& row : sum)
    for (auto& cell : row) cell = Vec<T>::zero();
  const T* row = tile.rows + first * tile.n_features;
  const T* columns = tile.panels + panel * kLanes * tile.n_features;
  for (std::int64_t k = 0; k < tile.n_features; ++k) {
    Vec<T> values[kCount];
    for (int v = 0; v < kCount; ++v)
      values[v] = Vec<T>::load(columns + (v * tile.n_features + k) * kLanes);
    for (int r = 0; r < kRows; ++r) {
      const Vec<T> x = Vec<T>::set1(row[r * tile.n_features + k]);
      for (int v = 0; v < kCount; ++v) sum[r][v] = Evaluate::add(sum[r][v], x, values[v]);
    }
  }
  for (int r = 0; r < kRows && first + r < tile.n_rows; ++r) {
    const Vec<T> row_norm = Vec<T>::set1(tile.row_norms[first + r]);
    T* out = tile.out + (first + r) * tile.stride + panel * kLanes;
    for (int v = 0; v < kCount; ++v) {
      const Vec<T> col_norm = Vec<T>::load(tile.col_norms + (panel + v) * kLanes);
      evaluate(sum[r][v], row_norm, col_norm).store(out + v * kLanes);
    }
  }
}

template <class T>
void dense_tile(const DenseTile<T>& tile) {
  with_function<T, false>(tile.function, [&](const auto& evaluate) {
    for (int first = 0; first < tile.n_rows; first += kRows) {
      std::int64_t panel = 0;
      for (; panel + kPanels <= tile.n_panels; panel += kPanels)
        dense_part<kPanels>(tile, first, panel, evaluate);
      for (; panel < tile.n_panels; ++panel) dense_part<1>(tile, first, panel, evaluate);
    }
  });
}

// -- sparse --------------------------------------------------------------------------------------

template <class T>
void sparse_tile(const SparseTile<T>& tile) {
  constexpr int kLanes = kPanelCols<T>;
  const Vec<T> row_norms = Vec<T>::load(tile.row_norms);
  with_function<T, true>(tile.function, [&]<class Evaluate>(const Evaluate& evaluate) {
    for (std::int64_t j = 0; j < tile.n_cols; ++j) {
      Vec<T> sum = Vec<T>::zero();
      for (std::int64_t k = tile.indptr[j]; k < tile.indptr[j + 1]; ++k) {
        const T* x = tile.scattered + static_cast<std::int64_t>(tile.indices[k]) * kLanes;
        sum = Evaluate::add(sum, Vec<T>::load(x), Vec<T>::set1(tile.values[k]));
      }
      evaluate(sum, row_norms, Vec<T>::set1(tile.col_norms[j])).store(tile.out + j * kLanes);
    }
  });
}

// -- sums of rows --------------------------------------------------------------------------------

// The rows are added one by one to each entry, in their order.
template <int kCount, class T>
void add_some(const T* const* rows, const double* coef, std::int64_t n, double* sums) {
  VecD factor[kCount];
  for (int r = 0; r < kCount; ++r) factor[r] = VecD::set1(coef[r]);
  std::int64_t j = 0;
  for (; j + VecD::kLanes <= n; j += VecD::kLanes) {
    VecD sum = VecD::load(sums + j);
    for (int r = 0; r < kCount; ++r) sum = fma(factor[r], VecD::load(rows[r] + j), sum);
    sum.store(sums + j);
  }
  for (; j < n; ++j)
    for (int r = 0; r < kCount; ++r)
      sums[j] = __builtin_fma(coef[r], static_cast<double>(rows[r][j]), sums[j]);
}

template <class T>
void add_all(const RowSum<T>& sum) {
  std::int64_t r = 0;
  for (; r + 8 <= sum.n_rows; r += 8) add_some<8>(sum.rows + r, sum.coef + r, sum.n_cols, sum.sums);
  for (; r < sum.n_rows; ++r) add_some<1>(sum.rows + r, sum.coef + r, sum.n_cols, sum.sums);
}

template <class T>
void sum_squares(const T* panel, std::int64_t n_features, T* norms) {
  constexpr int kLanes = kPanelCols<T>;
  Vec<T> sum = Vec<T>::zero();
  for (std::int64_t k = 0; k < n_features; ++k) {
    const Vec<T> x = Vec<T>::load(panel + k * kLanes);
    sum = fma(x, x, sum);
  }
  sum.store(norms);
}

}  // namespace

void kernel_tile(const DenseTile<float>& tile) { dense_tile(tile); }
void kernel_tile(const DenseTile<double>& tile) { dense_tile(tile); }
void kernel_tile(const SparseTile<float>& tile) { sparse_tile(tile); }
void kernel_tile(const SparseTile<double>& tile) { sparse_tile(tile); }
void kernel_norms(const float* panel, std::int64_t n_features, float* norms) {
  sum_squares(panel, n_features, norms);
}
void kernel_norms(const double* panel, std::int64_t n_features, double* norms) {
  sum_squares(panel, n_features, norms);
}

void add_rows(const RowSum<float>& sum) { add_all(sum); }
void add_rows(const RowSum<double>& sum) { add_all(sum); }

}  // namespace gramian::GRAMIAN_ISA
