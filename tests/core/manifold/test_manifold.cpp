// Fourier transforms, the tree's lists, the repulsion by all ways against that of all pairs, and
// steps of scaling.
#include <cmath>
#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "check.hpp"
#include "manifold/fft.hpp"
#include "manifold/point_tree.hpp"
#include "manifold/ranked_pairs.hpp"
#include "manifold/repulsion.hpp"
#include "manifold/smacof.hpp"
#include "random/philox.hpp"

namespace gramian::manifold {
namespace {

Planes random_points(std::int64_t n, int n_planes, double scale) {
  Planes points(n, n_planes);
  Stream stream(1, 0, 1);
  for (int k = 0; k < n_planes; ++k)
    for (std::int64_t i = 0; i < n; ++i)
      points.plane(k)[i] = static_cast<float>(scale * stream.normal());
  return points;
}

TEST(fft_of_all_radices_is_the_sum) {
  for (const std::int64_t n : {4, 6, 30, 32, 96, 160}) {
    const Fft fft(n);
    Buffer<float> data(n * kFftElement), scratch(n * kFftElement);
    Stream stream(2, 0, 1);
    for (float& value : data) value = static_cast<float>(stream.normal());
    std::vector<float> given(data.begin(), data.end());
    fft(data.data(), scratch.data(), false);
    for (std::int64_t lane : {0, 7, 15})
      for (std::int64_t k = 0; k < n; ++k) {
        std::complex<double> sum = 0.0;
        for (std::int64_t j = 0; j < n; ++j) {
          const auto place = static_cast<std::size_t>(j * kFftElement + lane);
          const std::complex<double> x(given[place], given[place + 16]);
          sum += x * std::polar(1.0, -2.0 * 3.14159265358979323846 *
                                         static_cast<double>(j * k % n) / static_cast<double>(n));
        }
        CHECK(std::fabs(sum.real() - data[k * kFftElement + lane]) < 1e-4);
        CHECK(std::fabs(sum.imag() - data[k * kFftElement + 16 + lane]) < 1e-4);
      }
    fft(data.data(), scratch.data(), true);
    for (std::int64_t i = 0; i < n * kFftElement; ++i)
      CHECK(std::fabs(data[i] / static_cast<float>(n) - given[static_cast<std::size_t>(i)]) < 1e-5);
  }
}

TEST(fft_lengths_have_small_factors) {
  CHECK(Fft::length_for(1) == 32);
  CHECK(Fft::length_for(33) == 64);
  CHECK(Fft::length_for(7 * 32) == 8 * 32);
}

TEST(tree_lists_have_all_the_mass) {
  const Planes points = random_points(3000, 2, 10.0);
  const Context ctx;
  const PointTree tree(points, ctx);
  std::int64_t n_in_leaves = 0;
  ActingPoints acting(2);
  for (const std::int32_t number : tree.leaves()) {
    const PointNode& leaf = tree.nodes()[static_cast<std::size_t>(number)];
    n_in_leaves += leaf.end - leaf.first;
    acting.gather(tree, leaf.low, leaf.high, 0.5);
    double mass = 0.0;
    for (std::int64_t i = 0; i < acting.size(); ++i)
      mass += static_cast<double>(acting.masses()[i]);
    CHECK(mass == 3000.0);
    CHECK(acting.size() < 3000);
  }
  CHECK(n_in_leaves == 3000);
}

TEST(tree_takes_points_in_one_place) {
  Planes points(100, 2);
  for (int k = 0; k < 2; ++k)
    for (std::int64_t i = 0; i < 100; ++i) points.plane(k)[i] = 1.0f;
  const PointTree tree(points, Context());
  CHECK(tree.leaves().size() == 1);
}

TEST(all_ways_repel_alike) {
  const Planes points = random_points(2000, 2, 15.0);
  Planes exact(2000, 2), other(2000, 2);
  const Context ctx;
  const double sum = (*exact_repulsion())(points, exact, ctx);
  const auto is_near = [&](Repulsion& repulsion, double most) {
    CHECK(std::fabs(repulsion(points, other, ctx) / sum - 1.0) < most);
    double error = 0.0, size = 0.0;
    for (int k = 0; k < 2; ++k)
      for (std::int64_t i = 0; i < 2000; ++i) {
        const double difference = static_cast<double>(other.plane(k)[i] - exact.plane(k)[i]);
        error += difference * difference;
        size += static_cast<double>(exact.plane(k)[i] * exact.plane(k)[i]);
      }
    CHECK(std::sqrt(error / size) < most);
  };
  is_near(*tree_repulsion(0.0), 1e-5);
  is_near(*tree_repulsion(0.5), 0.03);
  is_near(*grid_repulsion(), 0.02);
}

Buffer<double> distances_of(const Planes& points, const Context& ctx) {
  const std::int64_t n = points.size();
  Buffer<double> X(n * 2), next(n * 2), found(n * n);
  for (std::int64_t i = 0; i < n; ++i)
    for (int k = 0; k < 2; ++k) X[2 * i + k] = static_cast<double>(points.plane(k)[i]);
  const auto zeros = Buffer<double>::zeros(n * n);
  const MatrixView<const double> given(zeros.data(), n, n);
  smacof_pass(given, {X.data(), n, 2}, {next.data(), n, 2}, {found.data(), n, n}, ctx);
  return found;
}

TEST(guttman_transform_keeps_points_with_the_right_distances) {
  constexpr std::int64_t kPoints = 53;
  const Context ctx;
  const Planes points = random_points(kPoints, 2, 3.0);
  const Buffer<double> apart = distances_of(points, ctx);
  Buffer<double> X(kPoints * 2), next(kPoints * 2);
  double mean[2] = {};
  for (std::int64_t i = 0; i < kPoints; ++i)
    for (int k = 0; k < 2; ++k) {
      X[2 * i + k] = static_cast<double>(points.plane(k)[i]);
      mean[k] += X[2 * i + k] / static_cast<double>(kPoints);
    }
  const MatrixView<const double> given(apart.data(), kPoints, kPoints);
  const Stress stress =
      smacof_pass(given, {X.data(), kPoints, 2}, {next.data(), kPoints, 2}, {}, ctx);
  CHECK(stress.raw < 1e-20);
  CHECK(stress.squares > 0.0);
  for (std::int64_t i = 0; i < kPoints; ++i)
    for (int k = 0; k < 2; ++k)
      CHECK(std::fabs(next[2 * i + k] - (X[2 * i + k] - mean[k])) < 1e-12);
}

TEST(ranks_rise_with_the_distances) {
  constexpr std::int64_t kPoints = 80;
  const Context ctx;
  const Buffer<double> apart = distances_of(random_points(kPoints, 2, 3.0), ctx);
  const MatrixView<const double> given(apart.data(), kPoints, kPoints);
  const RankedPairs pairs(given, ctx);
  CHECK(pairs.n_ranks() == kPoints * (kPoints - 1) / 2);
  std::vector<double> means(static_cast<std::size_t>(pairs.n_ranks())), counts(means.size());
  pairs.means(given, means, counts, ctx);
  for (std::size_t r = 1; r < means.size(); ++r) CHECK(means[r - 1] < means[r]);
  auto written = Buffer<double>::zeros(kPoints * kPoints);
  pairs.spread(means, 1.0, {written.data(), kPoints, kPoints}, ctx);
  for (std::int64_t i = 0; i < kPoints * kPoints; ++i) CHECK(written[i] == apart[i]);
}

}  // namespace
}  // namespace gramian::manifold
