// Boosting: every kernel against its definition on all levels, splits against trying everything,
// and the same trees for any number of threads and any order of the rows.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "base/index.hpp"
#include "boost/bins/edges.hpp"
#include "boost/bins/quantise_kernel.hpp"
#include "boost/grow/histogram_kernel.hpp"
#include "boost/grow/leaf_values.hpp"
#include "boost/grow/linear_fit.hpp"
#include "boost/grow/linear_kernel.hpp"
#include "boost/grow/part_kernel.hpp"
#include "boost/grow/scan_kernel.hpp"
#include "boost/grow/tree_grower.hpp"
#include "boost/objective/lambdas.hpp"
#include "check.hpp"

using gramian::at;
using gramian::Context;
using gramian::MatrixView;
namespace boost = gramian::boost;

namespace {

using Random = std::mt19937_64;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Calls function(name of the level's namespace) for the levels that this machine has.
#if defined(__x86_64__)
#define ON_ALL_LEVELS(statement)                      \
  {                                                   \
    {                                                 \
      using namespace gramian::v2;                    \
      statement;                                      \
    }                                                 \
    if (gramian::cpu_level() >= gramian::Level::v3) { \
      using namespace gramian::v3;                    \
      statement;                                      \
    }                                                 \
    if (gramian::cpu_level() >= gramian::Level::v4) { \
      using namespace gramian::v4;                    \
      statement;                                      \
    }                                                 \
  }
#else
#define ON_ALL_LEVELS(statement)    \
  {                                 \
    using namespace gramian::plain; \
    statement;                      \
  }
#endif

struct Data {
  std::vector<double> X;
  std::vector<std::int32_t> n_levels;
  std::vector<float> gradient, hessian;
  std::int64_t n, p;

  gramian::AnyMatrix features() const { return MatrixView<const double>(X.data(), n, p); }
  double x(std::int64_t i, std::int64_t j) const { return X[at(i * p + j)]; }
};

// One column in three has gaps, another holds levels; gradients depend on all.
Data make_data(std::int64_t n, std::int64_t p, Random& random) {
  Data data;
  data.n = n;
  data.p = p;
  std::normal_distribution<double> normal;
  for (std::int64_t j = 0; j < p; ++j) data.n_levels.push_back(j % 3 == 2 ? 7 : 0);
  for (std::int64_t i = 0; i < n; ++i) {
    double sum = 0.0;
    for (std::int64_t j = 0; j < p; ++j) {
      const bool is_missing = j % 3 == 1 && random() % 5 == 0;
      const double value =
          j % 3 == 2 ? static_cast<double>(random() % 7) : std::round(8.0 * normal(random)) / 8.0;
      data.X.push_back(is_missing ? kMissing : value);
      sum += is_missing ? 1.0 : std::sin(value + static_cast<double>(j));
    }
    data.gradient.push_back(static_cast<float>(sum + 0.5 * normal(random)));
    data.hessian.push_back(static_cast<float>(0.05 + 0.2 * std::abs(normal(random))));
  }
  return data;
}

std::shared_ptr<boost::Bins> bins_of(const Data& data, std::int32_t max_bins = 255) {
  const boost::BinPlan plan{data.n_levels, max_bins, {}};
  return std::make_shared<boost::Bins>(data.features(), plan, boost::Sharing::all, 0.0, Context{});
}

std::vector<double> scores_of(boost::TreeGrower& grower, const Data& data,
                              const boost::TreeOptions& options, int n_threads,
                              std::span<const std::uint32_t> rows = {}) {
  Context ctx;
  ctx.n_threads = n_threads;
  const boost::BoostedTree tree =
      grower.grow({data.gradient, data.hessian, {}, rows}, options, ctx);
  std::vector<double> scores(at(data.n));
  grower.add_last(tree, nullptr, scores, ctx);
  std::vector<double> again(at(data.n));
  tree.add(grower.bins(), nullptr, {}, 1.0, again, ctx);
  CHECK(scores == again);
  return scores;
}

}  // namespace

TEST(boost_edges_part_values_evenly) {
  std::vector<boost::Distinct> values;
  for (int i = 0; i < 1000; ++i) values.push_back({static_cast<double>(i), 1.0});
  const auto edges = boost::choose_edges(values, 10);
  CHECK(edges.size() == 9);
  for (std::size_t b = 1; b < edges.size(); ++b)
    CHECK(std::abs(edges[b] - edges[b - 1] - 100.0) <= 1.0);
  // Few values: an edge between any two. A heavy value has a bin of its own.
  CHECK(boost::choose_edges(std::span(values).first(10), 10).size() == 9);
  values[500].weight = 1e6;
  const auto heavy = boost::choose_edges(values, 10);
  CHECK(std::find(heavy.begin(), heavy.end(), 499.5) != heavy.end());
  CHECK(std::find(heavy.begin(), heavy.end(), 500.5) != heavy.end());
}

TEST(boost_rare_levels_share_a_bin) {
  std::vector<std::uint8_t> bins;
  const std::vector<double> weight{1.0, 9.0, 0.0, 5.0, 2.0};
  CHECK(boost::choose_level_bins(weight, 3, bins) == 3);
  CHECK((bins == std::vector<std::uint8_t>{2, 0, 2, 1, 2}));
}

TEST(boost_quantiser_counts_the_edges_below) {
  Random random(3);
  std::normal_distribution<double> normal;
  for (const int n_edges : {0, 1, 7, 15, 16, 100, 254}) {
    std::vector<double> edges(gramian::kEdgeTable, kInfinity);
    for (int k = 0; k < n_edges; ++k) edges[at(k)] = normal(random);
    std::sort(edges.begin(), edges.begin() + n_edges);
    std::vector<double> values(77);
    for (double& value : values) value = normal(random);
    values[3] = kMissing;
    values[4] = kInfinity;
    values[5] = -kInfinity;
    if (n_edges > 0) values[6] = edges[at(n_edges / 2)];
    std::vector<float> single_edges(edges.begin(), edges.end());
    std::vector<float> singles(values.begin(), values.end());
    const auto expected = [&](const auto& table, auto x) {
      if (std::isnan(x)) return std::uint8_t{255};
      const auto last = table.begin() + n_edges;
      return static_cast<std::uint8_t>(std::lower_bound(table.begin(), last, x) - table.begin());
    };
    std::vector<std::uint8_t> out(values.size());
    ON_ALL_LEVELS({
      write_bins(values.data(), 77, edges.data(), n_edges, 255, out.data());
      for (std::size_t i = 0; i < out.size(); ++i) CHECK(out[i] == expected(edges, values[i]));
      write_bins(singles.data(), 77, single_edges.data(), n_edges, 255, out.data());
      for (std::size_t i = 0; i < out.size(); ++i)
        CHECK(out[i] == expected(single_edges, singles[i]));
    });
  }
}

TEST(boost_histograms_are_sums) {
  Random random(4);
  constexpr std::int64_t n = 300, stride = 16;
  std::vector<std::uint8_t> codes(at(n * stride));
  for (auto& code : codes) code = static_cast<std::uint8_t>(random());
  std::vector<std::int64_t> pairs(at(n));
  for (auto& pair : pairs) pair = static_cast<std::int64_t>(random() >> 20) - (1 << 20);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t r = 0; r < n; r += 3) rows.push_back(r);
  std::vector<std::int64_t> first_cells;
  for (std::int64_t t = 0; t < stride; ++t) first_cells.push_back(256 * t);
  for (const std::int64_t n_tracks : {1, 5, 8, 11, 16}) {
    for (const bool is_listed : {false, true}) {
      const auto m = is_listed ? static_cast<std::int64_t>(rows.size()) : n;
      const gramian::HistogramRows block{
          codes.data(), stride, n_tracks,          is_listed ? rows.data() : nullptr,
          pairs.data(), m,      first_cells.data()};
      std::vector<std::int64_t> expected(at(256 * stride));
      for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t t = 0; t < n_tracks; ++t) {
          const std::int64_t row = is_listed ? rows[at(i)] : i;
          expected[at(256 * t + codes[at(row * stride + t)])] += pairs[at(row)];
        }
      ON_ALL_LEVELS({
        std::vector<std::int64_t> cells(at(256 * stride));
        add_to_histogram(block, cells.data());
        CHECK(cells == expected);
      });
    }
  }
}

TEST(boost_scores_follow_their_formula) {
  Random random(5);
  std::vector<std::int64_t> cells;
  std::int64_t total = 0;
  for (int i = 0; i < 100; ++i) {
    const auto g = static_cast<std::int64_t>(random() % 2001) - 1000;
    cells.push_back(boost::make_pair(g, static_cast<std::int64_t>(random() % 50)));
    total += cells.back();
  }
  for (const double l1 : {0.0, 300.0}) {
    const gramian::CutRules rules{2.5, l1, 20};
    const auto part = [&](std::int64_t sum) {
      const double g = std::max(std::abs(static_cast<double>(boost::gradient_of(sum))) - l1, 0.0);
      return g * g / (static_cast<double>(boost::hessian_of(sum)) + 2.5);
    };
    std::vector<double> first;
    ON_ALL_LEVELS({
      std::vector<double> scores(cells.size());
      const double best = score_cuts(cells.data(), 100, 0, total, rules, scores.data());
      std::int64_t left = 0;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        left += cells[i];
        const bool is_allowed =
            std::min(boost::hessian_of(left), boost::hessian_of(total - left)) >= 20;
        const double expected = is_allowed ? part(left) + part(total - left) : -1.0;
        CHECK(std::abs(scores[i] - expected) <= 1e-12 * std::abs(expected));
      }
      CHECK(best == *std::max_element(scores.begin(), scores.end()));
      if (first.empty()) first = scores;
      CHECK(scores == first);
    });
  }
}

TEST(boost_bounds_are_just_above_the_best_score) {
  Random random(6);
  for (const std::int64_t n : {1, 15, 16, 17, 255, 300})
    for (int round = 0; round < 50; ++round) {
      std::vector<std::int64_t> cells;
      std::int64_t total = 0;
      for (std::int64_t i = 0; i < n + 1; ++i) {
        const auto g = static_cast<std::int64_t>(random() % 8'000'001) - 4'000'000;
        cells.push_back(boost::make_pair(g, static_cast<std::int64_t>(random() % 10'000'000)));
        total += cells.back();
      }
      const std::int64_t least = round % 5 == 4 ? 0x1FFFFFFFF : round % 2 == 0 ? 1 : 20'000'000;
      const gramian::CutRules rules{round % 3 == 0 ? 0.0 : 1e7, 0.0, least};
      CHECK(gramian::may_bound(rules));
      ON_ALL_LEVELS({
        std::vector<double> scores(at(n));
        const double best = score_cuts(cells.data(), n, 0, total, rules, scores.data());
        const double bound = bound_cuts(cells.data(), n, 0, total, rules);
        CHECK(best < 0.0 ? bound == -1.0 : bound >= best && bound <= best * (1.0 + 4e-6));
      });
    }
  CHECK(!gramian::may_bound({1e13, 0.0, 1}));
  CHECK(!gramian::may_bound({0.0, 0.5, 1}));
}

TEST(boost_scores_of_single_cells_are_those_of_cuts) {
  const std::vector<std::int64_t> cells{boost::make_pair(7, 30), boost::make_pair(-90, 25),
                                        boost::make_pair(3, 2), boost::make_pair(40, 60)};
  const std::int64_t total = std::accumulate(cells.begin(), cells.end(), std::int64_t{0});
  for (const double l1 : {0.0, 5.0}) {
    const gramian::CutRules rules{1.5, l1, 10};
    ON_ALL_LEVELS({
      std::vector<double> scores(4);
      const double best = score_each(cells.data(), 4, total, rules, scores.data());
      for (std::size_t i = 0; i < cells.size(); ++i) {
        double left = 0.0;
        double right = 0.0;  // the cell on either side: the same bits
        const std::int64_t rest = total - cells[i];
        score_cuts(&cells[i], 1, 0, total, rules, &left);
        score_cuts(&rest, 1, 0, total, rules, &right);
        CHECK(scores[i] == left && scores[i] == right);
      }
      CHECK(best == *std::max_element(scores.begin(), scores.end()) && scores[2] == -1.0);
    });
  }
}

TEST(boost_rows_are_parted_in_their_order) {
  Random random(12);
  for (const std::int64_t n : {0, 1, 15, 16, 17, 200}) {
    std::vector<std::uint8_t> codes(500), apart(8 * codes.size());
    for (std::size_t i = 0; i < codes.size(); ++i)
      apart[8 * i] = codes[i] = static_cast<std::uint8_t>(random());
    boost::CodeSet goes_left{};
    for (auto& is_left : goes_left) is_left = static_cast<std::uint8_t>(random() % 2);
    std::vector<std::uint32_t> rows, expected, others;
    for (std::int64_t i = 0; i < n; ++i) rows.push_back(static_cast<std::uint32_t>(2 * i + 7));
    for (const std::uint32_t row : rows)
      (goes_left[codes[row]] != 0 ? expected : others).push_back(row);
    ON_ALL_LEVELS({
      for (const std::int64_t stride : {1, 8}) {
        std::vector<std::uint32_t> own = rows;
        std::vector<std::uint32_t> right(rows.size());
        const std::uint8_t* of_rows = stride == 1 ? codes.data() : apart.data();
        const std::int64_t n_left =
            part_rows(own.data(), n, of_rows, stride, goes_left.data(), right.data());
        own.resize(at(n_left));
        right.resize(at(n - n_left));
        CHECK(own == expected && right == others);
      }
    });
  }
}

// The root's split against all splits of all columns, with counts of rows.
TEST(boost_finds_the_best_split) {
  Random random(6);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Data data = make_data(120, 2, random);
    const auto bins = bins_of(data);
    boost::TreeOptions options;
    options.max_leaves = 2;
    options.min_rows = 10;
    options.l2 = 0.5;
    boost::TreeGrower grower(bins);
    const std::vector<double> scores = scores_of(grower, data, options, 1);
    const auto part = [&](const std::vector<bool>& is_left, bool side) {
      double g = 0.0, h = 0.0;
      int n = 0;
      for (std::int64_t i = 0; i < data.n; ++i)
        if (is_left[at(i)] == side) {
          g += static_cast<double>(data.gradient[at(i)]);
          h += static_cast<double>(data.hessian[at(i)]);
          ++n;
        }
      return n < 10 ? -kInfinity : g * g / (h + 0.5);
    };
    double best = -kInfinity;
    for (std::int64_t j = 0; j < data.p; ++j)
      for (std::int64_t k = 0; k < data.n; ++k)
        for (const bool missing_left : {false, true}) {
          std::vector<bool> is_left;
          for (std::int64_t i = 0; i < data.n; ++i)
            is_left.push_back(std::isnan(data.x(i, j)) ? missing_left
                                                       : data.x(i, j) <= data.x(k, j));
          best = std::max(best, part(is_left, true) + part(is_left, false));
        }
    std::vector<bool> found;
    for (const double score : scores) found.push_back(score == scores.front());
    const double reached = part(found, true) + part(found, false);
    CHECK(std::abs(reached - best) <= 1e-6 * best);
  }
}

TEST(boost_trees_do_not_depend_on_threads_or_order) {
  Random random(7);
  Data data = make_data(30000, 6, random);
  Data turned = data;
  std::vector<std::int64_t> order(at(data.n));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  for (std::int64_t i = 0; i < data.n; ++i) {
    const std::int64_t from = order[at(i)];
    for (std::int64_t j = 0; j < data.p; ++j) turned.X[at(i * data.p + j)] = data.x(from, j);
    turned.gradient[at(i)] = data.gradient[at(from)];
    turned.hessian[at(i)] = data.hessian[at(from)];
  }
  boost::TreeGrower grower(bins_of(data, 60)), other(bins_of(turned, 60));
  for (const auto growth : {boost::Growth::leaf, boost::Growth::level, boost::Growth::symmetric}) {
    boost::TreeOptions options;
    options.growth = growth;
    options.max_depth = 5;
    options.max_leaves = 20;
    options.min_rows = 15;
    options.columns_by_node = growth == boost::Growth::symmetric ? 1.0 : 0.7;
    options.seed = 3;
    const std::vector<double> scores = scores_of(grower, data, options, 1);
    CHECK(scores_of(grower, data, options, 3) == scores);
    const std::vector<double> again = scores_of(other, turned, options, 2);
    for (std::int64_t i = 0; i < data.n; ++i)
      CHECK(std::abs(again[at(i)] - scores[at(order[at(i)])]) <= 1e-9);
  }
}

TEST(boost_rows_outside_the_sample_get_scores_too) {
  Random random(8);
  const Data data = make_data(5000, 4, random);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t r = 0; r < data.n; r += 2) rows.push_back(r);
  boost::TreeGrower grower(bins_of(data));
  boost::TreeOptions options;
  options.max_leaves = 12;
  const std::vector<double> scores = scores_of(grower, data, options, 2, rows);
  CHECK(std::count(scores.begin(), scores.end(), 0.0) == 0);
  std::int64_t n_held = 0;
  for (std::int64_t k = 0; k < grower.n_leaves(); ++k)
    n_held += static_cast<std::int64_t>(grower.leaf_rows(k).size());
  CHECK(n_held == 2500);
}

TEST(boost_values_fitted_to_the_rows_of_a_tree_are_its_own) {
  Random random(10);
  const Data data = make_data(40'000, 4, random);
  boost::TreeGrower grower(bins_of(data));
  boost::TreeOptions options;
  options.max_leaves = 12;
  options.l1 = 0.5;
  options.l2 = 2.0;
  options.learning_rate = 0.3;
  const boost::BoostedTree tree =
      grower.grow({data.gradient, data.hessian, {}, {}}, options, Context{});
  std::vector<std::uint32_t> leaf_of(at(data.n));
  std::vector<double> first;
  for (const int n_threads : {1, 2, 3}) {
    Context ctx;
    ctx.n_threads = n_threads;
    const std::vector<double> values = boost::fit_values(
        tree, grower.bins(), {data.gradient, data.hessian, {}}, options, leaf_of, true, ctx);
    if (first.empty()) first = values;
    CHECK(values == first);
  }
  for (std::int64_t leaf = 0; leaf < tree.n_leaves(); ++leaf) {
    CHECK(std::abs(first[at(leaf)] - tree.leaf(leaf).value) <= 1e-9);
    for (const std::uint32_t row : grower.leaf_rows(leaf)) CHECK(leaf_of[row] == leaf);
  }
}

TEST(boost_monotone_columns_give_monotone_values) {
  Random random(9);
  Data data = make_data(4000, 1, random);
  boost::TreeGrower grower(bins_of(data));
  boost::TreeOptions options;
  options.max_leaves = 30;
  options.monotone = {1};
  const std::vector<double> scores = scores_of(grower, data, options, 1);
  std::vector<std::int64_t> order(at(data.n));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::int64_t a, std::int64_t b) { return data.x(a, 0) < data.x(b, 0); });
  for (std::size_t i = 1; i < order.size(); ++i)
    CHECK(scores[at(order[i])] >= scores[at(order[i - 1])]);
}

TEST(boost_lambdas_are_what_swapping_changes) {
  Random random(11);
  for (const auto measure : {boost::RankMeasure::ndcg, boost::RankMeasure::map}) {
    for (int repeat = 0; repeat < 10; ++repeat) {
      constexpr std::int64_t n = 9;
      std::vector<double> relevance, scores;
      for (std::int64_t i = 0; i < n; ++i) {
        relevance.push_back(static_cast<double>(random() % 3));
        scores.push_back(static_cast<double>(random() % 1000 * 16 + at(i)) / 4000.0);  // no ties
      }
      const std::vector<std::int64_t> offsets{0, n};
      const boost::RankObjective objective{measure, n, false, false};
      std::vector<float> gradient(n), hessian(n);
      objective.differentiate(relevance, offsets, scores, gradient, hessian, Context{});
      const auto value = [&](std::vector<double> s) {
        std::vector<double> out(1);
        objective.evaluate(relevance, offsets, s, 0.0, out, Context{});
        return out[0];
      };
      std::vector<double> expected(n);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          if (!(relevance[i] > relevance[j])) continue;
          std::vector<double> swapped = scores;
          std::swap(swapped[i], swapped[j]);
          const double change = std::abs(value(swapped) - value(scores));
          const double p = 1.0 / (1.0 + std::exp(scores[i] - scores[j]));
          expected[i] -= p * change;
          expected[j] += p * change;
        }
      for (std::size_t i = 0; i < n; ++i)
        CHECK(std::abs(static_cast<double>(gradient[i]) - expected[i]) <= 1e-6);
    }
  }
}

TEST(boost_weighted_products_are_sums) {
  Random random(12);
  std::normal_distribution<double> normal;
  constexpr std::int64_t n = 40, k = 3;
  std::vector<double> columns, weight;
  for (std::int64_t i = 0; i < n * k; ++i) columns.push_back(normal(random));
  for (std::int64_t i = 0; i < n; ++i) weight.push_back(normal(random));
  const auto x = [&](std::int64_t i, std::int64_t j) { return columns[at(j * n + i)]; };
  std::vector<std::vector<double>> found;
  std::vector<double> room(n), out(k * (k + 1) / 2 + k);
  const gramian::ProductBlock block{columns.data(), k, n, weight.data(), room.data()};
  ON_ALL_LEVELS(weighted_products(block, out.data());
                weighted_sums(block, out.data() + k * (k + 1) / 2); found.push_back(out))
  std::vector<double> expected;
  for (std::int64_t j = 0; j < k; ++j)
    for (std::int64_t l = 0; l <= j; ++l) {
      expected.push_back(0.0);
      for (std::int64_t i = 0; i < n; ++i) expected.back() += weight[at(i)] * x(i, j) * x(i, l);
    }
  for (std::int64_t j = 0; j < k; ++j) {
    expected.push_back(0.0);
    for (std::int64_t i = 0; i < n; ++i) expected.back() += weight[at(i)] * x(i, j);
  }
  for (const auto& sums : found) {
    CHECK(sums == found.front());
    for (std::size_t i = 0; i < sums.size(); ++i)
      CHECK(std::abs(sums[i] - expected[i]) <= 1e-12 * (1.0 + std::abs(expected[i])));
  }
}

// At the minimum the derivatives of the leaf's objective by its constant and its slopes are zero.
TEST(boost_linear_leaves_are_stationary) {
  Random random(13);
  const Data data = make_data(9000, 5, random);
  const gramian::AnyDense X = MatrixView<const double>(data.X.data(), data.n, data.p);
  boost::TreeOptions options;
  options.max_leaves = 7;
  const boost::GrowRows target{data.gradient, data.hessian, {}, {}};
  std::vector<std::vector<double>> all_scores;
  for (const int n_threads : {1, 3}) {
    Context ctx;
    ctx.n_threads = n_threads;
    boost::TreeGrower grower(bins_of(data));
    boost::BoostedTree tree = grower.grow(target, options, ctx);
    boost::fit_linear_leaves(grower, target, X, {}, tree, ctx);
    std::vector<double> scores(at(data.n)), again(at(data.n));
    grower.add_last(tree, &X, scores, ctx);
    tree.add(grower.bins(), &X, {}, 1.0, again, ctx);
    CHECK(scores == again);
    const auto columns = tree.path_columns(grower.bins());
    for (std::int64_t leaf = 0; leaf < tree.n_leaves(); ++leaf) {
      std::vector<double> slope(columns[at(leaf)].size() + 1), size(slope.size());
      for (const std::uint32_t row : grower.leaf_rows(leaf)) {
        std::vector<double> values{1.0};
        for (const std::int32_t column : columns[at(leaf)]) {
          CHECK(data.n_levels[at(column)] == 0);
          values.push_back(data.x(row, column));
        }
        if (std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); })) {
          CHECK(scores[row] == tree.leaf(leaf).value);
          continue;
        }
        const double left = static_cast<double>(data.gradient[row]) +
                            static_cast<double>(data.hessian[row]) * scores[row];
        for (std::size_t j = 0; j < values.size(); ++j) {
          slope[j] += left * values[j];
          size[j] += std::abs(left * values[j]);
        }
      }
      for (std::size_t j = 0; j < slope.size(); ++j) CHECK(std::abs(slope[j]) <= 1e-9 * size[j]);
    }
    all_scores.push_back(scores);
  }
  CHECK(all_scores.front() == all_scores.back());
}
