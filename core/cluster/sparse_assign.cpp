#include <algorithm>
#include <limits>

#include "base/index.hpp"
#include "cluster/assign.hpp"

namespace gramian::cluster {

template <class T, class Index>
void SparseAssigner<T, Index>::set_centres(MatrixView<const T> centres, const std::vector<double>*,
                                           const Context& ctx) {
  given_ = centres;
  norms_.assign(at(centres.n_rows), 0.0);
  by_feature_ = Buffer<double>(centres.n_rows * centres.n_cols);
  for (std::int64_t c = 0; c < centres.n_rows; ++c) {
    ctx.check();
    for (std::int64_t k = 0; k < centres.n_cols; ++k) {
      const auto entry = static_cast<double>(centres(c, k));
      by_feature_[k * centres.n_rows + c] = 2.0 * entry;
      norms_[at(c)] += entry * entry;
    }
  }
}

template <class T, class Index>
std::int64_t SparseAssigner<T, Index>::assign(std::int64_t begin, std::int64_t end,
                                              std::span<std::int32_t> labels) const {
  std::vector<double> squares(norms_.size());
  const std::int64_t n_centres = given_.n_rows;
  std::int64_t n_changed = 0;
  for (std::int64_t i = begin; i < end; ++i) {
    std::copy(norms_.begin(), norms_.end(), squares.begin());
    const auto row = X_.row(i);
    for (std::size_t e = 0; e < row.cols.size(); ++e) {
      const auto x = static_cast<double>(row.values[e]);
      const double* twice = by_feature_.data() + row.cols[e] * n_centres;
      for (std::int64_t c = 0; c < n_centres; ++c) squares[at(c)] += x * (x - twice[c]);
    }
    const auto nearest = static_cast<std::int32_t>(
        std::min_element(squares.begin(), squares.end()) - squares.begin());
    n_changed += nearest != labels[at(i)] ? 1 : 0;
    labels[at(i)] = nearest;
  }
  return n_changed;
}

template <class T, class Index>
double SparseAssigner<T, Index>::squared_distance(std::int64_t i, std::int64_t centre) const {
  const auto row = X_.row(i);
  double square = norms_[at(centre)];
  for (std::size_t e = 0; e < row.cols.size(); ++e) {
    const auto x = static_cast<double>(row.values[e]);
    square += x * (x - by_feature_[row.cols[e] * given_.n_rows + centre]);
  }
  return std::max(square, 0.0);
}

template <class T, class Index>
double SparseAssigner<T, Index>::step_cost_ns() const {
  return 0.5 * static_cast<double>(X_.n_stored()) * static_cast<double>(given_.n_rows + 2);
}

template class SparseAssigner<float, std::int32_t>;
template class SparseAssigner<float, std::int64_t>;
template class SparseAssigner<double, std::int32_t>;
template class SparseAssigner<double, std::int64_t>;

}  // namespace gramian::cluster
