// Bins of boosting: sharing tracks loses nothing, sparse tables are cut like dense ones, and other
// rows keep what the shared tracks cannot say.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "boost/bins/bins.hpp"
#include "boost/bins/bundles.hpp"
#include "boost/grow/tree_grower.hpp"
#include "check.hpp"

using gramian::at;
using gramian::Context;
using gramian::CsrView;
using gramian::MatrixView;
namespace boost = gramian::boost;
using boost::Bins;
using boost::Sharing;

namespace {

using Random = std::mt19937_64;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

struct Table {
  std::int64_t n = 0, p = 0;
  std::vector<double> X;
  std::vector<std::int32_t> n_levels;

  double& operator()(std::int64_t i, std::int64_t j) { return X[at(i * p + j)]; }
  double operator()(std::int64_t i, std::int64_t j) const { return X[at(i * p + j)]; }
  gramian::AnyMatrix dense() const { return MatrixView<const double>(X.data(), n, p); }
};

template <class T, class Index>
struct Sparse {
  std::vector<T> values;
  std::vector<Index> indices, indptr{0};
  std::int64_t p;

  explicit Sparse(const Table& table) : p(table.p) {
    for (std::int64_t i = 0; i < table.n; ++i) {
      for (std::int64_t j = 0; j < p; ++j)
        if (table(i, j) != 0.0) {  // NaN is stored
          values.push_back(static_cast<T>(table(i, j)));
          indices.push_back(static_cast<Index>(j));
        }
      indptr.push_back(static_cast<Index>(values.size()));
    }
  }
  gramian::AnyMatrix view() const { return CsrView<T, Index>{values, indices, indptr, p}; }
};

// Two one-hot variables of 6 levels, five booleans, a column of many values, one of missing values
// only, one mostly missing, a constant, levels that are mostly the same, and levels of any kind.
Table mixed_table(std::int64_t n, std::uint64_t seed) {
  Random random(seed);
  Table table{n, 22, std::vector<double>(at(n * 22)), std::vector<std::int32_t>(22)};
  table.n_levels[20] = 4;
  table.n_levels[21] = 5;
  for (std::int64_t i = 0; i < n; ++i) {
    table(i, static_cast<std::int64_t>(random() % 6)) = 1.0;
    table(i, 6 + static_cast<std::int64_t>(random() % 6)) = 2.0;
    for (std::int64_t j = 12; j < 17; ++j) table(i, j) = static_cast<double>(random() % 2);
    table(i, 17) = static_cast<double>(random() % 1000) - 500.0;
    table(i, 18) = random() % 20 == 0 ? static_cast<double>(random() % 3) : kMissing;
    table(i, 19) = 3.0;
    table(i, 20) = random() % 10 == 0 ? static_cast<double>(random() % 4) : 1.0;
    table(i, 21) = static_cast<double>(random() % 5);
  }
  return table;
}

std::shared_ptr<Bins> cut(const gramian::AnyMatrix& X, const Table& table, Sharing sharing,
                          int n_threads = 1) {
  Context ctx;
  ctx.n_threads = n_threads;
  const boost::BinPlan plan{table.n_levels, 64, {}};
  return std::make_shared<Bins>(X, plan, sharing, 0.0, ctx);
}

bool have_same_bins(const Bins& a, const Bins& b) {
  for (std::int64_t f = 0; f < a.n_features(); ++f) {
    if (a[f].edges != b[f].edges || a[f].bin_of_level != b[f].bin_of_level) return false;
    if (a[f].n_bins != b[f].n_bins || a[f].has_missing != b[f].has_missing) return false;
    if ((a[f].track < 0) != (b[f].track < 0)) return false;
    for (std::int64_t i = 0; a[f].track >= 0 && i < a.n_rows(); ++i)
      if (a[f].bin_of(a.track_codes(a[f].track)[at(i)]) !=
          b[f].bin_of(b.track_codes(b[f].track)[at(i)]))
        return false;
  }
  return true;
}

}  // namespace

TEST(boost_bins_are_the_same_in_shared_tracks) {
  const Table table = mixed_table(3000, 1);
  const auto none = cut(table.dense(), table, Sharing::none);
  const auto exclusive = cut(table.dense(), table, Sharing::exclusive);
  const auto all = cut(table.dense(), table, Sharing::all, 2);
  CHECK(none->n_tracks() == 21);  // the constant column has none
  CHECK((*none)[19].track == -1);
  CHECK((*exclusive)[0].is_bundled() && (*exclusive)[0].track == (*exclusive)[5].track);
  CHECK((*exclusive)[6].track == (*exclusive)[11].track);
  CHECK(exclusive->n_tracks() <= 12);
  CHECK((*all)[12].is_packed() && (*all)[12].track == (*all)[16].track);
  CHECK(all->n_tracks() < exclusive->n_tracks());
  CHECK(have_same_bins(*none, *exclusive) && have_same_bins(*none, *all));
}

TEST(boost_bins_of_sparse_rows_are_those_of_dense_rows) {
  const Table table = mixed_table(2000, 2);
  const auto dense = cut(table.dense(), table, Sharing::none);
  for (const Sharing sharing : {Sharing::none, Sharing::exclusive, Sharing::all}) {
    CHECK(have_same_bins(*dense, *cut(Sparse<double, std::int32_t>(table).view(), table, sharing)));
    CHECK(have_same_bins(*dense, *cut(Sparse<double, std::int64_t>(table).view(), table, sharing)));
    CHECK(
        have_same_bins(*dense, *cut(Sparse<float, std::int32_t>(table).view(), table, sharing, 2)));
    CHECK(have_same_bins(*dense, *cut(Sparse<float, std::int64_t>(table).view(), table, sharing)));
  }
}

TEST(boost_bins_of_a_sample_of_sparse_rows_count_weights) {
  Table table = mixed_table(500, 3);
  std::vector<double> weight(500);
  for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = static_cast<double>(i % 3);
  const boost::BinPlan plan{table.n_levels, 8, weight};
  const Bins dense(table.dense(), plan, Sharing::all, 0.0, {});
  const Sparse<double, std::int32_t> rows(table);
  CHECK(have_same_bins(dense, Bins(rows.view(), plan, Sharing::all, 0.0, {})));
}

TEST(boost_bins_of_other_rows_say_what_shared_tracks_cannot) {
  const Table table = mixed_table(2000, 4);
  Table other = mixed_table(300, 5);
  for (std::int64_t j = 0; j < 12; ++j) other(0, j) = 1.0;  // no two of them in training
  other(1, 3) = kMissing;                                   // never missing in training
  other(2, 13) = kMissing;
  other(3, 19) = 4.0;  // a constant: no tree asks for it
  const auto none = cut(table.dense(), table, Sharing::none);
  const Bins expected(*none, other.dense(), {});
  const Sparse<double, std::int32_t> rows(other), training(table);
  for (const auto& bins :
       {cut(table.dense(), table, Sharing::exclusive), cut(table.dense(), table, Sharing::all),
        cut(training.view(), table, Sharing::all)}) {
    const Bins dense(*bins, other.dense(), {}), sparse(*bins, rows.view(), {});
    CHECK(dense.n_tracks() > bins->n_tracks());
    CHECK(have_same_bins(expected, dense) && have_same_bins(expected, sparse));
  }
}

TEST(boost_bins_of_rows_in_blocks_are_those_of_the_table) {
  const Table table = mixed_table(2000, 6), other = mixed_table(700, 7);
  std::vector<std::int64_t> order(2000);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), Random(8));
  Table mixed = table;  // row i is row order[i] of the table
  for (std::int64_t i = 0; i < table.n; ++i)
    for (std::int64_t j = 0; j < table.p; ++j) mixed(i, j) = table(order[at(i)], j);
  const MatrixView<const double> all(table.X.data(), table.n, table.p);
  Context ctx;
  ctx.n_threads = 2;
  for (const Sharing sharing : {Sharing::none, Sharing::exclusive, Sharing::all}) {
    boost::BinnedBlocks blocks(all, {table.n_levels, 32, {}}, table.n, {});
    for (std::int64_t first = 0; first < table.n; first += 300) {
      const std::int64_t n = std::min<std::int64_t>(300, table.n - first);
      std::vector<std::int64_t> rows(at(n));
      std::iota(rows.begin(), rows.end(), 0);
      const double* begin = mixed.X.data() + first * table.p;
      blocks.write(MatrixView<const double>(begin, n, table.p), rows,
                   std::span(order).subspan(at(first), at(n)), ctx);
    }
    const Bins found(blocks, sharing, 0.0, {});
    const Bins expected(table.dense(), {table.n_levels, 32, {}}, sharing, 0.0, {});
    CHECK(found.n_tracks() == expected.n_tracks() && have_same_bins(expected, found));
    boost::BinnedBlocks others = found.blocks_like(other.n);
    std::vector<std::int64_t> rows(at(other.n));
    std::iota(rows.begin(), rows.end(), 0);
    others.write(MatrixView<const double>(other.X.data(), other.n, other.p), rows, rows, {});
    CHECK(have_same_bins(Bins(expected, other.dense(), {}), Bins(found, others, {})));
  }
}

TEST(boost_bins_of_rows_in_blocks_want_all_rows) {
  const Table table = mixed_table(100, 9);
  const MatrixView<const double> all(table.X.data(), table.n, table.p);
  boost::BinnedBlocks blocks(all, {table.n_levels, 32, {}}, table.n, {});
  const std::vector<std::int64_t> rows{0, 1, 2};
  blocks.write(all, rows, rows, {});
  CHECK_THROWS(gramian::InvalidArgument, Bins(blocks, Sharing::all, 0.0, {}));
}

TEST(boost_bins_let_a_bundle_have_as_many_codes_as_fit) {
  Table table{600, 300, std::vector<double>(600 * 300), std::vector<std::int32_t>(300)};
  for (std::int64_t i = 0; i < 600; ++i) table(i, i % 300) = 1.0;
  const auto bins = cut(table.dense(), table, Sharing::all);
  CHECK(bins->n_tracks() == 2 && bins->n_codes(0) == 256 && bins->n_codes(1) == 46);
  CHECK(have_same_bins(*bins, *cut(table.dense(), table, Sharing::none)));
}

TEST(boost_bins_of_constant_columns_have_no_track) {
  const Table table{50, 3, std::vector<double>(150, 1.5), std::vector<std::int32_t>(3)};
  for (const Sharing sharing : {Sharing::none, Sharing::all}) {
    const auto bins = cut(table.dense(), table, sharing);
    CHECK(bins->n_tracks() == 0 && bins->n_groups() == 0 && bins->n_cells() == 0);
    boost::TreeGrower grower(bins);
    const std::vector<float> gradient(50, 1.0f);
    const boost::BoostedTree tree = grower.grow({gradient, {}, {}, {}}, boost::TreeOptions(), {});
    CHECK(tree.n_leaves() == 1);
  }
}

TEST(boost_exclusive_sets_keep_to_the_conflicts_allowed) {
  const std::vector<std::uint32_t> a{0, 1, 2, 3}, b{3, 4, 5}, c{6, 7}, d{0, 4};
  const std::vector<boost::SparseColumn> columns{{0, 1, a}, {1, 1, b}, {2, 1, c}, {3, 1, d}};
  using Sets = std::vector<std::vector<std::int32_t>>;
  CHECK(boost::exclusive_sets(columns, 8, 0, {}) == (Sets{{0}, {1, 2}, {3}}));
  CHECK(boost::exclusive_sets(columns, 8, 1, {}) == (Sets{{0, 1, 2}, {3}}));
  CHECK(boost::exclusive_sets(columns, 8, 3, {}) == (Sets{{0, 1, 2, 3}}));
  const std::vector<boost::SparseColumn> wide{{0, 200, a}, {1, 100, c}};
  CHECK(boost::exclusive_sets(wide, 8, 0, {}).size() == 2);
}

TEST(boost_trees_do_not_depend_on_shared_tracks) {
  const Table table = mixed_table(2000, 6);
  std::vector<float> gradient, hessian;
  Random random(7);
  for (std::int64_t i = 0; i < table.n; ++i) {
    gradient.push_back(static_cast<float>(table(i, 0) - table(i, 13) + (table(i, 20) - 1.0) +
                                          0.01 * static_cast<double>(random() % 100)));
    hessian.push_back(0.1f + 0.001f * static_cast<float>(random() % 200));
  }
  for (const auto growth : {boost::Growth::leaf, boost::Growth::level, boost::Growth::symmetric}) {
    boost::TreeOptions options;
    options.growth = growth;
    options.max_leaves = 16;
    std::vector<std::vector<double>> scores;
    for (const Sharing sharing : {Sharing::none, Sharing::exclusive, Sharing::all}) {
      boost::TreeGrower grower(cut(table.dense(), table, sharing));
      const boost::BoostedTree tree = grower.grow({gradient, hessian, {}, {}}, options, {});
      scores.emplace_back(at(table.n));
      grower.add_last(tree, nullptr, scores.back(), {});
      CHECK(tree.n_leaves() > 4);
      CHECK(scores.back() == scores.front());
    }
  }
}
