// Dropout: hidden neurons that are left out of a step (Srivastava et al., JMLR 15, 2014).
//
// Which ones is a pure function of the seed, the step, the row's number in the data, the layer and
// the neuron: neither threads nor the cut of the rows change it.
#pragma once

#include <cstdint>

namespace gramian::network {

struct Dropout {
  double share = 0.0;  // of the neurons; none are left out at 0
  std::uint64_t seed = 0;

  bool is_on() const { return share > 0.0; }
  // That of another step.
  Dropout at_step(std::int64_t step) const;
};

// n factors of a row's neurons: 0 for those left out, 1 / (1 - share) for the others, so that the
// mean of what the next layer sees stays.
template <class T>
void draw_factors(const Dropout& dropout, std::size_t layer, std::int64_t row, T* factors,
                  std::int64_t n);

}  // namespace gramian::network
