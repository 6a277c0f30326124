#include "loss/softmax_kernel.hpp"

#include <algorithm>

#include "simd/vector_math.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

constexpr int kLanes = VecD::kLanes;
constexpr double kHuge = 1e308;

// Eight rows at a time stand class by class: lane l of vector c is class c of row l.
struct RowGroup {
  const SoftmaxBlock& block;
  std::int64_t first;  // the first of the rows
  std::int64_t size;   // how many of the lanes are rows; the others repeat the last one

  const double* row(std::int64_t lane) const {
    return block.z + (first + (lane < size ? lane : size - 1)) * block.ld;
  }
  // The classes that have scores; a last one without has a score of zero.
  std::int64_t n_scored() const { return block.k < block.ld ? block.k : block.ld; }

  // Writes the scores into the scratch; returns the largest of each row.
  VecD gather() const {
    VecD top = VecD::set1(block.k > block.ld ? 0.0 : -kHuge);
    for (std::int64_t c = 0; c < block.ld; c += kLanes) {
      VecD x[kLanes];
      for (int l = 0; l < kLanes; ++l) x[l] = VecD::load(row(l) + c);
      transpose(x);
      const std::int64_t count = n_scored() - c < kLanes ? n_scored() - c : kLanes;
      for (std::int64_t l = 0; l < count; ++l) {
        top = max(top, x[l]);
        x[l].store(block.scratch + (c + l) * kLanes);
      }
    }
    return top;
  }

  // Replaces the scores by the exponentials of their distances from the largest; returns the sums.
  VecD exponentiate(VecD top) const {
    VecD sum = block.k > block.ld ? exp(VecD::zero() - top) : VecD::zero();
    for (std::int64_t c = 0; c < n_scored(); ++c) {
      double* own = block.scratch + c * kLanes;
      const VecD e = exp(VecD::load(own) - top);
      e.store(own);
      sum = sum + e;
    }
    return sum;
  }

  // Writes probabilities times `scale` to rows of `ld` entries from `out` on, of which `width`
  // are written; those beyond the classes are zero.
  void scatter(VecD scale, double* out, std::int64_t ld, std::int64_t width) const {
    for (std::int64_t c = 0; c < width; c += kLanes) {
      VecD x[kLanes];
      for (int l = 0; l < kLanes; ++l)
        x[l] = c + l < n_scored() ? VecD::load(block.scratch + (c + l) * kLanes) * scale
                                  : VecD::zero();
      transpose(x);
      for (std::int64_t l = 0; l < size; ++l) {
        double* to = out + (first + l) * ld + c;
        if (width - c >= kLanes)
          x[l].store(to);
        else
          store_partial(x[l], to, width - c);
      }
    }
  }

  // The scores of the rows' own classes, and their weights; lanes without a row have none.
  void own_scores(double* scores, double* weights) const {
    for (std::int64_t l = 0; l < kLanes; ++l) {
      const std::int64_t i = first + (l < size ? l : size - 1);
      const auto y = static_cast<std::int64_t>(block.y[i]);
      scores[l] = y < block.ld ? block.z[i * block.ld + y] : 0.0;
      weights[l] = l >= size ? 0.0 : block.w ? block.w[i] : 1.0;
    }
  }

  // Writes the derivatives, and the probabilities if they are wanted; returns the losses.
  VecD evaluate() const {
    double own[kLanes], weights[kLanes];
    own_scores(own, weights);
    const VecD weight = VecD::load(weights);
    const VecD top = gather();
    const VecD sum = exponentiate(top);
    const VecD inverse = VecD::set1(1.0) / sum;
    scatter(inverse * weight, block.z, block.ld, block.ld);
    for (std::int64_t l = 0; l < size; ++l) {
      const auto y = static_cast<std::int64_t>(block.y[first + l]);
      if (y < block.ld) block.z[(first + l) * block.ld + y] -= weights[l];
    }
    if (block.probability) keep_probabilities(inverse, top);
    return weight * (log(sum) + (top - VecD::load(own)));
  }

  void keep_probabilities(VecD inverse, VecD top) const {
    scatter(inverse, block.probability, block.k, n_scored());
    if (block.k <= block.ld) return;
    double last[kLanes];
    (exp(VecD::zero() - top) * inverse).store(last);
    for (std::int64_t l = 0; l < size; ++l)
      block.probability[(first + l) * block.k + block.ld] = last[l];
  }
};

// Writes the probabilities of the classes into the scratch of the rows, before their division by
// the sums, of which `inverse_sum` receives the inverses.
void exponentiate_classes(const SoftmaxRows& rows, double* inverse_sum) {
  constexpr std::int64_t kMost = SoftmaxRows::kMostRows;
  const std::int64_t n = rows.n;
  double top[kMost];
  std::copy_n(rows.scores, n, top);
  for (std::int64_t c = 1; c < rows.k; ++c) {
    const double* z = rows.scores + c * rows.stride;
    for (std::int64_t i = 0; i < n; ++i) top[i] = z[i] > top[i] ? z[i] : top[i];
  }
  std::fill_n(inverse_sum, n, 0.0);
  for (std::int64_t c = 0; c < rows.k; ++c) {
    const double* z = rows.scores + c * rows.stride;
    double* own = rows.scratch + c * kMost;
    for (std::int64_t i = 0; i < n; ++i) own[i] = z[i] - top[i];
    for (std::int64_t i = 0; i < n; i += kLanes) exp(VecD::load(own + i)).store(own + i);
    for (std::int64_t i = 0; i < n; ++i) inverse_sum[i] += own[i];
  }
  for (std::int64_t i = 0; i < n; ++i) inverse_sum[i] = 1.0 / inverse_sum[i];
}

template <class T>
void differentiate_classes(const SoftmaxRows& rows, T* gradient, T* hessian) {
  constexpr std::int64_t kMost = SoftmaxRows::kMostRows;
  double inverse_sum[kMost];
  exponentiate_classes(rows, inverse_sum);
  for (std::int64_t c = 0; c < rows.k; ++c) {
    const double* own = rows.scratch + c * kMost;
    const auto label = static_cast<double>(c);
    T* first = gradient + c * rows.stride;
    for (std::int64_t i = 0; i < rows.n; ++i) {
      const double p = own[i] * inverse_sum[i];
      first[i] = static_cast<T>(rows.y[i] == label ? p - 1.0 : p);
    }
    if (hessian == nullptr) continue;
    T* second = hessian + c * rows.stride;
    for (std::int64_t i = 0; i < rows.n; ++i) {
      const double p = own[i] * inverse_sum[i];
      second[i] = static_cast<T>(p * (1.0 - p));
    }
  }
}

}  // namespace

double evaluate_softmax(const SoftmaxBlock& block) {
  VecD total = VecD::zero();
  for (std::int64_t i = 0; i < block.n; i += kLanes)
    total = total + RowGroup{block, i, block.n - i < kLanes ? block.n - i : kLanes}.evaluate();
  return hsum(total);
}

void differentiate_softmax(const SoftmaxRows& rows, float* gradient, float* hessian) {
  differentiate_classes(rows, gradient, hessian);
}

void differentiate_softmax(const SoftmaxRows& rows, double* gradient, double* hessian) {
  differentiate_classes(rows, gradient, hessian);
}

}  // namespace gramian::GRAMIAN_ISA
