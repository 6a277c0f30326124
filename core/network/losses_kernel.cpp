#include "network/losses_kernel.hpp"

#include <algorithm>
#include <limits>

#include "network/vectors.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

using network::Loss;

constexpr int kLanes = VecD::kLanes;

struct Evaluated {
  VecD value, derivative;
};

void store(VecD x, double* out) { x.store(out); }
void store(VecD x, float* out) {
  double wide[kLanes];
  x.store(wide);
  for (int k = 0; k < kLanes; ++k) out[k] = static_cast<float>(wide[k]);
}

// -log p, with p kept away from 0 and 1 by the rounding unit of the predictions.
template <class T>
VecD surprise(VecD p) {
  constexpr double kUnit = std::numeric_limits<T>::epsilon();
  const VecD kept = min(VecD::set1(1.0 - kUnit), max(VecD::set1(kUnit), p));
  // min and max drop a NaN, which has to stay
  return select_number(p, negative(log(kept)), p);
}

template <class T>
struct LogLoss {
  Evaluated operator()(VecD p, VecD y) const {
    const VecD one = VecD::set1(1.0);
    return {surprise<T>(fma(y, p, (one - y) * (one - p))), p - y};
  }
};

// The same with the targets moved towards one half.
template <class T>
struct SmoothLogLoss {
  double smoothing;
  Evaluated operator()(VecD p, VecD y) const {
    const VecD one = VecD::set1(1.0);
    const VecD wanted = fma(VecD::set1(1.0 - smoothing), y, VecD::set1(0.5 * smoothing));
    return {fma(wanted, surprise<T>(p), (one - wanted) * surprise<T>(one - p)), p - wanted};
  }
};

struct SquaredError {
  Evaluated operator()(VecD p, VecD y) const {
    const VecD error = p - y;
    return {VecD::set1(0.5) * error * error, error};
  }
};

struct Huber {
  double bend;
  Evaluated operator()(VecD p, VecD y) const {
    const VecD error = p - y;
    const VecD most = VecD::set1(bend);
    const VecD cut = min(most, max(negative(most), error));
    const VecD slope = select_number(error, cut, error);
    return {slope * (error - VecD::set1(0.5) * slope), slope};
  }
};

struct Quantile {
  double level;
  Evaluated operator()(VecD p, VecD y) const {
    const VecD error = p - y;
    const VecD slope =
        select_less(error, VecD::zero(), VecD::set1(-level), VecD::set1(1.0 - level));
    return {slope * error, slope};
  }
};

// y log(y / p) - y + p.
struct Poisson {
  Evaluated operator()(VecD p, VecD y) const {
    const VecD zero = VecD::zero();
    const VecD ratio = select_less(zero, y, y / p, VecD::set1(1.0));
    return {y * log(ratio) - y + p, p - y};
  }
};

// log(p / y) + y / p - 1.
struct Gamma {
  Evaluated operator()(VecD p, VecD y) const {
    const VecD one = VecD::set1(1.0);
    const VecD ratio = y / p;
    return {ratio - log(ratio) - one, one - ratio};
  }
};

template <class T, class Function>
void evaluate(const OutputLosses<T>& block, const Function& function) {
  for (std::int64_t i = 0; i < block.n; i += kLanes) {
    const Evaluated at = function(VecD::load(block.predictions + i), VecD::load(block.targets + i));
    at.value.store(block.losses + i);
    if (block.derivatives) store(at.derivative, block.derivatives + i);
  }
}

template <class T>
void evaluate_all(Loss loss, double parameter, const OutputLosses<T>& block) {
  switch (loss) {
    case Loss::log_loss:
      if (parameter > 0.0) return evaluate(block, SmoothLogLoss<T>{parameter});
      return evaluate(block, LogLoss<T>{});
    case Loss::squared_error:
      return evaluate(block, SquaredError{});
    case Loss::huber:
      return evaluate(block, Huber{parameter});
    case Loss::quantile:
      return evaluate(block, Quantile{parameter});
    case Loss::poisson:
      return evaluate(block, Poisson{});
    case Loss::gamma:
      return evaluate(block, Gamma{});
  }
}

// exp(z - top) in place, `rest` entries of the last vector count; returns the sum.
template <class T>
T exponentiate(T* z, std::int64_t width, std::int64_t n_classes, T top) {
  using Vec = VecOf<T>;
  Vec sum = Vec::zero();
  const Vec shift = Vec::set1(top);
  for (std::int64_t j = 0; j < width; j += Vec::kLanes) {
    Vec e = exp(Vec::load(z + j) - shift);
    if (j + Vec::kLanes > n_classes) e = load_partial<Vec>((e.store(z + j), z + j), n_classes - j);
    e.store(z + j);
    sum = sum + e;
  }
  return hsum(sum);
}

template <class T>
void normalise(T* z, std::int64_t width, T sum) {
  using Vec = VecOf<T>;
  const Vec total = Vec::set1(sum);
  for (std::int64_t j = 0; j < width; j += Vec::kLanes) (Vec::load(z + j) / total).store(z + j);
}

template <class T>
void probabilities_by_rows(const ClassScores<T>& block) {
  for (std::int64_t i = 0; i < block.n; ++i) {
    T* z = block.z + i * block.width;
    T top = z[0];
    for (std::int64_t c = 1; c < block.n_classes; ++c) top = z[c] > top ? z[c] : top;
    normalise(z, block.width, exponentiate(z, block.width, block.n_classes, top));
  }
}

// Of few classes, most lanes of a row would be empty: a vector holds one class of several rows
// instead. The sums are in the order of hsum.
constexpr std::int64_t kFewClasses = 8;

template <class T>
void probabilities_by_classes(const ClassScores<T>& block) {
  using Vec = VecOf<T>;
  T packed[kFewClasses * Vec::kLanes];
  for (std::int64_t begin = 0; begin < block.n; begin += Vec::kLanes) {
    const std::int64_t n = std::min<std::int64_t>(Vec::kLanes, block.n - begin);
    T* z = block.z + begin * block.width;
    std::fill(packed, packed + block.n_classes * Vec::kLanes, T{0});
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t c = 0; c < block.n_classes; ++c)
        packed[c * Vec::kLanes + i] = z[i * block.width + c];
    Vec top = Vec::load(packed), e[kFewClasses];
    for (std::int64_t c = 1; c < block.n_classes; ++c)
      top = max(top, Vec::load(packed + c * Vec::kLanes));
    for (std::int64_t c = 0; c < kFewClasses; ++c)
      e[c] = c < block.n_classes ? exp(Vec::load(packed + c * Vec::kLanes) - top) : Vec::zero();
    const Vec sum = ((e[0] + e[4]) + (e[2] + e[6])) + ((e[1] + e[5]) + (e[3] + e[7]));
    for (std::int64_t c = 0; c < block.n_classes; ++c) (e[c] / sum).store(packed + c * Vec::kLanes);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t c = 0; c < block.n_classes; ++c)
        z[i * block.width + c] = packed[c * Vec::kLanes + i];
  }
}

// From the losses and derivatives of the classes alone to those with a share s spread over all
// classes: (1 - s) loss + s mean of -log p, and p - (1 - s) 1_y - s / n_classes.
template <class T>
void smooth_rows(const ClassScores<T>& block) {
  const double share = block.smoothing, each = share / static_cast<double>(block.n_classes);
  double p[kLanes];
  for (std::int64_t i = 0; i < block.n; ++i) {
    const T* row = block.z + i * block.width;
    T* derivatives = block.derivatives + i * block.width;
    VecD sum = VecD::zero();
    for (std::int64_t c = 0; c < block.n_classes; c += kLanes) {
      const std::int64_t n = std::min<std::int64_t>(kLanes, block.n_classes - c);
      std::fill(std::copy_n(row + c, n, p), p + kLanes, 1.0);
      sum = sum + surprise<T>(VecD::load(p));
    }
    for (std::int64_t c = 0; c < block.n_classes; ++c) derivatives[c] -= static_cast<T>(each);
    derivatives[block.y[i]] += static_cast<T>(share);
    block.losses[i] = (1.0 - share) * block.losses[i] + each * hsum(sum);
  }
}

template <class T>
void evaluate_rows(const ClassScores<T>& block) {
  if (block.n_classes <= kFewClasses)
    probabilities_by_classes(block);
  else
    probabilities_by_rows(block);
  if (block.y == nullptr) return;
  for (std::int64_t i = 0; i < block.n; ++i) {
    const T* p = block.z + i * block.width;
    T* derivatives = block.derivatives + i * block.width;
    for (std::int64_t j = 0; j < block.width; j += VecOf<T>::kLanes)
      VecOf<T>::load(p + j).store(derivatives + j);
    derivatives[block.y[i]] -= T{1};
    block.losses[i] = static_cast<double>(p[block.y[i]]);
  }
  for (std::int64_t i = 0; i < block.n; i += kLanes)
    surprise<T>(VecD::load(block.losses + i)).store(block.losses + i);
  if (block.smoothing > 0.0) smooth_rows(block);
}

}  // namespace

void evaluate_outputs(Loss loss, double parameter, const OutputLosses<double>& block) {
  evaluate_all(loss, parameter, block);
}
void evaluate_outputs(Loss loss, double parameter, const OutputLosses<float>& block) {
  evaluate_all(loss, parameter, block);
}

void evaluate_classes(const ClassScores<double>& block) { evaluate_rows(block); }
void evaluate_classes(const ClassScores<float>& block) { evaluate_rows(block); }

}  // namespace gramian::GRAMIAN_ISA
