#include <cstdint>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "linalg/gather.hpp"

using gramian::Context;
using gramian::MatrixView;

namespace {

// Rows by a fixed stride through the numbers of rows, with repeats.
std::vector<std::int64_t> scattered(std::int64_t n, std::int64_t n_rows) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = static_cast<std::int64_t>(i) * 7'919 % n_rows;
  return rows;
}

}  // namespace

TEST(gather_rows_of_any_layout) {
  const std::int64_t n = 3'000, p = 13;
  std::vector<double> x(static_cast<std::size_t>(n * p));
  std::iota(x.begin(), x.end(), 0.0);
  const auto rows = scattered(50'000, n);
  const std::vector<MatrixView<const double>> layouts = {
      {x.data(), n, p}, {x.data(), n, p, 1, n}, {x.data() + (n - 1) * p, n, p, -p, 1}};
  for (const auto& X : layouts)
    for (const int n_threads : {1, 4}) {
      std::vector<double> found(rows.size() * static_cast<std::size_t>(p), -1.0);
      const MatrixView<double> out(found.data(), static_cast<std::int64_t>(rows.size()), p);
      Context ctx;
      ctx.n_threads = n_threads;
      gramian::linalg::gather_rows(X, std::span<const std::int64_t>(rows), out, ctx);
      bool is_same = true;
      for (std::int64_t i = 0; i < out.n_rows; ++i)
        for (std::int64_t j = 0; j < p; ++j)
          is_same = is_same && out(i, j) == X(rows[static_cast<std::size_t>(i)], j);
      CHECK(is_same);
    }
}

TEST(gather_no_rows_and_no_columns) {
  const std::vector<double> x(6, 1.0);
  gramian::linalg::gather_rows(MatrixView<const double>(x.data(), 2, 3), {}, {nullptr, 0, 3},
                               Context{});
  const std::vector<std::int64_t> rows = {1, 0, 1};
  gramian::linalg::gather_rows(MatrixView<const double>(x.data(), 2, 0),
                               std::span<const std::int64_t>(rows), {nullptr, 3, 0}, Context{});
}
