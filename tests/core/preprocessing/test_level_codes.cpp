// Codes of whole numbers, in both orders of memory, for one thread and four.
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "preprocessing/level_codes.hpp"

using gramian::Context;
using gramian::MatrixView;
using gramian::preprocessing::NumberSlots;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kRows = 10'000;

// Numbers -2 to 3, and some NaN, in the first column and 5 to 8 in the second.
std::vector<double> numbers(bool by_column) {
  std::vector<double> x(2 * kRows);
  for (std::int64_t i = 0; i < kRows; ++i) {
    const double first = i % 11 == 0 ? kNan : static_cast<double>(i % 6 - 2);
    const double second = static_cast<double>(5 + i % 4);
    x[static_cast<std::size_t>(by_column ? i : 2 * i)] = first;
    x[static_cast<std::size_t>(by_column ? kRows + i : 2 * i + 1)] = second;
  }
  return x;
}

}  // namespace

TEST(numbers_have_the_code_of_their_slot) {
  const std::vector<std::int64_t> least{-2, 5}, first{0, 6, 10};
  const NumberSlots slots{least, first};
  const std::vector<std::int32_t> code{10, 11, 12, 13, 14, 15, 20, 21, 22, 23};
  for (const bool by_column : {false, true}) {
    const auto x = numbers(by_column);
    const MatrixView<const double> X = by_column
                                           ? MatrixView<const double>(x.data(), kRows, 2, 1, kRows)
                                           : MatrixView<const double>(x.data(), kRows, 2);
    for (const int n_threads : {1, 4}) {
      Context ctx;
      ctx.n_threads = n_threads;
      std::vector<std::uint8_t> marks(10, 0);
      CHECK(gramian::preprocessing::mark_numbers(X, {}, slots, marks, ctx));
      CHECK(marks == std::vector<std::uint8_t>(10, 1));
      std::vector<std::int32_t> codes(2 * kRows);
      const MatrixView<std::int32_t> out(codes.data(), kRows, 2);
      CHECK(gramian::preprocessing::number_codes(X, slots, code, out, ctx));
      for (std::int64_t i = 0; i < kRows; ++i) {
        CHECK(out(i, 0) == (i % 11 == 0 ? -1 : 10 + i % 6));
        CHECK(out(i, 1) == 20 + i % 4);
      }
    }
  }
}

TEST(entries_without_a_slot_are_told_and_rows_without_weight_are_not_marked) {
  const std::vector<std::int64_t> least{-5}, first{0, 7};
  const NumberSlots slots{least, first};
  // 1e-20 is not whole, though 1e-20 + 5 is 5 in double precision.
  const std::vector<double> x{-5.0, 1.0, 0.5, 1e-20, 2.0, -6.0, kInfinity, -0.0};
  const MatrixView<const double> X(x.data(), 8, 1);
  const Context ctx;
  const std::vector<double> weight{1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0};
  std::vector<std::uint8_t> marks(7, 0);
  CHECK(!gramian::preprocessing::mark_numbers(X, weight, slots, marks, ctx));
  CHECK(marks == std::vector<std::uint8_t>({1, 0, 0, 0, 0, 1, 0}));
  std::vector<std::int32_t> codes(8);
  const std::vector<std::int32_t> code{0, 1, 2, 3, 4, 5, 6};
  CHECK(!gramian::preprocessing::number_codes(X, slots, code,
                                              MatrixView<std::int32_t>(codes.data(), 8, 1), ctx));
  CHECK(codes == std::vector<std::int32_t>({0, 6, -2, -2, -2, -2, -2, 5}));
}
