// Fits and passes over rows that come in blocks have the bits of the same rows in one matrix.
#include <algorithm>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "base/row_blocks.hpp"
#include "check.hpp"
#include "cluster/lloyd.hpp"
#include "linalg/block_design.hpp"
#include "linalg/class_moments.hpp"
#include "linalg/class_scatter.hpp"
#include "linalg/linalg_data.hpp"
#include "linalg/row_guess.hpp"
#include "preprocessing/columns.hpp"
#include "solve/glm/block_rows.hpp"
#include "solve/glm/glm.hpp"
#include "solve/least_squares/least_squares.hpp"

using gramian::AnyDense;
using gramian::AnyMatrix;
using gramian::Context;
using gramian::MatrixView;
using test::at;
using test::Layout;
using test::Matrix;
using test::same_bits;

namespace {

using Doubles = std::vector<double>;

template <class T>
class Blocks final : public gramian::RowBlocks {
 public:
  Blocks(MatrixView<const T> X, std::int64_t block_rows) : X_(X), block_rows_(block_rows) {}

  std::int64_t n_rows() const override { return X_.n_rows; }
  std::int64_t n_cols() const override { return X_.n_cols; }
  std::int64_t block_rows() const override { return block_rows_; }
  bool holds_doubles() const override { return sizeof(T) == sizeof(double); }
  void pass(const OnBlock& on_block) const override {
    for (std::int64_t first = 0; first < X_.n_rows; first += block_rows_) {
      // A copy that is gone afterwards, in the other order of memory.
      const std::int64_t last = std::min(first + block_rows_, X_.n_rows);
      const Matrix<T> block(X_.rows(first, last), X_.col_stride == 1 ? Layout::f : Layout::c);
      if (!on_block(first, AnyDense(MatrixView<const T>(block.view())))) return;
    }
  }

 private:
  MatrixView<const T> X_;
  std::int64_t block_rows_;
};

// The same, but that sums are taken elsewhere: from what travels, and from the rows of one block.
template <class T>
class Elsewhere final : public gramian::RowBlocks {
 public:
  Elsewhere(MatrixView<const T> X, std::int64_t block_rows) : blocks_(X, block_rows) {}

  std::int64_t n_rows() const override { return blocks_.n_rows(); }
  std::int64_t n_cols() const override { return blocks_.n_cols(); }
  std::int64_t block_rows() const override { return blocks_.block_rows(); }
  bool holds_doubles() const override { return blocks_.holds_doubles(); }
  // Brings rows here, of which no sum needs more than the first.
  void pass(const OnBlock& on_block) const override {
    blocks_.pass([&](std::int64_t first, const AnyDense& rows) {
      ++n_brought;
      return on_block(first, rows);
    });
  }
  bool is_elsewhere() const override { return true; }
  void sums(const gramian::RowSum& asked, const OnSums& on_sums) const override {
    blocks_.pass([&](std::int64_t first, const AnyDense& rows) {
      gramian::RowSum own = asked;
      for (auto& [values, width] : own.of_rows)
        values = gramian::linalg::part_of(values, first * width, n_rows_of(rows) * width);
      on_sums(first, sums_of(own, rows));
      return true;
    });
  }

  mutable int n_brought = 0;

 private:
  static Doubles sums_of(const gramian::RowSum& asked, const AnyDense& rows) {
    const auto ctx = test::context_with(1);
    if (auto sums = gramian::linalg::design_sums(asked, rows, ctx)) return *sums;
    if (auto sums = gramian::linalg::class_sums_of(asked, rows, ctx)) return *sums;
    return gramian::preprocessing::column_sums_of(asked, rows, ctx).value();
  }

  Blocks<T> blocks_;
};

// Rows far from zero, the first of them without weight, of three classes that come one after the
// other.
struct Data {
  std::int64_t n, p;
  Doubles x, y, weight;
  std::vector<std::int64_t> codes;

  Data(std::int64_t rows, std::int64_t cols)
      : n(rows),
        p(cols),
        x(test::normal_values(n * p, 1, 3.0)),
        y(test::normal_values(n, 2, -1.0)),
        weight(test::random_weights(n, 3)) {
    std::fill_n(weight.begin(), 9000, 0.0);
    for (std::int64_t i = 0; i < n; ++i) codes.push_back(3 * i / n);
  }

  MatrixView<const double> X() const { return {x.data(), n, p}; }
  MatrixView<const double> Y() const { return {y.data(), n, 1}; }
};

template <class T, template <class> class Kind>
void check_least_squares(const Data& data, std::int64_t block_rows, bool is_weighted) {
  const Matrix<T> X(data.X(), Layout::f);
  const std::span<const double> weight =
      is_weighted ? std::span<const double>(data.weight) : std::span<const double>{};
  const Doubles alpha{0.5};
  const gramian::solve::LeastSquaresOptions options{alpha};
  const MatrixView<const T> view(X.view());
  const Kind<T> blocks(view, block_rows);
  const auto whole = gramian::linalg::design_of(AnyMatrix(view), data.Y(), weight);
  const auto parts = gramian::linalg::design_of(blocks, data.Y(), weight);
  const auto expected =
      gramian::solve::solve_normal_equations(*whole, options, nullptr, test::context_with(4));
  const auto found =
      gramian::solve::solve_normal_equations(*parts, options, nullptr, test::context_with(1));
  CHECK(same_bits(found.coef, expected.coef));
  CHECK(same_bits(found.mean_x, expected.mean_x));
  CHECK(same_bits(found.rss, expected.rss));
  CHECK(same_bits(found.squared_norm, expected.squared_norm));
  CHECK(found.weight == expected.weight);
  Doubles means(at(data.p)), all_means(at(data.p));
  gramian::linalg::column_means(blocks, weight, means, test::context_with(1));
  gramian::linalg::column_means(view, weight, all_means, test::context_with(4));
  CHECK(same_bits(means, all_means));
}

void check_glm(const Data& data, const gramian::solve::GlmProblem& problem) {
  const Blocks<double> blocks(data.X(), 8192);
  const auto whole = gramian::solve::rows_for_passes(AnyMatrix(data.X()), problem.weight, true);
  const auto parts = gramian::solve::rows_for_passes(blocks, problem.weight, true);
  for (const auto method :
       {gramian::solve::GlmMethod::automatic, gramian::solve::GlmMethod::newton_cholesky,
        gramian::solve::GlmMethod::newton_cg}) {
    const gramian::solve::GlmOptions options{method, 1e-6, 50};
    Doubles expected(at(problem.n_outputs * (data.p + 1))), found(expected);
    gramian::solve::fit_glm(*whole, problem, options, expected, test::context_with(4));
    gramian::solve::fit_glm(*parts, problem, options, found, test::context_with(1));
    CHECK(same_bits(found, expected));
    CHECK(std::ranges::any_of(found, [](double value) { return value != 0.0; }));
  }
}

struct Moments {
  Doubles first, second, third;

  explicit Moments(std::size_t n) : first(n), second(n), third(n) {}
  bool operator==(const Moments& other) const {
    return same_bits(first, other.first) && same_bits(second, other.second) &&
           same_bits(third, other.third);
  }
};

}  // namespace

TEST(least_squares_of_blocks_is_that_of_one_matrix) {
  for (const std::int64_t p : {3, 40}) {
    const Data data(3 * 8192 + 777, p);
    for (const std::int64_t block_rows : {8192, 16'384, 65'536})
      for (const bool is_weighted : {false, true}) {
        check_least_squares<double, Blocks>(data, block_rows, is_weighted);
        check_least_squares<float, Blocks>(data, block_rows, is_weighted);
        check_least_squares<double, Elsewhere>(data, block_rows, is_weighted);
        check_least_squares<float, Elsewhere>(data, block_rows, is_weighted);
      }
  }
}

TEST(generalised_linear_models_of_blocks_are_those_of_one_matrix) {
  const Data data(3 * 8192 + 777, 12);
  Doubles count(data.y), code(at(data.n));
  for (double& value : count) value = value > -1.0 ? 1.0 : 0.0;
  for (std::int64_t i = 0; i < data.n; ++i) code[at(i)] = static_cast<double>(i * 7 % 3);
  gramian::solve::GlmProblem problem;
  problem.pointwise = gramian::PointwiseLoss::logistic;
  problem.y = count;
  problem.weight = data.weight;
  problem.l2 = 1e-3;
  check_glm(data, problem);
  problem.pointwise.reset();
  problem.n_outputs = 3;
  problem.y = code;
  check_glm(data, problem);
}

TEST(moments_of_columns_and_classes_in_blocks_are_those_of_one_matrix) {
  const Data data(2 * 65'536 + 777, 2);  // narrow: tiles of 65,536 rows
  const Blocks<double> blocks(data.X(), 65'536);
  const Elsewhere<double> elsewhere(data.X(), 65'536);
  const auto columns_of = [&](const auto& X, int n_threads) {
    Moments out(at(data.p));
    gramian::preprocessing::column_moments(X, data.weight, {out.first, out.second, out.third},
                                           test::context_with(n_threads));
    return out;
  };
  CHECK(columns_of(blocks, 1) == columns_of(data.X(), 4));
  CHECK(columns_of(elsewhere, 1) == columns_of(data.X(), 4));
  const auto ranges_of = [&](const auto& X) {
    Moments out(at(data.p));
    gramian::preprocessing::column_ranges(X, out.first, out.second, test::context_with(2));
    return out;
  };
  CHECK(ranges_of(blocks) == ranges_of(data.X()));
  CHECK(ranges_of(elsewhere) == ranges_of(data.X()));
  const auto classes_of = [&](const auto& X, int n_threads) {
    Moments out(at(3 * data.p));
    out.first.resize(3);
    gramian::linalg::class_moments(
        X, data.codes, data.weight,
        {out.first, {out.second.data(), 3, data.p}, {out.third.data(), 3, data.p}},
        test::context_with(n_threads));
    return out;
  };
  CHECK(classes_of(blocks, 1) == classes_of(data.X(), 4));
  CHECK(elsewhere.n_brought == 1);  // for the origin of the columns
  CHECK(classes_of(elsewhere, 1) == classes_of(data.X(), 4));
}

TEST(sums_that_do_not_fit_what_is_asked_for_are_refused) {
  const Data data(9'100, 3);
  const AnyDense rows(data.X());
  const gramian::RowSum unknown{"other", {}, {}};
  CHECK(!gramian::linalg::design_sums(unknown, rows, Context{}));
  CHECK(!gramian::linalg::class_sums_of(unknown, rows, Context{}));
  CHECK(!gramian::preprocessing::column_sums_of(unknown, rows, Context{}));
  const auto refused = [&](const gramian::RowSum& asked) {
    try {
      gramian::linalg::design_sums(asked, rows, Context{});
    } catch (const gramian::InvalidArgument&) {
      return true;
    }
    return false;
  };
  CHECK(refused({"column sums", {0.0, 0.0}, {{{}, 1}}}));           // a number for each column
  CHECK(refused({"column sums", {0.0, 0.0, 0.0}, {}}));             // or no weights at all
  CHECK(refused({"column sums", {0.0, 0.0, 0.0}, {{data.y, 2}}}));  // one weight for each row
  gramian::linalg::ColumnSums sums{0.0, Doubles(3)};
  bool is_refused = false;
  try {
    gramian::linalg::unpack(Doubles(5), sums);
  } catch (const gramian::InvalidArgument&) {
    is_refused = true;
  }
  CHECK(is_refused);
}

TEST(scatter_within_classes_of_blocks_is_that_of_one_matrix) {
  const Data data(3 * 8192 + 777, 11);
  const Doubles mean = test::normal_values(3 * data.p, 7, 1.0);
  const MatrixView<const double> means(mean.data(), 3, data.p);
  for (const bool is_weighted : {false, true}) {
    const std::span<const double> weight =
        is_weighted ? std::span<const double>(data.weight) : std::span<const double>{};
    Doubles expected(at(data.p * data.p)), found(expected);
    gramian::linalg::pooled_scatter(
        gramian::linalg::ClassedRows<double>{data.X(), data.codes, weight, means}, expected.data(),
        test::context_with(4));
    for (const std::int64_t block_rows : {8192, 16'384, 65'536}) {
      gramian::linalg::pooled_scatter(Blocks<double>(data.X(), block_rows), data.codes, weight,
                                      means, found.data(), test::context_with(1));
      CHECK(same_bits(found, expected));
    }
  }
}

namespace {

struct Clusters {
  Doubles centres;
  std::vector<std::int32_t> labels;
  gramian::cluster::LloydResult result;
};

// From a start of which the last two clusters are empty.
Clusters start_of(const Data& data) {
  Clusters clusters{Doubles(data.x.begin() + 5 * data.p, data.x.begin() + 10 * data.p),
                    std::vector<std::int32_t>(at(data.n)),
                    {}};
  for (std::int64_t k = 0; k < data.p; ++k) {
    clusters.centres[at(3 * data.p + k)] = 1e4;
    clusters.centres[at(4 * data.p + k)] = -1e4;
  }
  return clusters;
}

}  // namespace

TEST(k_means_of_blocks_takes_the_steps_of_one_matrix) {
  const Data data(3 * 8192 + 777, 6);
  const Matrix<double> columns(data.X(), Layout::f);  // whose blocks have contiguous rows
  Doubles near;
  for (std::int64_t i = 0; i < data.n; i += data.n / 1024)
    near.insert(near.end(), data.x.begin() + i * data.p, data.x.begin() + (i + 1) * data.p);
  const MatrixView<const double> some(near.data(), std::ssize(near) / data.p, data.p);
  for (const bool is_weighted : {false, true}) {
    const std::span<const double> weight =
        is_weighted ? std::span<const double>(data.weight) : std::span<const double>{};
    for (const std::int64_t max_iter : {1, 7, 200}) {
      const gramian::cluster::LloydOptions options{max_iter, 1e-9};
      Clusters expected = start_of(data);
      expected.result = gramian::cluster::lloyd(
          data.X(), weight, MatrixView<double>(expected.centres.data(), 5, data.p), options,
          expected.labels, {}, test::context_with(4));
      for (const std::int64_t block_rows : {8192, 65'536}) {
        const Blocks<double> blocks(MatrixView<const double>(columns.view()), block_rows);
        Clusters found = start_of(data);
        found.result = gramian::cluster::lloyd(blocks, some, weight,
                                               MatrixView<double>(found.centres.data(), 5, data.p),
                                               options, found.labels, {}, test::context_with(1));
        CHECK(same_bits(found.centres, expected.centres));
        CHECK(found.labels == expected.labels);
        CHECK(found.result.n_iter == expected.result.n_iter);
        CHECK(found.result.inertia == expected.result.inertia);
      }
    }
  }
  Clusters clusters = start_of(data);
  const Blocks<double> by_columns(data.X(), 8192);
  CHECK_THROWS(gramian::InvalidArgument,
               gramian::cluster::lloyd(by_columns, some, {},
                                       MatrixView<double>(clusters.centres.data(), 5, data.p),
                                       {1, 0.0}, clusters.labels, {}, test::context_with(1)));
}
