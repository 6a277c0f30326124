#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "check.hpp"
#include "random/philox.hpp"
#include "tree/search/numbers_kernel.hpp"

using gramian::philox4x32;
using gramian::PhiloxCounter;
using gramian::Stream;

TEST(philox_gives_the_published_vectors) {
  // Known answers that Random123 distributes for philox4x32-10.
  constexpr std::uint32_t kOnes = 0xffffffff;
  CHECK((philox4x32({0, 0, 0, 0}, {0, 0}) ==
         PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  CHECK((philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}) ==
         PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  CHECK((philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
         PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(a_stream_is_the_sequence_of_its_blocks) {
  const std::uint64_t seed = 0x299f31d0a4093822, id = 0x70713198a2e;
  Stream stream(seed, id, 0x85a3);
  for (std::uint32_t b = 0; b < 3; ++b)
    for (const std::uint32_t word :
         philox4x32({b, 0, 0x13198a2e, 0x85a30707}, {0xa4093822, 0x299f31d0}))
      CHECK(stream.next_u32() == word);
}

TEST(many_numbers_at_a_time_are_the_same_numbers) {
  Stream stream(0x299f31d0a4093822, 0x70713198a2e, 0x85a3);
  gramian::StreamOf<4> four(0x299f31d0a4093822, 0x70713198a2e, 0x85a3);
  gramian::tree::ManyNumbers many(0x299f31d0a4093822, 0x70713198a2e, 0x85a3);
  for (int i = 0; i < 200; ++i) {
    const std::uint32_t number = stream.next_u32();
    CHECK(four.next_u32() == number);
    CHECK(many.next_u32() == number);
  }
}

TEST(streams_differ_by_seed_id_and_purpose) {
  std::set<std::uint64_t> firsts;
  for (std::uint64_t seed : {0ull, 1ull, 1ull << 32})
    for (std::uint64_t id : {0ull, 1ull, 1ull << 32, 1ull << 47})
      for (const int purpose : {0, 1, 255})
        firsts.insert(Stream(seed, id, static_cast<std::uint16_t>(purpose)).next_u64());
  CHECK(firsts.size() == 36);
}

TEST(uniform_has_the_moments_of_the_uniform_law) {
  Stream stream(7, 0, 0);
  constexpr int kDraws = 200'000;
  double sum = 0.0, sum_squares = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = stream.uniform();
    CHECK(u >= 0.0 && u < 1.0);
    sum += u;
    sum_squares += u * u;
  }
  // Five standard errors: sqrt(1/12 / n) and sqrt(4/45 / n).
  CHECK(std::abs(sum / kDraws - 0.5) < 5.0 * std::sqrt(1.0 / 12.0 / kDraws));
  CHECK(std::abs(sum_squares / kDraws - 1.0 / 3.0) < 5.0 * std::sqrt(4.0 / 45.0 / kDraws));
}

TEST(below_is_uniform_and_in_range) {
  Stream stream(11, 3, 1);
  constexpr int kDraws = 120'000;
  std::array<int, 6> counts{};
  for (int i = 0; i < kDraws; ++i) ++counts[stream.below(6)];
  double chi_squared = 0.0;
  for (const int count : counts) chi_squared += std::pow(count - kDraws / 6.0, 2) / (kDraws / 6.0);
  CHECK(chi_squared < 25.7);  // the 0.9999 quantile for 5 degrees of freedom
  CHECK(stream.below(1) == 0);
  const std::uint64_t large = (1ull << 63) + 12345;
  for (int i = 0; i < 1000; ++i) {
    CHECK(stream.below(large) < large);
    CHECK(stream.below((1ull << 32) - 1) < (1ull << 32) - 1);
  }
}

TEST(below_has_no_bias_where_a_modulus_would) {
  // With n = 3/4 2^64, the modulus hits the lower third twice as often as the rest.
  Stream stream(5, 0, 0);
  const std::uint64_t n = 3ull << 62;
  constexpr int kDraws = 60'000;
  int n_low = 0;
  for (int i = 0; i < kDraws; ++i) n_low += stream.below(n) < (1ull << 62) ? 1 : 0;
  CHECK(std::abs(n_low - kDraws / 3.0) < 5.0 * std::sqrt(kDraws * 2.0 / 9.0));
}

TEST(normal_has_the_moments_of_the_normal_law) {
  Stream stream(13, 0, 0);
  constexpr int kDraws = 200'000;
  std::array<double, 5> moments{};
  for (int i = 0; i < kDraws; ++i) {
    const double z = stream.normal();
    double power = 1.0;
    for (double& moment : moments) {
      moment += power / kDraws;
      power *= z;
    }
  }
  const double scale = 5.0 / std::sqrt(kDraws);
  CHECK(std::abs(moments[1]) < scale);
  CHECK(std::abs(moments[2] - 1.0) < scale * std::sqrt(2.0));
  CHECK(std::abs(moments[3]) < scale * std::sqrt(15.0));
  CHECK(std::abs(moments[4] - 3.0) < scale * std::sqrt(96.0));
}

TEST(portable_log_is_the_logarithm) {
  Stream stream(17, 0, 0);
  CHECK(gramian::portable_log(1.0) == 0.0);
  for (int i = 0; i < 100'000; ++i) {
    const double x = std::ldexp(stream.uniform() + 0.5, static_cast<int>(stream.below(200)) - 100);
    const double expected = std::log(x);
    CHECK(std::abs(gramian::portable_log(x) - expected) <= 4e-16 * std::abs(expected));
  }
}

TEST(blocks_made_together_are_the_same_numbers) {
  Stream one(3, 5, 2);
  gramian::StreamOf<4> four(3, 5, 2);
  for (int k = 0; k < 50; ++k) {
    CHECK(one.below(1000 + static_cast<std::uint64_t>(k)) ==
          four.below(1000 + static_cast<std::uint64_t>(k)));
    CHECK(one.uniform() == four.uniform());
  }
}
