// The rows of a tree's nodes: an array of row numbers in which every node is a range.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "boost/bins/bins.hpp"

namespace gramian::boost {

class RowPartition {
 public:
  // All rows, or those of a sample, in ascending order.
  void reset(std::int64_t n_rows);
  void reset(std::span<const std::uint32_t> rows);

  std::int64_t size() const { return static_cast<std::int64_t>(rows_.size()); }
  std::span<const std::uint32_t> range(std::int64_t begin, std::int64_t end) const {
    return std::span(rows_).subspan(static_cast<std::size_t>(begin),
                                    static_cast<std::size_t>(end - begin));
  }

  // Moves the rows begin .. end whose code is in the set before the others, both in their order;
  // returns how many there are.
  std::int64_t part(std::int64_t begin, std::int64_t end, const Bins& bins, std::int64_t track,
                    const CodeSet& goes_left, const Context& ctx);
  // Undoes that.
  void join(std::int64_t begin, std::int64_t middle, std::int64_t end);

 private:
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> right_;  // room for the rows that go right
};

}  // namespace gramian::boost
