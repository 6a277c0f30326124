// Boosting over trees: AdaBoost by hand, residuals and steps of the losses, pruning, threads.
#include <cmath>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "ensemble/gradient_booster.hpp"
#include "ensemble/pruned.hpp"
#include "ensemble/samme.hpp"
#include "random/philox.hpp"
#include "tree/grow/grow.hpp"

using namespace gramian;

namespace {

using Doubles = std::vector<double>;

struct Table {
  Doubles X, y;
  std::int64_t n, p;

  Table(std::int64_t rows, std::int64_t columns) : n(rows), p(columns) {
    Stream stream(7, 0, 0);
    const auto number = [&] {
      return static_cast<double>(stream.below(1 << 30)) / static_cast<double>(1 << 29) - 1.0;
    };
    for (std::int64_t i = 0; i < n * p; ++i) X.push_back(number());
    for (std::int64_t i = 0; i < n; ++i) {
      const double* row = X.data() + i * p;
      y.push_back(row[0] * row[1] + std::sin(3.0 * row[2]) + 0.1 * number());
    }
  }
  tree::Features view() const { return MatrixView<const double>(X.data(), n, p); }
};

tree::Options options_of(const Table& table, std::int64_t depth) {
  tree::Options options;
  options.criterion = tree::CriterionKind::squared_error;
  options.limits.max_depth = depth;
  options.limits.max_features = table.p;
  return options;
}

Context context(int n_threads) {
  Context ctx;
  ctx.n_threads = n_threads;
  return ctx;
}

struct Boosted {
  tree::GrownTrees trees;
  Doubles scores;
  ensemble::RoundLosses last;
};

Boosted boost(const Table& table, loss::Kind kind, bool has_global_step, bool leaves_out,
              const Context& ctx) {
  const tree::Options options = options_of(table, 3);
  const tree::Columns columns(table.view(), {}, tree::Columns::Form::sorted, ctx);
  ensemble::ScoredRows rows{table.view(), table.y, {}, Doubles(table.y.size(), 0.0)};
  if (kind == loss::Kind::logistic || kind == loss::Kind::exponential)
    for (double& y : rows.y) y = y > 0.0 ? 1.0 : 0.0;
  ensemble::GradientBooster booster(columns, rows, ensemble::BoostingLoss(kind, 0.9, 1), options,
                                    {0.3, has_global_step, 0.0});
  std::vector<std::uint8_t> is_in;
  if (leaves_out)
    for (std::int64_t i = 0; i < table.n; ++i) is_in.push_back(i % 3 != 0);
  Boosted out;
  double before = std::numeric_limits<double>::infinity();
  for (std::uint64_t t = 0; t < 8; ++t) {
    const std::vector<std::uint64_t> seeds{t};
    out.last = booster.add_round(is_in, seeds, ctx);
    CHECK(out.last.train < before);
    before = out.last.train;
  }
  out.trees = booster.trees();
  out.scores.assign(booster.scores().begin(), booster.scores().end());
  return out;
}

}  // namespace

TEST(samme_by_hand) {
  // The errors of three stumps are 3/10, 3/14 and 2/11.
  const Doubles X{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<std::int32_t> labels{1, 1, 1, 0, 0, 0, 1, 1, 1, 0}, n_classes{2};
  const Doubles weight(10, 0.1);
  const Context ctx = context(1);
  const tree::Columns columns(MatrixView<const double>(X.data(), 10, 1), {},
                              tree::Columns::Form::sorted, ctx);
  tree::Options options;
  options.limits.max_depth = 1;
  options.limits.max_features = 1;
  const tree::Target target{labels, {}, n_classes, 10, 1};
  const std::vector<std::uint64_t> seeds{0, 1, 2};
  const auto found = ensemble::boost_samme(columns, target, options, weight, 1.0, seeds, ctx);
  const Doubles errors{0.3, 3.0 / 14.0, 2.0 / 11.0};
  CHECK(found.errors.size() == 3);
  for (std::size_t t = 0; t < 3; ++t) {
    CHECK(std::abs(found.errors[t] - errors[t]) < 1e-14);
    CHECK(std::abs(found.weights[t] - std::log((1 - errors[t]) / errors[t])) < 1e-13);
  }
  CHECK(found.trees.node_offsets.back() == 9);
}

TEST(boosting_has_the_same_bits_on_any_number_of_threads) {
  const Table table(3000, 6);
  for (const auto kind :
       {loss::Kind::squared, loss::Kind::huber, loss::Kind::logistic, loss::Kind::exponential}) {
    for (const bool leaves_out : {false, true}) {
      const Boosted one = boost(table, kind, false, leaves_out, context(1));
      const Boosted many = boost(table, kind, false, leaves_out, context(4));
      CHECK(one.scores == many.scores);
      CHECK(one.trees.threshold == many.trees.threshold);
      CHECK(one.last.train == many.last.train);
    }
  }
}

TEST(a_global_step_lowers_the_loss) {
  const Table table(1000, 4);
  boost(table, loss::Kind::absolute, true, false, context(1));
  boost(table, loss::Kind::logistic, true, false, context(1));
}

TEST(pruning_leaves_a_smaller_tree_of_all_rows) {
  const Table table(2000, 5);
  const Context ctx = context(1);
  tree::Options options = options_of(table, 6);
  options.keeps_nodes = true;
  const tree::Columns columns(table.view(), {}, tree::Columns::Form::sorted, ctx);
  tree::Sample sample;
  sample.rows.resize(2000);
  std::iota(sample.rows.begin(), sample.rows.end(), 0u);
  sample.total_weight = 2000.0;
  const tree::Target target{{}, table.y, {}, 2000, 1};
  tree::GrownTrees grown;
  tree::grow_tree({columns, target, options, sample, 1, ctx}, grown);
  const auto same = ensemble::pruned(grown, 0.0, ctx);
  CHECK(same.feature == grown.feature);
  CHECK(same.leaf_value == grown.leaf_value);
  const auto less = ensemble::pruned(grown, 0.001, ctx);
  CHECK(less.feature.size() < grown.feature.size());
  CHECK(less.leaf_count.size() == (less.feature.size() + 1) / 2);
  CHECK(std::accumulate(less.leaf_count.begin(), less.leaf_count.end(), 0) == 2000);
  const auto root = ensemble::pruned(grown, 1e9, ctx);
  CHECK(root.feature == std::vector<std::int32_t>{-1});
  CHECK(std::abs(root.leaf_value[0] - grown.node_value[0]) < 1e-12);
}
