// What a least-squares fit needs from rows that come in blocks: the bits of the same rows in one
// matrix, at one pass over the blocks each.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/context.hpp"
#include "base/row_blocks.hpp"
#include "linalg/moments.hpp"
#include "parallel/tiles.hpp"

namespace gramian::linalg {

// Refers to its arguments. `weight` is empty or has one entry per row, and Y one row for each.
std::unique_ptr<Design> design_of(const RowBlocks& X, MatrixView<const double> Y,
                                  std::span<const double> weight);

// See moments.hpp; their sums are not finite where an entry is not.
void column_means(const RowBlocks& X, std::span<const double> weight, std::span<double> out,
                  const Context& ctx);

// Entries begin .. begin + count of what has one for each row, or is empty.
inline std::span<const double> part_of(std::span<const double> values, std::int64_t begin,
                                       std::int64_t count) {
  if (values.empty()) return {};
  return values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
}

// Sums that many blocks add to, up the tree over their numbers. `add` is called in the order of the
// blocks; `Sum` has operator+=.
template <class Sum>
class BlockSums {
 public:
  explicit BlockSums(const RowBlocks& X) : block_rows_(X.block_rows()) {}

  void add(std::int64_t first_row, Sum sum) {
    sums_.add(first_row / block_rows_, Slot{std::move(sum)});
  }
  // At least one block must have been added.
  Sum total() { return std::move(*sums_.total().sum); }

 private:
  struct Slot {
    std::optional<Sum> sum;
    Slot& operator+=(const Slot& next) {
      *sum += *next.sum;
      return *this;
    }
  };

  std::int64_t block_rows_;
  TreeSums<Slot> sums_;
};

}  // namespace gramian::linalg
