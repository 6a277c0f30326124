#include "boost/bins/column_sample.hpp"

#include "random/philox.hpp"

namespace gramian::boost {
namespace {

constexpr std::int64_t kSampleRows = 200'000;  // edges come from so many rows
constexpr std::uint16_t kSamplePurpose = 10;

}  // namespace

std::vector<std::uint32_t> sample_rows(std::int64_t n_rows, std::span<const double> weight) {
  std::vector<std::uint32_t> rows;
  const std::int64_t m = std::min(n_rows, kSampleRows);
  Stream stream(0, 0, kSamplePurpose);
  for (std::int64_t i = 0; i < m; ++i) {
    const std::int64_t first = i * n_rows / m, next = (i + 1) * n_rows / m;
    const std::int64_t row = m == n_rows ? i
                                         : first + static_cast<std::int64_t>(stream.below(
                                                       static_cast<std::uint64_t>(next - first)));
    if (weight.empty() || weight[static_cast<std::size_t>(row)] > 0.0)
      rows.push_back(static_cast<std::uint32_t>(row));
  }
  return rows;
}

}  // namespace gramian::boost
