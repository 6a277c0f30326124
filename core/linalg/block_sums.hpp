// Sums over rows in blocks, taken here or where the rows are, and combined up the tree.
//
// A `Sum` has operator+= and `for_each_part(use)`, which calls use(std::span<double>) for each
// array of its numbers: so it travels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/row_blocks.hpp"
#include "parallel/tiles.hpp"

namespace gramian::linalg {

// Entries begin .. begin + count of what has one for each row, or is empty.
inline std::span<const double> part_of(std::span<const double> values, std::int64_t begin,
                                       std::int64_t count) {
  if (values.empty()) return {};
  return values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
}

// Sums that many blocks add to, up the tree over their numbers. `add` is called in the order of the
// blocks.
template <class Sum>
class BlockSums {
 public:
  explicit BlockSums(const RowBlocks& X) : BlockSums(X.block_rows()) {}
  explicit BlockSums(std::int64_t block_rows) : block_rows_(block_rows) {}

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

template <class Sum>
std::vector<double> packed(Sum sum) {
  std::size_t size = 0;
  sum.for_each_part([&](std::span<double> part) { size += part.size(); });
  std::vector<double> numbers(size);
  auto end = numbers.begin();
  sum.for_each_part([&](std::span<double> part) { end = std::ranges::copy(part, end).out; });
  return numbers;
}

// Into a sum of the same sizes.
template <class Sum>
void unpack(std::span<const double> numbers, Sum& sum) {
  std::size_t begin = 0;
  sum.for_each_part([&](std::span<double> part) {
    if (part.size() > numbers.size() - begin) throw InvalidArgument("a block gave too few sums");
    std::ranges::copy(numbers.subspan(begin, part.size()), part.begin());
    begin += part.size();
  });
  if (begin != numbers.size()) throw InvalidArgument("a block gave too many sums");
}

// The sum over all blocks: of_block(first row, rows) of each, or what is asked for where the rows
// are. `none()` is a sum of the right sizes.
template <class None, class OfBlock>
auto sum_blocks(const RowBlocks& X, const RowSum& asked, const None& none,
                const OfBlock& of_block) {
  BlockSums<decltype(none())> sums(X);
  if (X.is_elsewhere()) {
    X.sums(asked, [&](std::int64_t first, std::span<const double> numbers) {
      auto sum = none();
      unpack(numbers, sum);
      sums.add(first, std::move(sum));
    });
  } else {
    X.pass([&](std::int64_t first, const AnyDense& rows) {
      std::visit([&](const auto& own) { sums.add(first, of_block(first, own)); }, rows);
      return true;
    });
  }
  return sums.total();
}

// What a sum that was asked for depends on, taken apart in the order in which it was put together.
class AskedNumbers {
 public:
  explicit AskedNumbers(const RowSum& asked) : left_(asked.point), asked_(asked) {}

  std::span<const double> next(std::int64_t count) {
    if (count > std::ssize(left_))
      throw InvalidArgument("a sum was asked for with too few numbers");
    const auto part = left_.first(at(count));
    left_ = left_.subspan(at(count));
    return part;
  }
  std::span<const double> rest() { return next(std::ssize(left_)); }

  // The k-th numbers of the rows: `n_rows` times their width of them, or none.
  std::span<const double> of_rows(std::size_t k, std::int64_t n_rows) const {
    if (k >= asked_.of_rows.size()) throw InvalidArgument("a sum was asked for without its rows");
    const auto& [values, width] = asked_.of_rows[k];
    if (!values.empty() && std::ssize(values) != n_rows * width)
      throw InvalidArgument("the numbers of the rows must be as many as the rows");
    return values;
  }

 private:
  std::span<const double> left_;
  const RowSum& asked_;
};

}  // namespace gramian::linalg
