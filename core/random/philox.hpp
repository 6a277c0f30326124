// Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC11, 2011).
//
// Block number b of a stream is a pure function of (seed, stream, purpose, b): streams are free to
// make, never overlap, and do not depend on which thread draws from them. Only integer and
// correctly rounded operations are used (no libm), so the numbers are the same on any machine.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace gramian {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

inline PhiloxCounter philox4x32(PhiloxCounter counter, PhiloxKey key) {
  constexpr int kRounds = 10;
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t product0 = kMultiplier0 * counter[0];
    const std::uint64_t product1 = kMultiplier1 * counter[2];
    const auto high0 = static_cast<std::uint32_t>(product0 >> 32);
    const auto high1 = static_cast<std::uint32_t>(product1 >> 32);
    counter = {high1 ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product1),
               high0 ^ counter[3] ^ key[1], static_cast<std::uint32_t>(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

// Natural logarithm of a finite x > 0, to about one unit in the last place: with x = m 2^e and
// s = (m - 1) / (m + 1), log x = e log 2 + 2 (s + s^3/3 + s^5/5 + ...), |s| < 0.172.
inline double portable_log(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < 0.70710678118654752) {
    mantissa *= 2.0;
    --exponent;
  }
  const double s = (mantissa - 1.0) / (mantissa + 1.0);
  const double s2 = s * s;
  double series = 0.0;
  for (int k = 23; k >= 3; k -= 2) series = (series + 1.0 / k) * s2;
  constexpr double kLog2High = 0x1.62e42fefa38p-1;  // 41 bits: exact times any exponent
  constexpr double kLog2Low = 0x1.ef35793c7673p-45;
  const double e = exponent;
  return e * kLog2High + (2.0 * s + (2.0 * s * series + e * kLog2Low));
}

// Makes blocks of consecutive counters, the first of which is given: kBlocks at a time do not wrap.
struct PlainBlocks {
  template <std::size_t kBlocks>
  static void write(PhiloxCounter counter, const PhiloxKey& key, std::uint32_t* blocks) {
    for (std::size_t b = 0; b < kBlocks; ++b, ++counter[0]) {
      const PhiloxCounter block = philox4x32(counter, key);
      std::copy(block.begin(), block.end(), blocks + 4 * b);
    }
  }
};

// One stream of random numbers. Satisfies std::uniform_random_bit_generator (32 bits). Makes
// kBlocks blocks at a time, a power of two, which side by side take little longer than one: the
// numbers are the same for any.
template <std::size_t kBlocks, class Blocks = PlainBlocks>
class StreamOf {
 public:
  using result_type = std::uint32_t;

  // `id` numbers the streams of one purpose (trees, restarts ...), up to 2^48 of them; `purpose`
  // tells apart the uses of one algorithm.
  StreamOf(std::uint64_t seed, std::uint64_t id, std::uint16_t purpose)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        counter_{0, 0, static_cast<std::uint32_t>(id),
                 static_cast<std::uint32_t>(purpose) << 16 |
                     (static_cast<std::uint32_t>(id >> 32) & 0xFFFF)} {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()() { return next_u32(); }

  std::uint32_t next_u32() {
    if (n_used_ == blocks_.size()) refill();
    return blocks_[n_used_++];
  }

  std::uint64_t next_u64() {
    const std::uint64_t high = next_u32();
    return high << 32 | next_u32();
  }

  // Uniform on the multiples of 2^-53 in [0, 1).
  double uniform() { return static_cast<double>(next_u64() >> 11) * 0x1p-53; }

  // Uniform on 0 .. n - 1 for n >= 1, without bias (Lemire, "Fast random integer generation in an
  // interval", 2019): the high word of n * u, redrawn while the low word is below 2^bits mod n.
  std::uint64_t below(std::uint64_t n) {
    return n <= max() ? below_32(static_cast<std::uint32_t>(n)) : below_64(n);
  }

  // Standard normal by Marsaglia's polar method, which makes two at a time.
  double normal() {
    if (has_spare_normal_) {
      has_spare_normal_ = false;
      return spare_normal_;
    }
    double u, v, s;
    do {
      u = 2.0 * uniform() - 1.0;
      v = 2.0 * uniform() - 1.0;
      s = u * u + v * v;
    } while (s >= 1.0 || s == 0.0);
    const double scale = std::sqrt(-2.0 * portable_log(s) / s);
    spare_normal_ = v * scale;
    has_spare_normal_ = true;
    return u * scale;
  }

 private:
  void refill() {
    Blocks::template write<kBlocks>(counter_, key_, blocks_.data());
    counter_[0] += static_cast<std::uint32_t>(kBlocks);
    if (counter_[0] == 0) ++counter_[1];
    n_used_ = 0;
  }

  std::uint32_t below_32(std::uint32_t n) {
    std::uint64_t product = std::uint64_t{next_u32()} * n;
    if (static_cast<std::uint32_t>(product) < n) {
      const std::uint32_t threshold = (0u - n) % n;
      while (static_cast<std::uint32_t>(product) < threshold)
        product = std::uint64_t{next_u32()} * n;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  std::uint64_t below_64(std::uint64_t n) {
    __extension__ using Wide = unsigned __int128;
    Wide product = static_cast<Wide>(next_u64()) * n;
    if (static_cast<std::uint64_t>(product) < n) {
      const std::uint64_t threshold = (std::uint64_t{0} - n) % n;
      while (static_cast<std::uint64_t>(product) < threshold)
        product = static_cast<Wide>(next_u64()) * n;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  PhiloxKey key_;
  PhiloxCounter counter_;
  std::array<std::uint32_t, 4 * kBlocks> blocks_{};
  std::size_t n_used_ = 4 * kBlocks;
  double spare_normal_ = 0.0;
  bool has_spare_normal_ = false;
};

using Stream = StreamOf<1>;

}  // namespace gramian
