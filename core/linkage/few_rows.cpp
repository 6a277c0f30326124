#include "linkage/few_rows.hpp"

#include <algorithm>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "linkage/few_rows_kernel.hpp"
#include "parallel/tiles.hpp"

namespace gramian::linkage {
namespace {

constexpr std::int64_t kBlock = 64;  // entries: of 64 rows they fill the first cache
constexpr std::int64_t kLanes = 8;

// The entries begin .. end of all rows, one row after the other, in the order of the memory.
template <class T>
void pack(MatrixView<const T> X, std::int64_t begin, std::int64_t end, double* rows) {
  if (X.has_contiguous_rows()) {
    for (std::int64_t i = 0; i < X.n_rows; ++i)
      for (std::int64_t k = begin; k < end; ++k)
        rows[i * kBlock + k - begin] = static_cast<double>(X.data[i * X.row_stride + k]);
  } else {
    for (std::int64_t k = begin; k < end; ++k)
      for (std::int64_t i = 0; i < X.n_rows; ++i)
        rows[i * kBlock + k - begin] = static_cast<double>(X(i, k));
  }
  const std::int64_t filled = (end - begin + kLanes - 1) / kLanes * kLanes;
  for (std::int64_t i = 0; i < X.n_rows; ++i)
    std::fill(rows + i * kBlock + end - begin, rows + i * kBlock + filled, 0.0);
}

}  // namespace

template <class T>
std::vector<double> squares_of_pairs(MatrixView<const T> X, const Context& ctx) {
  const std::int64_t n = X.n_rows;
  const double cost_ns =
      0.15 * static_cast<double>(n * n / 2 + 8 * n) * static_cast<double>(X.n_cols);
  if (n < 2 || X.n_cols == 0) return std::vector<double>(at(n * n), 0.0);
  return parallel_reduce(
      ctx, Tiles::of_rows(X.n_cols, 4096), cost_ns,
      [&](std::int64_t begin, std::int64_t end) {
        std::vector<double> sums(at(n * n), 0.0);
        auto rows = Buffer<double>::zeros(n * kBlock);
        for (std::int64_t first = begin; first < end; first += kBlock) {
          const std::int64_t last = std::min(first + kBlock, end);
          pack(X, first, last, rows.data());
          GRAMIAN_DISPATCH(add_squares_of_pairs, rows.data(), kBlock, n, last - first, sums.data());
        }
        return sums;
      },
      [](std::vector<double>& left, const std::vector<double>& right) {
        for (std::size_t i = 0; i < left.size(); ++i) left[i] += right[i];
      });
}

template std::vector<double> squares_of_pairs(MatrixView<const float>, const Context&);
template std::vector<double> squares_of_pairs(MatrixView<const double>, const Context&);

}  // namespace gramian::linkage
