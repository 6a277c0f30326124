#include "network/waves_kernel.hpp"

#include "network/vectors.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

// The rows of parameters of one vector of outputs.
template <class T>
class WaveParameters {
 public:
  using Vec = VecOf<T>;

  WaveParameters(const WaveRows<T>& rows, std::int64_t j) : rows_(rows), j_(j) {}

  Vec frequency(std::int64_t k) const { return row(k); }
  Vec phase(std::int64_t k) const { return row(rows_.n_frequencies + k); }
  Vec amplitude(std::int64_t k) const { return row(2 * rows_.n_frequencies + k); }
  Vec scale() const { return row(3 * rows_.n_frequencies); }
  Vec bias() const { return row(3 * rows_.n_frequencies + 1); }
  Vec handed() const { return Vec::load(rows_.handed + j_); }

 private:
  Vec row(std::int64_t i) const { return Vec::load(rows_.parameters + i * rows_.width + j_); }

  const WaveRows<T>& rows_;
  std::int64_t j_;
};

template <class T>
void evaluate(const WaveRows<T>& rows, T* out) {
  using Vec = VecOf<T>;
  for (std::int64_t j = 0; j < rows.width; j += Vec::kLanes) {
    const WaveParameters<T> at(rows, j);
    const bool has_waves = j + Vec::kLanes > rows.n_handed;
    for (std::int64_t i = 0; i < rows.n_rows; ++i) {
      const Vec x = Vec::load(rows.x + i * rows.width + j);
      Vec sum = fma(at.handed(), x, at.bias());
      for (std::int64_t k = 0; has_waves && k < rows.n_frequencies; ++k)
        sum = fma(at.amplitude(k), turn(fma(at.frequency(k), x, at.phase(k))).cosine, sum);
      (at.scale() * sum).store(out + i * rows.width + j);
    }
  }
}

template <class T>
void back(const WaveRows<T>& rows, const T* deltas, T* below, std::int64_t below_width) {
  using Vec = VecOf<T>;
  for (std::int64_t j = 0; j < below_width; j += Vec::kLanes) {
    const WaveParameters<T> at(rows, j);
    const Vec scale = at.handed() * at.scale();
    for (std::int64_t i = 0; i < rows.n_rows; ++i)
      (scale * Vec::load(deltas + i * rows.width + j)).store(below + i * below_width + j);
  }
}

// With d the derivatives in the outputs, the sums over rows of d, d x, d cos, d sin and d x sin
// give all gradients.
template <class T>
void gradients(const WaveRows<T>& rows, const T* deltas, T* gradient) {
  using Vec = VecOf<T>;
  const std::int64_t n_waves = rows.n_frequencies, width = rows.width;
  const Vec one = constant<Vec>(1.0), slope = constant<Vec>(-6.283185307179586);
  for (std::int64_t j = 0; j < width; j += Vec::kLanes) {
    const WaveParameters<T> at(rows, j);
    const auto store = [&](Vec value, std::int64_t row) {
      value.store(gradient + row * width + j);
    };
    const auto delta = [&](std::int64_t i) { return Vec::load(deltas + i * width + j); };
    const auto x = [&](std::int64_t i) { return Vec::load(rows.x + i * width + j); };
    const bool has_waves = j + Vec::kLanes > rows.n_handed;
    const Vec scale = at.scale() * (one - at.handed());  // of waves only
    Vec plain = Vec::zero(), of_scale = Vec::zero();
    for (std::int64_t i = 0; i < rows.n_rows; ++i) {
      plain = plain + delta(i);
      of_scale = fma(delta(i) * at.handed(), x(i), of_scale);
    }
    of_scale = fma(at.bias(), plain, of_scale);
    for (std::int64_t k = 0; k < n_waves; ++k) {
      Vec cosines = Vec::zero(), sines = Vec::zero(), moments = Vec::zero();
      for (std::int64_t i = 0; has_waves && i < rows.n_rows; ++i) {
        const auto wave = turn(fma(at.frequency(k), x(i), at.phase(k)));
        const Vec d = delta(i), bent = d * wave.sine;
        cosines = fma(d, wave.cosine, cosines);
        sines = sines + bent;
        moments = fma(bent, x(i), moments);
      }
      const Vec factor = slope * at.amplitude(k) * scale;
      store(factor * moments, k);
      store(factor * sines, n_waves + k);
      store(scale * cosines, 2 * n_waves + k);
      of_scale = fma(at.amplitude(k), cosines, of_scale);
    }
    store(of_scale, 3 * n_waves);
    store(scale * plain, 3 * n_waves + 1);
  }
}

}  // namespace

void evaluate_waves(const WaveRows<double>& rows, double* out) { evaluate(rows, out); }
void evaluate_waves(const WaveRows<float>& rows, float* out) { evaluate(rows, out); }

void hand_back(const WaveRows<double>& rows, const double* deltas, double* below,
               std::int64_t below_width) {
  back(rows, deltas, below, below_width);
}
void hand_back(const WaveRows<float>& rows, const float* deltas, float* below,
               std::int64_t below_width) {
  back(rows, deltas, below, below_width);
}

void wave_gradients(const WaveRows<double>& rows, const double* deltas, double* gradient) {
  gradients(rows, deltas, gradient);
}
void wave_gradients(const WaveRows<float>& rows, const float* deltas, float* gradient) {
  gradients(rows, deltas, gradient);
}

}  // namespace gramian::GRAMIAN_ISA
