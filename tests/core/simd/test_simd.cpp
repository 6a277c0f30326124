#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "check.hpp"
#include "random/philox.hpp"
#include "simd/simd_probe.hpp"

using gramian::Stream;

namespace {

template <class T>
struct Case {
  static constexpr std::size_t kLanes = 64 / sizeof(T);
  std::array<T, kLanes> a, b, c;

  explicit Case(Stream& stream) {
    for (auto* values : {&a, &b, &c})
      for (T& x : *values)
        x = static_cast<T>(std::ldexp(stream.normal(), static_cast<int>(stream.below(40)) - 20));
  }
};

template <class T>
using Result = std::array<T, 5 * Case<T>::kLanes + 1>;

// The definition, lane by lane.
template <class T>
Result<T> expected_of(const Case<T>& in) {
  constexpr std::size_t n = Case<T>::kLanes;
  Result<T> out;
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = in.a[i] + in.b[i];
    out[n + i] = in.a[i] - in.b[i];
    out[2 * n + i] = in.a[i] * in.b[i];
    out[3 * n + i] = std::fma(in.a[i], in.b[i], in.c[i]);
    out[4 * n + i] = in.a[i] * in.a[0];
  }
  auto sums = in.a;
  for (std::size_t half = n / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
  out[5 * n] = sums[0];
  return out;
}

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T, class Probe>
void check_level(Probe probe) {
  Stream stream(1, sizeof(T), 0);
  for (int round = 0; round < 1000; ++round) {
    const Case<T> in(stream);
    Result<T> out;
    probe(in.a.data(), in.b.data(), in.c.data(), out.data());
    CHECK(same_bits(out, expected_of(in)));
  }
}

using ProbeD = void (*)(const double*, const double*, const double*, double*);
using ProbeF = void (*)(const float*, const float*, const float*, float*);
using ProbeLoads = void (*)(const float*, const double*, int, double*);

void check_loads(ProbeLoads probe_loads) {
  const std::array<float, 8> a{0.5f, -1, 2, 3.25f, 4, 5, 6, 7};
  const std::array<double, 8> b{10, 11, 12, 13, 14, 15, 16, 17};
  for (int n = 0; n < 8; ++n) {
    std::array<double, 24> out{};
    probe_loads(a.data(), b.data(), n, out.data());
    for (std::size_t i = 0; i < 8; ++i) {
      const double partial = i < static_cast<std::size_t>(n) ? b[i] : 0.0;
      CHECK(out[i] == static_cast<double>(a[i]));
      CHECK(out[8 + i] == partial && out[16 + i] == partial);
    }
  }
}

void check_all(ProbeD probe_d, ProbeF probe_f, ProbeLoads probe_loads) {
  check_level<double>(probe_d);
  check_level<float>(probe_f);
  check_loads(probe_loads);
}

}  // namespace

#if defined(__x86_64__)

TEST(simd_gives_the_same_bits_on_every_level) {
  using gramian::cpu_level;
  using gramian::Level;
  check_all(gramian::v2::probe, gramian::v2::probe, gramian::v2::probe_loads);
  if (cpu_level() >= Level::v3)
    check_all(gramian::v3::probe, gramian::v3::probe, gramian::v3::probe_loads);
  if (cpu_level() >= Level::v4)
    check_all(gramian::v4::probe, gramian::v4::probe, gramian::v4::probe_loads);
}

#else

TEST(simd_gives_the_same_bits_on_every_level) {
  check_all(gramian::plain::probe, gramian::plain::probe, gramian::plain::probe_loads);
}

#endif

TEST(dispatch_calls_the_level_of_this_cpu) {
  Stream stream(2, 0, 0);
  const Case<double> in(stream);
  Result<double> out;
  GRAMIAN_DISPATCH(probe, in.a.data(), in.b.data(), in.c.data(), out.data());
  CHECK(same_bits(out, expected_of(in)));
  CHECK(!gramian::level_name(gramian::cpu_level()).empty());
}
