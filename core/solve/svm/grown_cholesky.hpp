// The Cholesky factor of a symmetric positive definite matrix to which rows are added, and from
// which they are taken out.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/index.hpp"

namespace gramian::solve {

class GrownCholesky {
 public:
  std::int64_t size() const { return std::ssize(rows_); }

  // z = L^-1 g
  std::vector<double> forward(std::vector<double> g) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      double sum = g[i];
      for (std::size_t k = 0; k < i; ++k) sum -= rows_[i][k] * g[k];
      g[i] = sum / rows_[i][i];
    }
    return g;
  }

  // L'^-1 z
  std::vector<double> backward(std::vector<double> z) const {
    for (std::size_t i = rows_.size(); i-- > 0;) {
      z[i] /= rows_[i][i];
      for (std::size_t k = 0; k < i; ++k) z[k] -= rows_[i][k] * z[i];
    }
    return z;
  }

  // The row L^-1 g of the factor, and the root of its pivot, which is positive.
  void add(std::vector<double> z, double pivot) {
    z.push_back(std::sqrt(pivot));
    rows_.push_back(std::move(z));
  }

  void remove(std::int64_t gone) {
    rows_.erase(rows_.begin() + gone);
    // Each later row has an entry too many: rotations of columns bring it to zero.
    for (std::size_t j = at(gone); j < rows_.size(); ++j) {
      const double a = rows_[j][j], b = rows_[j][j + 1], length = std::hypot(a, b);
      const double c = a / length, s = b / length;
      for (std::size_t i = j; i < rows_.size(); ++i) {
        const double left = rows_[i][j], right = rows_[i][j + 1];
        rows_[i][j] = c * left + s * right;
        rows_[i][j + 1] = c * right - s * left;
      }
      rows_[j].pop_back();
    }
  }

 private:
  std::vector<std::vector<double>> rows_;  // of the lower triangle
};

}  // namespace gramian::solve
