#include "linalg/product_kernel.hpp"

#include <algorithm>
#include <concepts>
#include <type_traits>

#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

// Register tile: rows of A that share kVecs vectors of a row of B. With 32 registers of 512 bits
// up to 24 hold sums; AVX2 has 16 registers of half that width, the last level none.
#if defined(__AVX512F__)
constexpr int kMostVecs = 4;
constexpr int kTileRows[] = {12, 12, 8, 6};  // by kVecs - 1
#else
constexpr int kMostVecs = 2;
constexpr int kTileRows[] = {6, 3};
#endif
// Rows of B that a column of tiles reads again and again: they stay in the first cache.
constexpr std::int64_t kDepthBlock = 128;

// kTile rows of A times kVecs vectors of columns of B, for `depth` entries from `k` on.
template <int kTile, int kVecs, class T, class Sum>
void add_tile(const StridedProduct<T, Sum>& p, std::int64_t row, std::int64_t col, std::int64_t k,
              std::int64_t depth) {
  using Vec = std::conditional_t<std::same_as<Sum, double>, VecD, VecF>;
  constexpr int kLanes = Vec::kLanes;
  Sum* c = p.c + row * p.width + col;
  const Sum* start = p.start && k == 0 ? p.start + col : c;
  const std::int64_t start_row = start == c ? p.width : 0;
  Vec sum[kTile][kVecs];
  for (int i = 0; i < kTile; ++i)
    for (int v = 0; v < kVecs; ++v) sum[i][v] = Vec::load(start + i * start_row + v * kLanes);
  const T* a = p.a + row * p.a_row + k * p.a_col;
  const Sum* b = p.b + k * p.width + col;
  for (std::int64_t step = 0; step < depth; ++step, a += p.a_col, b += p.width) {
    Vec right[kVecs];
    for (int v = 0; v < kVecs; ++v) right[v] = Vec::load(b + v * kLanes);
    for (int i = 0; i < kTile; ++i) {
      const Vec left = Vec::set1(static_cast<Sum>(a[i * p.a_row]));
      for (int v = 0; v < kVecs; ++v) sum[i][v] = fma(left, right[v], sum[i][v]);
    }
  }
  for (int i = 0; i < kTile; ++i)
    for (int v = 0; v < kVecs; ++v) sum[i][v].store(c + i * p.width + v * kLanes);
}

// kTile rows at a time, the rest by halves.
template <int kTile, int kVecs, class T, class Sum>
void add_rows(const StridedProduct<T, Sum>& p, std::int64_t row, std::int64_t col, std::int64_t k,
              std::int64_t depth) {
  for (; row + kTile <= p.n_rows; row += kTile) add_tile<kTile, kVecs>(p, row, col, k, depth);
  if constexpr (kTile > 1) {
    if (row < p.n_rows) add_rows<kTile / 2, kVecs>(p, row, col, k, depth);
  }
}

template <int kVecs, class T, class Sum>
void add_columns(std::int64_t count, const StridedProduct<T, Sum>& p, std::int64_t col,
                 std::int64_t k, std::int64_t depth) {
  if constexpr (kVecs > 1) {
    if (count < kVecs) return add_columns<kVecs - 1>(count, p, col, k, depth);
  }
  add_rows<kTileRows[kVecs - 1], kVecs>(p, 0, col, k, depth);
}

// Three vectors at a time where that leaves no single one, which would wait for loads.
std::int64_t next_vectors(std::int64_t left) {
  if (left <= kMostVecs) return left;
  if constexpr (kMostVecs < 4) return kMostVecs;
  return left % 3 == 1 ? 4 : left % 3 == 2 ? 2 : 3;
}

template <class T, class Sum>
void add(const StridedProduct<T, Sum>& p) {
  constexpr std::int64_t kLanes = std::same_as<Sum, double> ? VecD::kLanes : VecF::kLanes;
  std::int64_t k = 0;
  do {
    const std::int64_t depth = std::min(kDepthBlock, p.depth - k);
    for (std::int64_t col = 0; col < p.width;) {
      const std::int64_t count = next_vectors((p.width - col) / kLanes);
      add_columns<kMostVecs>(count, p, col, k, depth);
      col += count * kLanes;
    }
    k += depth;
  } while (k < p.depth);
}

}  // namespace

void add_strided_product(const StridedProduct<double>& product) { add(product); }
void add_strided_product(const StridedProduct<float>& product) { add(product); }
void add_strided_product(const StridedProduct<float, float>& product) { add(product); }

}  // namespace gramian::GRAMIAN_ISA
