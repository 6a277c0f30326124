#include "boost/objective/sampling.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/index.hpp"
#include "parallel/tiles.hpp"
#include "random/mix.hpp"

namespace gramian::boost {
namespace {

std::uint64_t draw_of(std::uint64_t seed, std::uint64_t row) {
  return mixed(seed * 0xD1342543DE82EF95u + (row + 1) * 0x9E3779B97F4A7C15u);
}

double uniform(std::uint64_t seed, std::uint64_t row) {
  return static_cast<double>(draw_of(seed, row) >> 11) * 0x1p-53;
}

// The k-th smallest of different keys, k >= 1: its leading bits by counting, the rest by selection
// among the few keys that share them.
std::uint64_t kth_smallest(std::span<const std::uint64_t> keys, std::int64_t k) {
  // About as many counts as keys: of few keys, clearing more of them would be all the work.
  const int shift = 64 - std::clamp(static_cast<int>(std::bit_width(keys.size())), 4, 16);
  std::vector<std::int64_t> counts(std::size_t{1} << (64 - shift));
  for (const std::uint64_t key : keys) ++counts[key >> shift];
  std::uint64_t lead = 0;
  while (k > counts[lead]) k -= counts[lead++];
  std::vector<std::uint64_t> alike;
  for (const std::uint64_t key : keys)
    if (key >> shift == lead) alike.push_back(key);
  const auto place = alike.begin() + (k - 1);
  std::nth_element(alike.begin(), place, alike.end());
  return *place;
}

}  // namespace

RowSample draw_uniform(std::int64_t n, std::int64_t n_drawn, std::uint64_t seed) {
  RowSample sample;
  sample.rows.reserve(at(n_drawn));
  std::vector<std::uint64_t> keys(at(n));
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = draw_of(seed, i);
  const std::uint64_t last = kth_smallest(keys, n_drawn);
  for (std::uint32_t i = 0; i < keys.size(); ++i)
    if (keys[i] <= last) sample.rows.push_back(i);
  return sample;
}

RowSample draw_goss(std::span<const float> sizes, std::int64_t n_top, std::int64_t n_other,
                    std::uint64_t seed) {
  const auto n = static_cast<std::int64_t>(sizes.size());
  // The larger the size, the smaller the key; below 2^63, and those of the others above.
  constexpr std::uint64_t kOther = std::uint64_t{1} << 63;
  std::vector<std::uint64_t> keys(sizes.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(std::fabs(sizes[i]));
    keys[i] = static_cast<std::uint64_t>(0x7FFFFFFFu - bits) << 32 | i;
  }
  const std::uint64_t last_top = n_top > 0 ? kth_smallest(keys, n_top) : 0;
  const auto is_top = [&](std::uint64_t key) { return n_top > 0 && key <= last_top; };
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = is_top(keys[i]) ? keys[i] : kOther | draw_of(seed, i) >> 1;
  const std::uint64_t last = kth_smallest(keys, n_top + n_other);
  const double factor =
      static_cast<double>(n - n_top) / static_cast<double>(std::max<std::int64_t>(n_other, 1));
  RowSample sample;
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    if (keys[i] > last) continue;
    sample.rows.push_back(i);
    sample.factors.push_back(keys[i] < kOther ? 1.0 : factor);
  }
  return sample;
}

RowSample draw_minimal_variance(std::span<const float> sizes, double n_drawn, std::uint64_t seed) {
  // The expected number of rows falls as mu grows: bisection between bounds.
  const Tiles tiles = Tiles::of_rows(static_cast<std::int64_t>(sizes.size()), 8192);
  const auto sum_of = [&](const auto& term) {
    return sum_tiles(tiles, [&](std::int64_t begin, std::int64_t end) {
      double sum = 0.0;
      for (std::int64_t i = begin; i < end; ++i) sum += term(static_cast<double>(sizes[at(i)]));
      return sum;
    });
  };
  const auto expected = [&](double mu) {
    return sum_of([mu](double size) { return std::min(1.0, size / mu); });
  };
  const double total = sum_of([](double size) { return size; });
  double low = 0.0, high = total / n_drawn;
  for (int step = 0; step < 40 && high - low > 1e-6 * high; ++step) {
    const double middle = 0.5 * (low + high);
    (expected(middle) > n_drawn ? low : high) = middle;
  }
  RowSample sample;
  for (std::uint32_t i = 0; i < sizes.size(); ++i) {
    const double share = high > 0.0 ? std::min(1.0, static_cast<double>(sizes[i]) / high) : 1.0;
    if (uniform(seed, i) >= share) continue;
    sample.rows.push_back(i);
    sample.factors.push_back(1.0 / share);
  }
  return sample;
}

}  // namespace gramian::boost
