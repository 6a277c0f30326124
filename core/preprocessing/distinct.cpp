#include "preprocessing/distinct.hpp"

#include "random/mix.hpp"

namespace gramian::preprocessing {

std::vector<std::int64_t> distinct_rows(MatrixView<const std::uint32_t> rows,
                                        std::span<std::int32_t> codes, const Context& ctx) {
  constexpr std::int64_t kRowsBetweenChecks = 1 << 16;
  const auto width = at(rows.n_cols) * sizeof(std::uint32_t);
  Numbering numbering;
  std::vector<std::int64_t> first;
  for (std::int64_t i = 0; i < rows.n_rows; ++i) {
    if (i % kRowsBetweenChecks == 0) ctx.check();
    const std::uint32_t* key = rows.data + i * rows.row_stride;
    std::uint64_t hash = 0;
    for (std::int64_t j = 0; j < rows.n_cols; ++j) hash = (hash ^ key[j]) * 0x9E3779B97F4A7C15ULL;
    const auto is_same = [&](std::int32_t number) {
      return std::memcmp(rows.data + first[at(number)] * rows.row_stride, key, width) == 0;
    };
    const std::int32_t code = numbering.number(mixed(hash), is_same);
    if (code == std::ssize(first)) first.push_back(i);
    codes[at(i)] = code;
  }
  return first;
}

}  // namespace gramian::preprocessing
