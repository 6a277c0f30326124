// Linear joint log-probabilities: sparse rows as dense ones, on every level.
#include <cmath>
#include <vector>

#include "bayes/dense_joint_kernel.hpp"
#include "bayes/linear.hpp"
#include "bayes/log_shares_kernel.hpp"
#include "bayes/sparse_joint_kernel.hpp"
#include "check.hpp"
#include "linalg/class_moments.hpp"
#include "linalg/linalg_data.hpp"
#include "simd/each_level.hpp"

using gramian::CsrView;
using gramian::JointBlock;
using gramian::MatrixView;
using test::at;

namespace {

using Doubles = std::vector<double>;

// Rows with two of three entries zero, dense and sparse.
struct Rows {
  std::int64_t n, p;
  Doubles dense, values;
  std::vector<std::int32_t> indices, indptr{0};

  Rows(std::int64_t n_rows, std::int64_t n_cols)
      : n(n_rows), p(n_cols), dense(test::normal_values(n * p, 1)) {
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < p; ++j) {
        double& entry = dense[at(i * p + j)];
        if ((i + j) % 3 != 0) {
          entry = 0.0;
          continue;
        }
        values.push_back(entry);
        indices.push_back(static_cast<std::int32_t>(j));
      }
      indptr.push_back(static_cast<std::int32_t>(values.size()));
    }
  }

  MatrixView<const double> view() const { return {dense.data(), n, p}; }
  CsrView<double, std::int32_t> csr() const { return {values, indices, indptr, p}; }
};

}  // namespace

TEST(linear_answers_are_those_of_the_definition) {
  for (const std::int64_t k : {1, 2, 7, 8, 20, 33, 70}) {
    const Rows rows(130, 45);
    const Doubles coef = test::normal_values(k * rows.p, 2), constant = test::normal_values(k, 3);
    const MatrixView<const double> C(coef.data(), k, rows.p);
    Doubles dense(at(rows.n * k)), sparse(dense.size());
    using gramian::bayes::Asked;
    const auto ask = [&](Doubles& out) {
      return Asked<double>{gramian::Answer::joint, constant, {out.data(), rows.n, k}, nullptr};
    };
    gramian::bayes::linear_answers(rows.view(), C, constant, ask(dense), test::context_with(1));
    gramian::bayes::linear_answers(rows.csr(), C, constant, ask(sparse), test::context_with(2));
    CHECK(test::same_bits(dense, sparse));
    for (std::int64_t i = 0; i < rows.n; ++i)
      for (std::int64_t c = 0; c < k; ++c) {
        long double sum = constant[at(c)];
        for (std::int64_t j = 0; j < rows.p; ++j)
          sum += static_cast<long double>(rows.dense[at(i * rows.p + j)]) * C(c, j);
        CHECK(test::is_close(dense[at(i * k + c)], sum, 1e-13L));
      }
  }
}

TEST(linear_joint_kernels_have_the_same_bits_on_every_level) {
  const std::int64_t k = 11;
  const Rows rows(50, 40);
  const Doubles coef = test::normal_values(k * rows.p, 2), constant = test::normal_values(k, 3);
  Doubles table(at(k * rows.p + 8));
  for (std::int64_t j = 0; j < rows.p; ++j)
    for (std::int64_t c = 0; c < k; ++c) table[at(j * k + c)] = coef[at(c * rows.p + j)];
  Doubles first;
  for (const test::Level level : test::levels()) {
    Doubles dense(at(k * JointBlock::kMostRows)), sparse(dense.size());
    Doubles scratch(at(JointBlock::kMostRows * gramian::kJointColsAtOnce));
    const gramian::DenseRows<double> view{rows.dense.data(), rows.p, 1, rows.n, rows.p};
    AT_LEVEL(level, linear_joint, view, gramian::LinearClasses{coef.data(), constant.data(), k},
             scratch.data(), dense.data());
    // The last columns of the table stand elsewhere.
    const std::int64_t n_whole = rows.p - 2;
    const gramian::ClassTable split{table.data(), table.data() + n_whole * k, n_whole,
                                    constant.data(), k};
    AT_LEVEL(level, sparse_joint, rows.csr(), split, sparse.data());
    if (first.empty()) first = dense;
    for (std::int64_t c = 0; c < k; ++c)
      for (std::int64_t i = 0; i < rows.n; ++i) {
        const std::size_t ci = at(c * JointBlock::kMostRows + i);
        CHECK(dense[ci] == first[ci]);
        CHECK(sparse[ci] == first[ci]);
      }
  }
}

TEST(class_sums_of_sparse_rows_are_those_of_dense_ones) {
  const Rows rows(200, 30);
  const Doubles weight = test::random_weights(rows.n, 4);
  std::vector<std::int64_t> codes(at(rows.n));
  for (std::int64_t i = 0; i < rows.n; ++i) codes[at(i)] = i * 7 % 4;
  Doubles sums[2] = {Doubles(at(4 * rows.p)), Doubles(at(4 * rows.p))},
          weights[2] = {Doubles(4), Doubles(4)};
  const auto ctx = test::context_with(2);
  gramian::linalg::class_sums(rows.view(), codes, weight, weights[0], {sums[0].data(), 4, rows.p},
                              ctx);
  gramian::linalg::class_sums(rows.csr(), codes, weight, weights[1], {sums[1].data(), 4, rows.p},
                              ctx);
  CHECK(test::same_bits(weights[0], weights[1]));
  CHECK(test::same_bits(sums[0], sums[1]));
}

TEST(log_shares_stand_by_column_and_have_the_same_bits_on_every_level) {
  for (const std::int64_t k : {1, 5, 8, 19}) {
    constexpr std::int64_t p = 277;
    Doubles counts = test::normal_values(k * p, 3, 0.0), base(p, 40.0), added(p, 0.5), total(at(k));
    for (double& count : counts) count = std::floor(std::abs(3.0 * count));
    counts[7] = 40.0;  // of which nothing is left below
    added[7] = 0.0;
    for (std::int64_t c = 0; c < k; ++c) total[at(c)] = std::log(100.0 + static_cast<double>(c));
    for (const double sign : {1.0, -1.0}) {
      Doubles first;
      for (const test::Level level : test::levels()) {
        Doubles out(counts.size());
        const gramian::LogShares shares{
            counts.data(), base.data(), added.data(), total.data(), k, p, sign, out.data()};
        AT_LEVEL(level, log_shares, shares, 0, p);
        if (first.empty()) first = out;
        CHECK(out == first);
        for (std::int64_t c = 0; c < k; ++c)
          for (std::int64_t j = 0; j < p; ++j) {
            const double sum = base[at(j)] + sign * counts[at(c * p + j)] + added[at(j)];
            const double expected = sign * (std::log(sum) - total[at(c)]);
            const double found = out[at(j * k + c)];
            CHECK(found == expected || std::abs(found - expected) < 1e-14);
          }
      }
    }
  }
}
