#include "solve/ica/contrast_kernel.hpp"

#include "simd/simd.hpp"
#include "simd/vector_math.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

struct Pair {
  VecD value, slope;
};

struct LogCosh {
  explicit LogCosh(double factor) : alpha(VecD::set1(factor)) {}
  Pair operator()(VecD y) const {
    const VecD one = VecD::set1(1.0), z = alpha * y;
    const VecD t = one - VecD::set1(2.0) / (exp(z + z) + one);
    return {t, alpha * (one - t * t)};
  }
  VecD alpha;
};

struct Exp {
  explicit Exp(double) {}
  Pair operator()(VecD y) const {
    const VecD square = y * y;
    const VecD e = exp(VecD::set1(-0.5) * square);
    return {y * e, (VecD::set1(1.0) - square) * e};
  }
};

struct Cube {
  explicit Cube(double) {}
  Pair operator()(VecD y) const {
    const VecD square = y * y;
    return {y * square, VecD::set1(3.0) * square};
  }
};

template <class Function>
void apply(const ContrastTile& tile) {
  const Function function(tile.alpha);
  for (std::int64_t c = 0; c < tile.width; c += VecD::kLanes) {
    VecD slopes = VecD::load(tile.slopes + c);
    for (std::int64_t i = 0; i < tile.n_rows; ++i) {
      double* values = tile.values + i * tile.width + c;
      const Pair found = function(VecD::load(values));
      found.value.store(values);
      slopes = slopes + found.slope;
    }
    slopes.store(tile.slopes + c);
  }
}

}  // namespace

void apply_contrast(const ContrastTile& tile) {
  switch (tile.contrast) {
    case Contrast::logcosh:
      return apply<LogCosh>(tile);
    case Contrast::exp:
      return apply<Exp>(tile);
    case Contrast::cube:
      return apply<Cube>(tile);
  }
}

}  // namespace gramian::GRAMIAN_ISA
