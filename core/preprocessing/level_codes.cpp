#include "preprocessing/level_codes.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/index.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::preprocessing {
namespace {

constexpr std::int64_t kMissing = -1, kNoSlot = -2;
constexpr std::int64_t kTaskRows = 4096;
constexpr std::int64_t kTileRows =
    512;  // of all columns, which then stay in the cache in any order

// The slots of one column.
struct ColumnSlots {
  double low, high;  // numbers from low up to, but without, high
  std::int64_t shift;

  ColumnSlots(const NumberSlots& slots, std::int64_t j)
      : low(static_cast<double>(slots.least[at(j)])),
        high(low + static_cast<double>(slots.first[at(j + 1)] - slots.first[at(j)])),
        shift(slots.first[at(j)] - slots.least[at(j)]) {}

  std::int64_t of(double value) const {
    if (!(value >= low && value < high)) return std::isnan(value) ? kMissing : kNoSlot;
    const auto number = static_cast<std::int64_t>(value);
    return static_cast<double>(number) == value ? number + shift : kNoSlot;
  }
};

// Calls visit(j, column, begin, end) for tiles of rows of each column.
template <class Visit>
void for_each_tile(std::int64_t n, std::int64_t p, const NumberSlots& slots, const Context& ctx,
                   const Visit& visit) {
  const Chunks chunks = Chunks::of_rows(n, kTaskRows);
  const double cost_ns = 1.5 * static_cast<double>(n) * static_cast<double>(p);
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t task) {
    for (std::int64_t begin = chunks.begin(task); begin < chunks.end(task); begin += kTileRows) {
      ctx.check();
      const std::int64_t end = std::min(begin + kTileRows, chunks.end(task));
      for (std::int64_t j = 0; j < p; ++j) visit(j, ColumnSlots(slots, j), begin, end);
    }
  });
}

}  // namespace

template <class T>
bool mark_numbers(MatrixView<const T> X, std::span<const double> weight, const NumberSlots& slots,
                  std::span<std::uint8_t> is_present, const Context& ctx) {
  std::atomic<bool> all_found{true};
  for_each_tile(
      X.n_rows, X.n_cols, slots, ctx,
      [&](std::int64_t j, const ColumnSlots& column, std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t slot = column.of(X(i, j));
          if (slot == kNoSlot) all_found.store(false, std::memory_order_relaxed);
          if (slot < 0 || (!weight.empty() && !(weight[at(i)] > 0.0))) continue;
          // Any task may set it, and all set the same.
          const std::atomic_ref<std::uint8_t> mark(is_present[at(slot)]);
          if (mark.load(std::memory_order_relaxed) == 0) mark.store(1, std::memory_order_relaxed);
        }
      });
  return all_found.load();
}

template <class T>
bool number_codes(MatrixView<const T> X, const NumberSlots& slots,
                  std::span<const std::int32_t> code, MatrixView<std::int32_t> codes,
                  const Context& ctx) {
  std::atomic<bool> all_found{true};
  for_each_tile(
      X.n_rows, X.n_cols, slots, ctx,
      [&](std::int64_t j, const ColumnSlots& column, std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t slot = column.of(X(i, j));
          if (slot == kNoSlot) all_found.store(false, std::memory_order_relaxed);
          codes(i, j) = slot < 0 ? static_cast<std::int32_t>(slot) : code[at(slot)];
        }
      });
  return all_found.load();
}

template bool mark_numbers(MatrixView<const float>, std::span<const double>, const NumberSlots&,
                           std::span<std::uint8_t>, const Context&);
template bool mark_numbers(MatrixView<const double>, std::span<const double>, const NumberSlots&,
                           std::span<std::uint8_t>, const Context&);
template bool number_codes(MatrixView<const float>, const NumberSlots&,
                           std::span<const std::int32_t>, MatrixView<std::int32_t>, const Context&);
template bool number_codes(MatrixView<const double>, const NumberSlots&,
                           std::span<const std::int32_t>, MatrixView<std::int32_t>, const Context&);

}  // namespace gramian::preprocessing
