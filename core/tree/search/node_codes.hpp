// The codes of a node's rows in one column: how they are read, sorted, found and parted. All of
// this knows no criterion, and is compiled once.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "tree/columns/columns.hpp"
#include "tree/search/sort_keys.hpp"
#include "tree/search/split.hpp"

namespace gramian::tree {

struct NodeColumn {
  const Columns& columns;
  std::span<const std::uint32_t> rows;  // of the node
  std::int64_t feature;

  // The bits of a row's number in the node, and of a code.
  int place_bits() const { return static_cast<int>(std::bit_width(rows.size() - 1)); }
  int code_bits() const { return static_cast<int>(std::bit_width(columns[feature].missing_code)); }

  // Returns function(code_of), for the codes of the column by row number; see row_codes.hpp.
  template <class Function>
  auto visit_codes(const Function& function) const {
    constexpr std::int64_t kLine = 64 / sizeof(std::uint16_t);
    const RowCodes& row_codes = columns.row_codes();
    if (!row_codes.empty() && std::ssize(rows) * kLine < columns.n_rows())
      return row_codes.visit(feature, function);
    return std::visit(
        [&](const auto& codes) {
          return function([from = codes.data()](std::uint32_t row) { return from[row]; });
        },
        columns.codes(feature));
  }
};

// Sorts keys of the code and, in the lowest place_bits(), the number of the row in the node, and
// returns whether the column varies; if not, nothing is sorted.
bool sort_by_code(const NodeColumn& column, std::span<std::uint32_t> keys,
                  KeySorter<std::uint32_t>& sort);
bool sort_by_code(const NodeColumn& column, std::span<std::uint64_t> keys,
                  KeySorter<std::uint64_t>& sort);
// The same of keys of the code and what packed.hpp packs, by the number of the row in the node.
bool sort_packed(const NodeColumn& column, std::span<const std::uint8_t> packed,
                 std::span<std::uint32_t> keys, KeySorter<std::uint32_t>& sort);

// A row of the node with this code; there is one.
std::uint32_t row_with(const NodeColumn& column, std::uint32_t code);

// Parts the rows of a node by a split.
void part_by_code(const Columns& columns, const Split& split, std::span<std::uint32_t> rows,
                  std::vector<std::uint32_t>& scratch);

}  // namespace gramian::tree
