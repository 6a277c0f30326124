#include "linalg/product_kernel.hpp"

#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

constexpr int kLanes = VecD::kLanes;
#if defined(__AVX512F__)
constexpr int kRows = 8;
#else
constexpr int kRows = 3;
#endif

// kTile rows of A times kVecs vectors of columns of B.
template <int kTile, int kVecs, class T>
void add_tile(const StridedProduct<T>& p, std::int64_t row, std::int64_t col) {
  VecD sum[kTile][kVecs];
  for (int i = 0; i < kTile; ++i)
    for (int v = 0; v < kVecs; ++v)
      sum[i][v] = VecD::load(p.c + (row + i) * p.width + col + v * kLanes);
  const T* a = p.a + row * p.a_row;
  for (std::int64_t k = 0; k < p.depth; ++k) {
    VecD right[kVecs];
    for (int v = 0; v < kVecs; ++v) right[v] = VecD::load(p.b + k * p.width + col + v * kLanes);
    for (int i = 0; i < kTile; ++i) {
      const VecD left = VecD::set1(static_cast<double>(a[i * p.a_row + k * p.a_col]));
      for (int v = 0; v < kVecs; ++v) sum[i][v] = fma(left, right[v], sum[i][v]);
    }
  }
  for (int i = 0; i < kTile; ++i)
    for (int v = 0; v < kVecs; ++v) sum[i][v].store(p.c + (row + i) * p.width + col + v * kLanes);
}

template <int kVecs, class T>
void add_columns(const StridedProduct<T>& p, std::int64_t col) {
  std::int64_t row = 0;
  for (; row + kRows <= p.n_rows; row += kRows) add_tile<kRows, kVecs>(p, row, col);
  for (; row < p.n_rows; ++row) add_tile<1, kVecs>(p, row, col);
}

template <class T>
void add(const StridedProduct<T>& p) {
  std::int64_t col = 0;
  for (; col + 2 * kLanes <= p.width; col += 2 * kLanes) add_columns<2>(p, col);
  if (col < p.width) add_columns<1>(p, col);
}

}  // namespace

void add_strided_product(const StridedProduct<double>& product) { add(product); }
void add_strided_product(const StridedProduct<float>& product) { add(product); }

}  // namespace gramian::GRAMIAN_ISA
