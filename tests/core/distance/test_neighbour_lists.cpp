// The least entries of rows, votes and means, on numbers worked out by hand.
#include <cmath>
#include <vector>

#include "check.hpp"
#include "distance/neighbour_lists.hpp"
#include "linalg/linalg_data.hpp"

using gramian::MatrixView;
using gramian::distance::NeighbourLists;
using test::context_with;

TEST(k_smallest_puts_equal_entries_in_order_and_nan_last) {
  const std::vector<float> rows{3, 1, 2, 1, NAN, 0, 5, NAN, 5, 5};
  std::vector<std::int64_t> index(8);
  std::vector<double> least(8);
  gramian::distance::k_smallest<float>({rows.data(), 2, 5}, {index.data(), 2, 4},
                                       {least.data(), 2, 4}, context_with(1));
  CHECK((index == std::vector<std::int64_t>{1, 3, 2, 0, 0, 1, 3, 4}));
  CHECK((least == std::vector<double>{1, 1, 2, 3, 0, 5, 5, 5}));
}

TEST(votes_and_means_of_lists_of_any_length) {
  const std::vector<std::int64_t> starts{0, 3, 3, 5}, index{0, 1, 2, 3, 0};
  const std::vector<double> weights{1, 2, 4, 8, 0.5};
  const std::vector<std::int64_t> codes{0, 1, 1, 0};
  const std::vector<double> targets{10, 1, 20, 2, 30, 3, 40, 4};
  std::vector<double> votes(6), means(6);
  const NeighbourLists plain{starts, index, {}}, weighted{starts, index, weights};
  gramian::distance::count_votes(plain, codes, {votes.data(), 3, 2}, context_with(1));
  CHECK((votes == std::vector<double>{1, 2, 0, 0, 2, 0}));
  gramian::distance::count_votes(weighted, codes, {votes.data(), 3, 2}, context_with(2));
  CHECK((votes == std::vector<double>{1, 6, 0, 0, 8.5, 0}));
  const MatrixView<const double> Y(targets.data(), 4, 2);
  gramian::distance::mean_of_neighbours(plain, Y, {means.data(), 3, 2}, context_with(1));
  CHECK(means[0] == 20 && means[1] == 2 && std::isnan(means[2]) && means[4] == 25);
  gramian::distance::mean_of_neighbours(weighted, Y, {means.data(), 3, 2}, context_with(1));
  CHECK(means[0] == 170.0 / 7.0 && means[5] == 32.5 / 8.5);
}
