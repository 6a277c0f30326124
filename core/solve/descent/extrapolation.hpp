// Anderson extrapolation of a fixed-point iteration (Bertrand and Massias, "Anderson acceleration
// of coordinate descent", 2021).
//
// The image of a point is an affine function of it (slopes or residuals), so the extrapolated
// point's image is the same combination of images: no product with the data is needed.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/index.hpp"

namespace gramian::solve {

class Extrapolation {
 public:
  static constexpr int kDepth = 5;

  void clear() { n_kept_ = 0; }

  // Remembers the point after a step; whether enough are known to extrapolate.
  bool push(std::span<const double> point, std::span<const double> image) {
    if (n_kept_ > kDepth) n_kept_ = 0;
    points_[at(n_kept_)].assign(point.begin(), point.end());
    images_[at(n_kept_)].assign(image.begin(), image.end());
    return ++n_kept_ > kDepth;
  }

  // The affine combination whose steps cancel best; nothing if they are linearly dependent.
  bool extrapolate(std::span<double> point, std::span<double> image) const {
    std::array<double, kDepth> share{};
    if (!shares(share)) return false;
    combine(points_, share, point);
    combine(images_, share, image);
    return true;
  }

 private:
  using Kept = std::array<std::vector<double>, kDepth + 1>;

  static void combine(const Kept& kept, const std::array<double, kDepth>& share,
                      std::span<double> out) {
    for (std::size_t k = 0; k < out.size(); ++k) {
      double sum = 0.0;
      for (std::size_t i = 0; i < kDepth; ++i) sum += share[i] * kept[i + 1][k];
      out[k] = sum;
    }
  }

  // Solves  U'U z = 1  for the steps U, by Cholesky with a little weight on the diagonal.
  bool shares(std::array<double, kDepth>& z) const {
    std::array<std::array<double, kDepth>, kDepth> A{};
    const std::size_t n = points_[0].size();
    for (std::size_t i = 0; i < kDepth; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        for (std::size_t k = 0; k < n; ++k)
          A[i][j] += (points_[i + 1][k] - points_[i][k]) * (points_[j + 1][k] - points_[j][k]);
    double trace = 0.0;
    for (std::size_t i = 0; i < kDepth; ++i) trace += A[i][i];
    if (!(trace > 0.0)) return false;
    for (std::size_t i = 0; i < kDepth; ++i) A[i][i] += 1e-12 * trace;
    for (std::size_t j = 0; j < kDepth; ++j) {
      for (std::size_t k = 0; k < j; ++k) A[j][j] -= A[j][k] * A[j][k];
      if (!(A[j][j] > 0.0)) return false;
      A[j][j] = std::sqrt(A[j][j]);
      for (std::size_t i = j + 1; i < kDepth; ++i) {
        for (std::size_t k = 0; k < j; ++k) A[i][j] -= A[i][k] * A[j][k];
        A[i][j] /= A[j][j];
      }
    }
    double total = 0.0;
    for (std::size_t i = 0; i < kDepth; ++i) {
      z[i] = 1.0;
      for (std::size_t k = 0; k < i; ++k) z[i] -= A[i][k] * z[k];
      z[i] /= A[i][i];
    }
    for (std::size_t i = kDepth; i-- > 0;) {
      for (std::size_t k = i + 1; k < kDepth; ++k) z[i] -= A[k][i] * z[k];
      z[i] /= A[i][i];
      total += z[i];
    }
    if (!(std::abs(total) > 1e-300)) return false;
    for (double& share : z) share /= total;
    return true;
  }

  Kept points_;
  Kept images_;
  int n_kept_ = 0;
};

}  // namespace gramian::solve
