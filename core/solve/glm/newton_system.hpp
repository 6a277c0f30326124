// The small symmetric system of a Newton step, which may be singular up to rounding.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "linalg/cholesky.hpp"

namespace gramian::solve {

// Cholesky of a positive semidefinite matrix, scaled to a unit diagonal, with the least of a few
// additions to the diagonal that let it succeed. Rows whose diagonal is zero are left out: their
// unknowns are zero.
class NewtonSystem {
 public:
  // `H` is n x n, both halves given; its contents are lost.
  NewtonSystem(Buffer<double>& H, std::int64_t n, const Context& ctx)
      : scale_(static_cast<std::size_t>(n)) {
    const auto scale = [&](std::int64_t i) { return scale_[static_cast<std::size_t>(i)]; };
    for (std::int64_t i = 0; i < n; ++i) {
      const double diagonal = H[i * n + i];
      scale_[static_cast<std::size_t>(i)] = diagonal > 0.0 ? 1.0 / std::sqrt(diagonal) : 0.0;
    }
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) H[i * n + j] *= scale(i) * scale(j);
    for (double jitter = 1e-15; !factor_ && jitter < 1.0; jitter *= 100.0) {
      for (std::int64_t i = 0; i < n; ++i) H[i * n + i] = 1.0 + jitter;
      factor_ = linalg::Cholesky::factor(H.data(), n, ctx);
    }
  }

  // Whether there is a factor: not if an entry is not a number.
  bool is_solvable() const { return factor_.has_value(); }

  // x <- H^-1 x.
  void solve(std::span<double> x) const {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] *= scale_[i];
    factor_->solve(x);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] *= scale_[i];
  }

 private:
  std::vector<double> scale_;
  std::optional<linalg::Cholesky> factor_;
};

}  // namespace gramian::solve
