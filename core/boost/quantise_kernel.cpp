#include "boost/quantise_kernel.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

// One step of all searches after another: no branch that would be guessed wrong half of the time.
template <class T>
void search(const T* values, std::int64_t n, const T* edges, int n_bits, std::uint8_t missing,
            std::uint8_t* bins) {
  constexpr std::int64_t kBlock = 64;
  for (std::int64_t begin = 0; begin < n; begin += kBlock) {
    const T* x = values + begin;
    const auto m = static_cast<int>(n - begin < kBlock ? n - begin : kBlock);
    std::int32_t below[kBlock] = {};
    for (int bit = n_bits - 1; bit >= 0; --bit) {
      const std::int32_t half = 1 << bit;
      if (m == kBlock) {
        for (int i = 0; i < kBlock; ++i) below[i] += edges[below[i] + half - 1] < x[i] ? half : 0;
      } else {
        for (int i = 0; i < m; ++i) below[i] += edges[below[i] + half - 1] < x[i] ? half : 0;
      }
    }
    for (int i = 0; i < m; ++i)
      bins[begin + i] = x[i] == x[i] ? static_cast<std::uint8_t>(below[i]) : missing;
  }
}

}  // namespace

void write_bins(const float* values, std::int64_t n, const float* edges, int n_bits,
                std::uint8_t missing, std::uint8_t* bins) {
  search(values, n, edges, n_bits, missing, bins);
}
void write_bins(const double* values, std::int64_t n, const double* edges, int n_bits,
                std::uint8_t missing, std::uint8_t* bins) {
  search(values, n, edges, n_bits, missing, bins);
}

}  // namespace gramian::GRAMIAN_ISA
