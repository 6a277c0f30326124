#include "tree/search/node_codes.hpp"

#include <algorithm>

#include "tree/search/packed.hpp"
#include "tree/search/search.hpp"

namespace gramian::tree {

namespace {

template <class Key>
bool sort_places(const NodeColumn& column, std::span<Key> keys, KeySorter<Key>& sort) {
  const int place_bits = column.place_bits();
  return column.visit_codes([&](const auto& code_of) {
    const auto key_of = [&code_of, row = column.rows.data(), place_bits](std::size_t i) {
      const auto code = static_cast<std::uint32_t>(code_of(row[i]));
      return static_cast<Key>(static_cast<Key>(code) << place_bits | static_cast<Key>(i));
    };
    return sort(keys, place_bits, place_bits + column.code_bits(), key_of, kSortFewKeys);
  });
}

}  // namespace

bool sort_by_code(const NodeColumn& column, std::span<std::uint32_t> keys,
                  KeySorter<std::uint32_t>& sort) {
  return sort_places(column, keys, sort);
}

bool sort_by_code(const NodeColumn& column, std::span<std::uint64_t> keys,
                  KeySorter<std::uint64_t>& sort) {
  return sort_places(column, keys, sort);
}

bool sort_packed(const NodeColumn& column, std::span<const std::uint8_t> packed,
                 std::span<std::uint32_t> keys, KeySorter<std::uint32_t>& sort) {
  return column.visit_codes([&](const auto& code_of) {
    const auto key_of = [&code_of, row = column.rows.data(),
                         packed = packed.data()](std::size_t i) {
      return static_cast<std::uint32_t>(code_of(row[i])) << kPackedBits | packed[i];
    };
    return sort(keys, kPackedBits, kPackedBits + column.code_bits(), key_of, kSortFewPacked);
  });
}

std::uint32_t row_with(const NodeColumn& column, std::uint32_t code) {
  return column.visit_codes([&](const auto& code_of) {
    return *std::find_if(column.rows.begin(), column.rows.end(),
                         [&](std::uint32_t row) { return code_of(row) == code; });
  });
}

void part_by_code(const Columns& columns, const Split& split, std::span<std::uint32_t> rows,
                  std::vector<std::uint32_t>& scratch) {
  const std::uint32_t missing = columns[split.feature].missing_code;
  NodeColumn{columns, rows, split.feature}.visit_codes([&](const auto& code_of) {
    if (split.is_categorical() || split.saw_missing)
      return part_stably(
          rows, [&](std::uint32_t row) { return !split.code_goes_left(code_of(row), missing); },
          scratch);
    part_stably(
        rows,
        [last_left = split.last_left, &code_of](std::uint32_t row) {
          return code_of(row) > last_left;
        },
        scratch);
  });
}

}  // namespace gramian::tree
