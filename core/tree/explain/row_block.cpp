#include "tree/explain/row_block.hpp"

#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "tree/explain/shap_kernel.hpp"

namespace gramian::tree {
namespace {

double level_or_nan(double x, std::int32_t n_levels) {
  const bool is_level = x >= 0.0 && x < n_levels && x == std::floor(x);
  return is_level ? x : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

RowBlock::RowBlock(const TreesView& trees)
    : trees_(trees),
      values_(at(trees.n_features() * kRows), 0.0),
      missing_(at(trees.n_features()), 0) {}

template <class T>
void RowBlock::load(MatrixView<const T> X) {
  for (std::int64_t j = 0; j < trees_.n_features(); ++j) {
    double* values = values_.data() + j * kRows;
    const auto n_levels = trees_.n_levels[at(j)];
    std::uint64_t missing = 0;
    for (std::int64_t i = 0; i < X.n_rows; ++i) {
      const T x = X(i, j);
      double value = trees_.is_double[at(j)] != 0 ? static_cast<double>(x)
                                                  : static_cast<double>(static_cast<float>(x));
      if (n_levels > 0) value = level_or_nan(static_cast<double>(x), n_levels);
      values[i] = value;
      missing |= static_cast<std::uint64_t>(std::isnan(value)) << i;
    }
    missing_[at(j)] = missing;
  }
}

template void RowBlock::load(MatrixView<const float>);
template void RowBlock::load(MatrixView<const double>);

std::uint64_t RowBlock::goes_left(std::int64_t split, std::int64_t column) const {
  const auto flags = trees_.flags[at(split)];
  const double threshold = trees_.threshold[at(split)];
  const std::uint64_t bits =
      (flags & kCategorical) != 0
          ? levels_left(column, static_cast<std::int64_t>(threshold))
          : GRAMIAN_DISPATCH(less_equal_bits, values_.data() + column * kRows, threshold);
  return (flags & kMissingLeft) != 0 ? bits | missing_[at(column)] : bits;
}

std::uint64_t RowBlock::levels_left(std::int64_t column, std::int64_t first_word) const {
  const double* values = values_.data() + column * kRows;
  std::uint64_t bits = 0;
  for (std::int64_t i = 0; i < kRows; ++i) {
    if (std::isnan(values[i])) continue;
    const auto level = static_cast<std::int64_t>(values[i]);
    const std::uint64_t word = trees_.category_words[at(first_word + level / 64)];
    bits |= ((word >> (level % 64)) & 1U) << i;
  }
  return bits;
}

}  // namespace gramian::tree
