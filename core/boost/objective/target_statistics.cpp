#include "boost/objective/target_statistics.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/index.hpp"
#include "parallel/parallel_for.hpp"
#include "random/philox.hpp"

namespace gramian::boost {
namespace {

constexpr std::uint16_t kOrderPurpose = 12;
constexpr std::int64_t kRowsBetweenChecks = 1 << 16;

// What the rows of a level have shown so far.
struct Seen {
  double sum = 0.0;
  double weight = 0.0;
};

// Calls use(row, statistic) for the rows in their order.
template <class Use>
void walk(const LevelRows& rows, std::int64_t column, std::span<const std::uint32_t> order,
          const Smoothing& smoothing, const Context& ctx, Use&& use) {
  const std::span<const std::int32_t> codes = rows.codes.row(column);
  std::vector<Seen> seen(at(rows.n_levels[at(column)]) + 1);
  const double extra = smoothing.strength * smoothing.prior;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i % kRowsBetweenChecks == 0) ctx.check();
    const std::size_t row = order[i];
    Seen& level = seen[at(codes[row])];
    use(row, (level.sum + extra) / (level.weight + smoothing.strength));
    const double weight = rows.weight_of(row);
    level.sum += weight * rows.target[row];
    level.weight += weight;
  }
}

double cost_of(const LevelRows& rows) {
  return 8.0 * static_cast<double>(rows.n_columns()) * static_cast<double>(rows.n_rows());
}

// Keys by open addressing: place of a key, or a free slot.
class KeyTable {
 public:
  explicit KeyTable(std::size_t n_keys)
      : slots_(std::bit_ceil(2 * n_keys + 2), Slot{kNone, 0}), mask_(slots_.size() - 1) {}

  // Whether the key is new.
  bool insert(std::int64_t key, std::int32_t place) {
    Slot& slot = slots_[find(key)];
    if (slot.key == key) return false;
    slot = {key, place};
    return true;
  }

  std::int32_t place_of(std::int64_t key, std::int32_t otherwise) const {
    const Slot& slot = slots_[find(key)];
    return slot.key == key ? slot.place : otherwise;
  }

 private:
  static constexpr std::int64_t kNone = -1;
  struct Slot {
    std::int64_t key;
    std::int32_t place;
  };

  std::size_t find(std::int64_t key) const {
    const std::uint64_t hash = static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15u;
    std::size_t slot = (hash >> 32 ^ hash) & mask_;
    while (slots_[slot].key != kNone && slots_[slot].key != key) slot = (slot + 1) & mask_;
    return slot;
  }

  std::vector<Slot> slots_;
  std::size_t mask_;
};

std::int64_t key_of(std::int32_t first, std::int32_t second, std::int32_t n_second) {
  return std::int64_t{first} * (std::int64_t{n_second} + 1) + second;
}

}  // namespace

std::vector<std::uint32_t> random_order(std::int64_t n, std::uint64_t seed) {
  std::vector<std::uint32_t> order(at(n));
  std::iota(order.begin(), order.end(), 0u);
  Stream stream(seed, 0, kOrderPurpose);
  for (std::size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[stream.below(left)]);
  return order;
}

template <class T>
void ordered_statistics(const LevelRows& rows, std::span<const std::uint32_t> order,
                        const Smoothing& smoothing, MatrixView<T> out, const Context& ctx) {
  parallel_for(ctx, rows.n_columns(), cost_of(rows), [&](std::int64_t column) {
    const std::span<T> statistics = out.row(column);
    walk(rows, column, order, smoothing, ctx,
         [&](std::size_t row, double statistic) { statistics[row] = static_cast<T>(statistic); });
  });
}

template void ordered_statistics(const LevelRows&, std::span<const std::uint32_t>, const Smoothing&,
                                 MatrixView<float>, const Context&);
template void ordered_statistics(const LevelRows&, std::span<const std::uint32_t>, const Smoothing&,
                                 MatrixView<double>, const Context&);

std::vector<double> ordered_errors(const LevelRows& rows, std::span<const std::uint32_t> order,
                                   const Smoothing& smoothing, const Context& ctx) {
  std::vector<double> errors(at(rows.n_columns()));
  parallel_for(ctx, rows.n_columns(), cost_of(rows), [&](std::int64_t column) {
    double sum = 0.0;
    walk(rows, column, order, smoothing, ctx, [&](std::size_t row, double statistic) {
      const double rest = rows.target[row] - statistic;
      sum += rows.weight_of(row) * rest * rest;
    });
    errors[at(column)] = sum;
  });
  return errors;
}

std::vector<std::int64_t> pair_keys(std::span<const std::int32_t> first,
                                    std::span<const std::int32_t> second, std::int32_t n_first,
                                    std::int32_t n_second) {
  const std::int64_t n_possible = key_of(n_first, n_second, n_second) + 1;
  KeyTable table(std::min(first.size(), at(n_possible)));
  std::vector<std::int64_t> keys;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const std::int64_t key = key_of(first[i], second[i], n_second);
    if (table.insert(key, 0)) keys.push_back(key);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

void pair_codes(std::span<const std::int32_t> first, std::span<const std::int32_t> second,
                std::int32_t n_second, std::span<const std::int64_t> keys,
                std::span<std::int32_t> codes) {
  KeyTable table(keys.size());
  std::int32_t n_keys = 0;
  for (const std::int64_t key : keys) table.insert(key, n_keys++);
  for (std::size_t i = 0; i < codes.size(); ++i)
    codes[i] = table.place_of(key_of(first[i], second[i], n_second), n_keys);
}

}  // namespace gramian::boost
