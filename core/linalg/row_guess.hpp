// Sums of columns about an origin, and cheap guesses of their means, of rows that may come in
// several blocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/views.hpp"
#include "parallel/tiles.hpp"

namespace gramian::linalg {

// The weighted means of the first rows that have weight.
class MeanGuess {
 public:
  static constexpr std::int64_t kRows = 128;

  MeanGuess(std::span<double> mean_x, std::span<double> mean_y) : mean_x_(mean_x), mean_y_(mean_y) {
    std::ranges::fill(mean_x, 0.0);
    std::ranges::fill(mean_y, 0.0);
  }

  // Whether it wants more rows. An empty weight means one for each.
  template <class T>
  bool add(MatrixView<const T> X, MatrixView<const double> Y, std::span<const double> weight) {
    for (std::int64_t i = 0; i < X.n_rows && n_left_ > 0; ++i) {
      const double w = weight.empty() ? 1.0 : weight[static_cast<std::size_t>(i)];
      if (w == 0.0) continue;
      --n_left_;
      total_ += w;
      for (std::int64_t j = 0; j < X.n_cols; ++j)
        mean_x_[static_cast<std::size_t>(j)] += w * static_cast<double>(X(i, j));
      for (std::int64_t c = 0; c < Y.n_cols; ++c)
        mean_y_[static_cast<std::size_t>(c)] += w * Y(i, c);
    }
    return n_left_ > 0;
  }

  void finish() {
    if (total_ == 0.0) return;
    for (double& m : mean_x_) m /= total_;
    for (double& m : mean_y_) m /= total_;
  }

 private:
  std::span<double> mean_x_, mean_y_;
  std::int64_t n_left_ = kRows;
  double total_ = 0.0;
};

// sum_i w_i (x_i - origin), and the sum of the weights.
struct ColumnSums {
  double weight = 0.0;
  std::vector<double> sum;

  ColumnSums& operator+=(const ColumnSums& next) {
    weight += next.weight;
    add_each(sum, next.sum);
    return *this;
  }

  template <class Use>
  void for_each_part(const Use& use) {
    use(std::span(&weight, 1));
    use(std::span(sum));
  }

  void means(std::span<const double> origin, std::span<double> out) const {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = origin[k] + sum[k] / weight;
  }
};

template <class T>
ColumnSums column_sums(MatrixView<const T> X, std::span<const double> weight,
                       std::span<const double> origin, const Context& ctx);

template <class T>
std::vector<double> row_of(MatrixView<const T> X, std::int64_t i) {
  std::vector<double> row;
  for (std::int64_t j = 0; j < X.n_cols; ++j) row.push_back(static_cast<double>(X(i, j)));
  return row;
}

}  // namespace gramian::linalg
