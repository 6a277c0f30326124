// Counts of levels and their tables against loops over the rows.
#include <vector>

#include "base/error.hpp"
#include "bayes/levels.hpp"
#include "check.hpp"
#include "linalg/linalg_data.hpp"

using gramian::MatrixView;
using test::at;

namespace {

using Doubles = std::vector<double>;

// Codes of columns with 1, 2, 3, ... levels, some of them missing.
struct Levels {
  static constexpr std::int64_t n = 5000, p = 4, k = 3;
  std::vector<std::int32_t> codes = std::vector<std::int32_t>(at(n * p));
  std::vector<std::int64_t> first{0, 1, 3, 6, 10}, classes = std::vector<std::int64_t>(at(n));

  Levels() {
    gramian::Stream stream(3, 0, 0);
    for (std::int64_t i = 0; i < n; ++i) {
      classes[at(i)] = static_cast<std::int64_t>(stream.below(at(k)));
      for (std::int64_t j = 0; j < p; ++j)
        codes[at(i * p + j)] = static_cast<std::int32_t>(stream.below(at(j + 2))) - 1;
    }
  }
  gramian::bayes::LevelRows rows() const { return {{codes.data(), n, p}, first}; }
};

}  // namespace

TEST(level_counts_are_those_of_a_loop) {
  const Levels data;
  const Doubles weight = test::random_weights(Levels::n, 1);
  Doubles counts(30), expected(30);
  gramian::bayes::level_counts(data.rows(), data.classes, weight, {counts.data(), 10, 3},
                               test::context_with(2));
  for (std::int64_t i = 0; i < Levels::n; ++i)
    for (std::int64_t j = 0; j < Levels::p; ++j) {
      const std::int32_t code = data.codes[at(i * Levels::p + j)];
      if (code < 0) continue;
      expected[at((data.first[at(j)] + code) * 3 + data.classes[at(i)])] += weight[at(i)];
    }
  CHECK(test::same_bits(counts, expected));
}

TEST(level_answers_leave_missing_values_out) {
  const Levels data;
  const Doubles table = test::normal_values(30, 1), constant{0.5, 1.0, 2.0};
  Doubles joint(at(Levels::n * Levels::k));
  gramian::bayes::level_answers(
      data.rows(), {table.data(), 10, 3}, constant,
      {gramian::Answer::joint, constant, {joint.data(), Levels::n, Levels::k}, nullptr},
      test::context_with(2));
  for (std::int64_t i = 0; i < Levels::n; ++i)
    for (std::int64_t c = 0; c < Levels::k; ++c) {
      long double sum = constant[at(c)];
      for (std::int64_t j = 0; j < Levels::p; ++j) {
        const std::int32_t code = data.codes[at(i * Levels::p + j)];
        if (code >= 0) sum += table[at((data.first[at(j)] + code) * 3 + c)];
      }
      CHECK(test::is_close(joint[at(i * 3 + c)], sum, 1e-14L));
    }
}

TEST(codes_that_are_no_level_are_refused) {
  Levels data;
  data.codes[5] = 2;  // the second column has two levels
  Doubles counts(30);
  CHECK_THROWS(gramian::InvalidArgument,
               gramian::bayes::level_counts(data.rows(), data.classes, {}, {counts.data(), 10, 3},
                                            test::context_with(1)));
}
