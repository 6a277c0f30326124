#include "tree/format/linear_leaves.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace gramian::tree {

void LinearLeaves::check(std::int64_t n_leaves, std::int64_t n_columns) const {
  const auto n = static_cast<std::size_t>(n_leaves);
  if (this->n_leaves() != n_leaves || intercept.size() != n || lower.size() != n ||
      upper.size() != n)
    throw InvalidArgument("linear leaves must be as many as the leaves of the trees");
  if (offsets.front() != 0 || !std::is_sorted(offsets.begin(), offsets.end()) ||
      offsets.back() != static_cast<std::int64_t>(column.size()) ||
      column.size() != coefficient.size())
    throw InvalidArgument("the offsets of linear leaves must rise from 0 to their entries");
  for (std::size_t k = 0; k < n; ++k)
    if (!(lower[k] <= upper[k])) throw InvalidArgument("the bounds of linear leaves must rise");
  for (const std::int32_t c : column)
    if (c < 0 || c >= n_columns)
      throw InvalidArgument("a linear leaf names a column that is not there");
}

void LinearLeaves::add(std::int64_t leaf, double value, const AnyDense& X,
                       std::span<const std::uint32_t> rows, double scale,
                       std::span<double> scores) const {
  std::visit(
      [&](const auto& view) {
        for (const std::uint32_t row : rows) scores[row] += scale * at(leaf, value, view, row);
      },
      X);
}

}  // namespace gramian::tree
