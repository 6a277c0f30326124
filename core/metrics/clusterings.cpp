#include "metrics/clusterings.hpp"

#include <algorithm>
#include <cmath>

#include "parallel/tiles.hpp"

namespace gramian::metrics {
namespace {

constexpr double kNegligible = 1e-25;  // of the mode's probability; what lies beyond decays faster
constexpr double kCellNs = 300.0;      // measured on cells of a few hundred rows

// E[n / N log(N n / (a b))] for the number n of rows in both of two clusters of sizes a and b.
//
// The probabilities are built up from the mode, where they are largest, by their ratios
//   p(n + 1) / p(n) = (a - n) (b - n) / ((n + 1) (N - a - b + n + 1)),
// and divided by their sum, so that no factorial is needed and no digit is lost.
double cell_information(std::int64_t a_rows, std::int64_t b_rows, std::int64_t n_rows) {
  const auto a = static_cast<double>(a_rows);
  const auto b = static_cast<double>(b_rows);
  const auto total = static_cast<double>(n_rows);
  const double rest = total - a - b;
  const double lowest = std::max(0.0, -rest);
  const double highest = std::min(a, b);
  const double mode =
      std::clamp(std::floor((a + 1.0) / (total + 2.0) * (b + 1.0)), lowest, highest);
  const double scale = total / a / b;
  const auto gain = [&](double n) { return n > 0.0 ? n * std::log(n * scale) : 0.0; };

  double mass = 1.0;
  double sum = gain(mode);
  double p = 1.0;
  for (double n = mode; n < highest && p > kNegligible; ++n) {
    p *= (a - n) * (b - n) / ((n + 1.0) * (rest + n + 1.0));
    mass += p;
    sum += p * gain(n + 1.0);
  }
  p = 1.0;
  for (double n = mode; n > lowest && p > kNegligible; --n) {
    p *= n * (rest + n) / ((a - n + 1.0) * (b - n + 1.0));
    mass += p;
    sum += p * gain(n - 1.0);
  }
  return sum / mass / total;
}

}  // namespace

double expected_mutual_information(const ClusterSizes& a, const ClusterSizes& b,
                                   std::int64_t n_samples, const Context& ctx) {
  const auto n_a = static_cast<std::int64_t>(a.size.size());
  const double cost_ns = kCellNs * static_cast<double>(n_a) * static_cast<double>(b.size.size());
  return parallel_reduce(
      ctx, Tiles::of_rows(n_a, 1), cost_ns,
      [&](std::int64_t begin, std::int64_t end) {
        double sum = 0.0;
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          double row = 0.0;
          for (std::size_t j = 0; j < b.size.size(); ++j)
            row +=
                static_cast<double>(b.count[j]) * cell_information(a.size[i], b.size[j], n_samples);
          sum += static_cast<double>(a.count[i]) * row;
        }
        return sum;
      },
      [](double& total, double next) { total += next; });
}

}  // namespace gramian::metrics
