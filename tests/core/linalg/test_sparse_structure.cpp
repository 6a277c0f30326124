#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "base/context.hpp"
#include "check.hpp"
#include "linalg/sparse_structure.hpp"

using namespace gramian;
using linalg::SparseFault;
using linalg::SparseStructure;

namespace {

template <class Index, class Offset>
SparseStructure found_in(const std::vector<Index>& indices, const std::vector<Offset>& indptr,
                         std::int64_t n_cols, int n_threads = 1) {
  Context ctx;
  ctx.n_threads = n_threads;
  return linalg::check_compressed(std::span<const Index>(indices), std::span<const Offset>(indptr),
                                  n_cols, ctx);
}

bool is(const SparseStructure& found, SparseFault fault, std::int64_t row, std::int64_t value) {
  return found.fault == fault && found.row == row && found.value == value && !found.is_canonical;
}

// What the check says, found entry by entry.
template <class Index, class Offset>
SparseStructure naive(const std::vector<Index>& indices, const std::vector<Offset>& indptr,
                      std::int64_t n_cols) {
  bool is_canonical = true;
  for (std::size_t i = 0; i + 1 < indptr.size(); ++i)
    for (auto k = static_cast<std::size_t>(indptr[i]); k < static_cast<std::size_t>(indptr[i + 1]);
         ++k) {
      if (indices[k] < 0 || indices[k] >= n_cols)
        return {SparseFault::index, static_cast<std::int64_t>(i), indices[k]};
      if (k > static_cast<std::size_t>(indptr[i]) && indices[k] <= indices[k - 1])
        is_canonical = false;
    }
  SparseStructure structure;
  structure.is_canonical = is_canonical;
  return structure;
}

bool same(const SparseStructure& a, const SparseStructure& b) {
  return a.fault == b.fault && a.row == b.row && a.value == b.value &&
         a.is_canonical == b.is_canonical;
}

// Rows of 0 to 40 increasing indices, enough entries for many tasks.
template <class Index>
struct Rows {
  std::vector<Index> indices, indptr{0};
  static constexpr std::int64_t n_cols = 1000;

  explicit Rows(int n_rows) {
    std::mt19937 draw(7);
    for (int i = 0; i < n_rows; ++i) {
      Index j = static_cast<Index>(draw() % 10);
      for (auto left = draw() % 41; left > 0; --left, j += static_cast<Index>(1 + draw() % 20))
        indices.push_back(j);
      indptr.push_back(static_cast<Index>(indices.size()));
    }
  }
};

}  // namespace

TEST(sparse_structure_of_small_matrices) {
  const std::vector<std::int32_t> indptr{0, 2, 2, 3};
  const auto sorted = found_in(std::vector<std::int32_t>{0, 2, 1}, indptr, 3);
  CHECK(sorted.fault == SparseFault::none && sorted.is_canonical);
  const auto unsorted = found_in(std::vector<std::int32_t>{2, 0, 1}, indptr, 3);
  CHECK(unsorted.fault == SparseFault::none && !unsorted.is_canonical);
  const auto repeated = found_in(std::vector<std::int32_t>{2, 2, 1}, indptr, 3);
  CHECK(repeated.fault == SparseFault::none && !repeated.is_canonical);
  const auto empty = found_in(std::vector<std::int64_t>{}, std::vector<std::int64_t>{0}, 0);
  CHECK(empty.fault == SparseFault::none && empty.is_canonical);
  const auto spare = found_in(std::vector<std::int32_t>{0, 2, 1, -9}, indptr, 3);
  CHECK(spare.fault == SparseFault::none && spare.is_canonical);
}

TEST(sparse_structure_names_the_fault) {
  const std::vector<std::int32_t> indices{0, 2, 1};
  const std::vector<std::int64_t> indptr{0, 2, 2, 3};
  CHECK(is(found_in(indices, indptr, 2), SparseFault::index, 0, 2));
  CHECK(is(found_in(std::vector<std::int32_t>{0, 2, -1}, indptr, 3), SparseFault::index, 2, -1));
  using Offsets = std::vector<std::int64_t>;
  CHECK(is(found_in(indices, Offsets{1, 2, 2, 3}, 3), SparseFault::first_offset, 0, 1));
  CHECK(is(found_in(indices, Offsets{-1, 2, 2, 3}, 3), SparseFault::first_offset, 0, -1));
  CHECK(is(found_in(indices, Offsets{0, 2, 1, 3}, 3), SparseFault::falling_offset, 1, 1));
  const std::int64_t low = std::numeric_limits<std::int64_t>::min();
  CHECK(is(found_in(indices, Offsets{0, 2, 2, low}, 3), SparseFault::falling_offset, 2, low));
  CHECK(is(found_in(indices, Offsets{0, 2, 4, 5}, 3), SparseFault::last_offset, 1, 4));
}

TEST(sparse_structure_at_the_ends_of_the_index_type) {
  const std::vector<std::int32_t> indptr{0, 1};
  constexpr auto low = std::numeric_limits<std::int32_t>::min();
  constexpr auto high = std::numeric_limits<std::int32_t>::max();
  CHECK(is(found_in(std::vector<std::int32_t>{low}, indptr, 1), SparseFault::index, 0, low));
  CHECK(is(found_in(std::vector<std::int32_t>{high}, indptr, high), SparseFault::index, 0, high));
  CHECK(is(found_in(std::vector<std::int32_t>{0}, indptr, 0), SparseFault::index, 0, 0));
  const std::int64_t wide = std::int64_t{high} + 10;
  CHECK(found_in(std::vector<std::int32_t>{high}, indptr, wide).fault == SparseFault::none);
  CHECK(is(found_in(std::vector<std::int32_t>{-1}, indptr, wide), SparseFault::index, 0, -1));
}

TEST(sparse_structure_of_many_rows_for_any_number_of_threads) {
  const Rows<std::int32_t> rows(20'000);
  std::mt19937 draw(11);
  for (int trial = 0; trial < 60; ++trial) {
    auto indices = rows.indices;
    const auto k = 1 + draw() % (indices.size() - 1);
    if (trial % 4 == 1) indices[k] = indices[k - 1];
    if (trial % 4 == 2) indices[k] = trial % 8 < 4 ? -5 : 1000;
    if (trial % 4 == 3) std::swap(indices[k], indices[k - 1]);
    const auto expected = naive(indices, rows.indptr, rows.n_cols);
    for (const int n_threads : {1, 2, 5})
      CHECK(same(found_in(indices, rows.indptr, rows.n_cols, n_threads), expected));
  }
}

TEST(sparse_structure_finds_the_first_of_many_faults) {
  Rows<std::int64_t> rows(20'000);
  for (const int row : {17'000, 9'000, 12'000}) rows.indices[rows.indptr[row]] = 5000 + row;
  const auto expected = naive(rows.indices, rows.indptr, rows.n_cols);
  CHECK(same(found_in(rows.indices, rows.indptr, rows.n_cols, 2), expected));
  for (const int row : {15'000, 8'000}) rows.indptr[row] = -row;
  CHECK(is(found_in(rows.indices, rows.indptr, rows.n_cols, 2), SparseFault::falling_offset, 7'999,
           -8'000));
}

TEST(sparse_structure_finds_indices_outside) {
  std::vector<std::int64_t> indices(300'000);
  std::iota(indices.begin(), indices.end(), 0);
  const std::span<const std::int64_t> view(indices);
  Context ctx;
  ctx.n_threads = 2;
  CHECK(linalg::find_outside(view, 300'000, ctx) == -1);
  CHECK(linalg::find_outside(view, 250'001, ctx) == 250'001);
  indices[123'456] = -1;
  CHECK(linalg::find_outside(view, 250'001, ctx) == 123'456);
  CHECK(linalg::find_outside(view.first(0), 0, ctx) == -1);
}
