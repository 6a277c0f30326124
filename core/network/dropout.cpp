#include "network/dropout.hpp"

#include <cmath>

#include "base/instantiate.hpp"
#include "random/mix.hpp"
#include "random/philox.hpp"

namespace gramian::network {

Dropout Dropout::at_step(std::int64_t step) const {
  return {share, mixed(seed + mixed(static_cast<std::uint64_t>(step)))};
}

// Two neurons for each draw of 32 bits: their chances are multiples of 2^-16.
template <class T>
void draw_factors(const Dropout& dropout, std::size_t layer, std::int64_t row, T* factors,
                  std::int64_t n) {
  constexpr std::uint32_t kHalf = 0xFFFF;
  const auto limit = static_cast<std::uint32_t>(std::lround(dropout.share * 0x1p16));
  const T kept = static_cast<T>(1.0 / (1.0 - dropout.share));
  StreamOf<4> draws(dropout.seed, static_cast<std::uint64_t>(row),
                    static_cast<std::uint16_t>(layer));
  for (std::int64_t j = 0; j < n; j += 2) {
    const std::uint32_t drawn = draws.next_u32();
    factors[j] = (drawn & kHalf) < limit ? T{0} : kept;
    if (j + 1 < n) factors[j + 1] = drawn >> 16 < limit ? T{0} : kept;
  }
}

#define GRAMIAN_DROPOUT(T) \
  template void draw_factors(const Dropout&, std::size_t, std::int64_t, T*, std::int64_t);
GRAMIAN_FOR_EACH_NUMBER(GRAMIAN_DROPOUT)

}  // namespace gramian::network
