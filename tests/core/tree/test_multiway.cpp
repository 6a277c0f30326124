// Trees with a branch for every level against gains from their definition.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "check.hpp"
#include "tree/grow/multiway.hpp"

using gramian::Context;
using gramian::MatrixView;
namespace tree = gramian::tree;

namespace {

using Rows = std::vector<std::size_t>;
using Counts = std::array<double, 3>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kColumns = 5;  // numbers, also with gaps, levels, also with gaps, the first
const std::vector<std::int32_t> kLevels{0, 0, 4, 300, 0};
const std::vector<std::int32_t> kClasses{3};

struct Data {
  std::vector<double> X, weight;
  std::vector<std::int32_t> labels;

  std::int64_t n_rows() const { return static_cast<std::int64_t>(labels.size()); }
  double x(std::size_t row, std::int64_t f) const {
    return X[row * kColumns + static_cast<std::size_t>(f)];
  }
};

Data drawn_data(std::size_t n, unsigned seed, bool has_weights) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned k) { return static_cast<double>(random() % k); };
  Data data;
  for (std::size_t i = 0; i < n; ++i) {
    const double a = below(30), b = below(12), level = below(4);
    const std::array<double, kColumns> row{0.1 * a, random() % 7 == 0 ? kNan : b, level,
                                           random() % 5 == 0 ? kNan : 290.0 + below(6), 0.1 * a};
    data.X.insert(data.X.end(), row.begin(), row.end());
    const double value = 2.0 * (a > 12) + (b < 6) + 2.0 * (level == 1) + 0.3 * below(6);
    data.labels.push_back(value < 1.5 ? 0 : value < 3.0 ? 1 : 2);
    if (has_weights) data.weight.push_back(0.25 + 0.01 * below(100));
  }
  return data;
}

tree::MultiwayNodes grow(const Data& data, int n_threads = 1, bool use_ratio = false,
                         std::int64_t max_depth = 100, double min_gain = 0.0) {
  tree::MultiwayTask task{MatrixView<const double>(data.X.data(), data.n_rows(), kColumns),
                          kLevels,
                          {data.labels, {}, kClasses, data.n_rows(), 1},
                          data.weight,
                          use_ratio,
                          {},
                          min_gain};
  task.limits.max_depth = max_depth;
  Context ctx;
  ctx.n_threads = n_threads;
  return tree::grow_multiway(task, ctx);
}

Counts counts_of(const Data& data, const Rows& rows) {
  Counts counts{};
  for (const std::size_t i : rows)
    counts[static_cast<std::size_t>(data.labels[i])] += data.weight.empty() ? 1.0 : data.weight[i];
  return counts;
}

double weight_of(const Counts& counts) { return counts[0] + counts[1] + counts[2]; }

// Weight times entropy.
double bits_of(const Counts& counts) {
  double sum = 0.0;
  for (const double count : counts)
    if (count > 0.0) sum -= count * std::log2(count / weight_of(counts));
  return sum;
}

using Parts = std::map<std::int64_t, Rows>;  // by branch

double gain_of(const Data& data, const Rows& rows, const Parts& parts) {
  const Counts all = counts_of(data, rows);
  double below = 0.0;
  for (const auto& [branch, part] : parts) below += bits_of(counts_of(data, part));
  return (bits_of(all) - below) / weight_of(all);
}

Parts parts_by(const Data& data, const Rows& rows, std::int64_t f, double threshold,
               std::int64_t missing_branch) {
  Parts parts;
  for (const std::size_t i : rows) {
    const double x = data.x(i, f);
    const bool is_number = kLevels[static_cast<std::size_t>(f)] == 0;
    if (std::isnan(x))
      parts[is_number ? missing_branch : -1].push_back(i);
    else
      parts[is_number ? (x <= threshold ? 0 : 1) : static_cast<std::int64_t>(x)].push_back(i);
  }
  return parts;
}

// The largest gain of all columns; minus infinity if none can be split.
double best_gain(const Data& data, const Rows& rows) {
  double best = -std::numeric_limits<double>::infinity();
  const auto look = [&](const Parts& parts) {
    if (parts.size() > 1) best = std::max(best, gain_of(data, rows, parts));
  };
  for (std::int64_t f = 0; f < kColumns; ++f) {
    if (kLevels[static_cast<std::size_t>(f)] > 0) {
      look(parts_by(data, rows, f, 0.0, -1));
      continue;
    }
    double largest = -1.0;
    for (const std::size_t i : rows) largest = std::fmax(largest, data.x(i, f));
    for (const std::size_t i : rows)
      for (const std::int64_t side : {0, 1})
        if (data.x(i, f) < largest) look(parts_by(data, rows, f, data.x(i, f), side));
  }
  return best;
}

}  // namespace

TEST(each_node_of_a_multiway_tree_has_the_largest_gain) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const Data data = drawn_data(120, seed, seed % 2 == 1);
    const tree::MultiwayNodes nodes = grow(data);
    std::vector<Rows> rows(nodes.parent.size());
    for (std::size_t i = 0; i < data.labels.size(); ++i) rows[0].push_back(i);
    CHECK(nodes.parent[0] == -1 && nodes.parent.size() > 20);
    std::size_t next = 1;  // children follow in the order of their parents
    for (std::size_t node = 0; node < rows.size(); ++node) {
      const Counts counts = counts_of(data, rows[node]);
      CHECK(static_cast<std::int64_t>(rows[node].size()) == nodes.n_node_samples[node]);
      for (std::size_t k = 0; k < 3; ++k) CHECK(nodes.counts[3 * node + k] == counts[k]);
      const double best = best_gain(data, rows[node]);
      const std::int64_t f = nodes.feature[node];
      if (f < 0) {
        CHECK(std::isinf(best) || bits_of(counts) == 0.0);
        continue;
      }
      CHECK(f != 4);  // it says what the first column says
      const Parts parts =
          parts_by(data, rows[node], f, nodes.threshold[node], nodes.missing_branch[node]);
      CHECK(std::abs(gain_of(data, rows[node], parts) - best) < 1e-9);
      for (const auto& [branch, part] : parts) {
        CHECK(nodes.parent[next] == static_cast<std::int64_t>(node));
        CHECK(nodes.branch[next] == branch);
        rows[next++] = part;
      }
    }
    CHECK(next == rows.size());
  }
}

TEST(multiway_trees_are_the_same_for_any_threads) {
  const Data data = drawn_data(20'000, 9, true);
  for (const bool use_ratio : {false, true}) {
    const tree::MultiwayNodes one = grow(data, 1, use_ratio), many = grow(data, 4, use_ratio);
    CHECK(one.parent == many.parent && one.branch == many.branch && one.feature == many.feature);
    CHECK(one.counts == many.counts && one.missing_branch == many.missing_branch);
  }
}

TEST(limits_of_multiway_trees) {
  const Data data = drawn_data(500, 2, false);
  CHECK(grow(data, 1, false, 0).parent.size() == 1);
  const tree::MultiwayNodes two = grow(data, 1, false, 2);
  for (const std::int64_t parent : two.parent)
    CHECK(parent < 1 || two.parent[static_cast<std::size_t>(parent)] == 0);
  const tree::MultiwayNodes all = grow(data), few = grow(data, 1, false, 100, 0.3);
  CHECK(few.parent.size() < all.parent.size());
  CHECK(grow(data, 1, false, 100, 2.0).parent.size() == 1);
}

// c log2 c of such weights is infinite, and no gain is a number.
TEST(weights_too_large_for_an_entropy_leave_a_leaf) {
  for (const bool use_ratio : {false, true}) {
    Data data = drawn_data(60, 5, true);
    for (double& weight : data.weight) weight *= 1e306;
    const tree::MultiwayNodes nodes = grow(data, 1, use_ratio);
    CHECK(nodes.feature == std::vector<std::int64_t>{-1});
    CHECK(nodes.n_node_samples == std::vector<std::int64_t>{60});
  }
}
