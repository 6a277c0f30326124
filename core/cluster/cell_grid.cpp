#include "cluster/cell_grid.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "parallel/parallel_for.hpp"

namespace gramian::cluster {
namespace {

constexpr double kMostCells = 0x1p30;  // along a column
constexpr std::int64_t kMostRead = 8;  // behind the last
constexpr std::int64_t kRowsPerCheck = 1 << 16;
constexpr double kMostKeys = 0x1p52;

struct Column {
  double low, high;
};

template <class T>
Column range_of(MatrixView<const T> X, std::int64_t k, const Context& ctx) {
  Column range{static_cast<double>(X(0, k)), static_cast<double>(X(0, k))};
  for (std::int64_t i = 1; i < X.n_rows; ++i) {
    if (i % kRowsPerCheck == 0) ctx.check();
    const auto value = static_cast<double>(X(i, k));
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  return range;
}

}  // namespace

template <class T>
std::optional<CellGrid> CellGrid::of(MatrixView<const T> X, double eps, const Context& ctx) {
  const std::int64_t n = X.n_rows, p = X.n_cols;
  if (p < 1 || p > kMostColumns || n < 1) return std::nullopt;
  CellGrid grid;
  grid.p_ = p;
  const double root = std::sqrt(static_cast<double>(p));
  const double side = eps / root * (1.0 - 0x1p-18);
  grid.reach_ = static_cast<std::int64_t>(root * (1.0 + 0x1p-16)) + 1;
  // key = sum of (cell along column k + reach) * step[k]: a run never wraps into the next one.
  double n_keys = 1.0;
  std::vector<Column> ranges;
  std::vector<std::int64_t> steps(at(p), 1);
  for (std::int64_t k = 0; k < p; ++k) ranges.push_back(range_of(X, k, ctx));
  for (std::int64_t k = p - 1; k >= 0; --k) {
    const double n_cells = (ranges[at(k)].high - ranges[at(k)].low) / side;
    if (!(n_cells < kMostCells)) return std::nullopt;
    steps[at(k)] = static_cast<std::int64_t>(n_keys);
    n_keys *= std::floor(n_cells) + 2.0 + 2.0 * static_cast<double>(grid.reach_);
    if (!(n_keys < kMostKeys)) return std::nullopt;
  }
  std::vector<std::int64_t> keys(at(n));
  const Chunks chunks = Chunks::of_rows(n, 4096);
  parallel_for(ctx, chunks.count(), 3.0 * static_cast<double>(n * p), [&](std::int64_t task) {
    for (std::int64_t i = chunks.begin(task); i < chunks.end(task); ++i) {
      std::int64_t key = 0;
      for (std::int64_t k = 0; k < p; ++k) {
        const double above = static_cast<double>(X(i, k)) - ranges[at(k)].low;
        key += (static_cast<std::int64_t>(above / side) + grid.reach_) * steps[at(k)];
      }
      keys[at(i)] = key;
    }
  });
  grid.sort_rows(keys, static_cast<std::int64_t>(n_keys), ctx);
  grid.find_cells(keys);
  grid.offsets_ = {0};
  for (std::int64_t k = 0; k + 1 < p; ++k) {
    std::vector<std::int64_t> wider;
    for (std::int64_t move = 0; move <= grid.reach_; ++move)
      for (const std::int64_t offset : grid.offsets_) {
        wider.push_back(offset + move * steps[at(k)]);
        if (move > 0) wider.push_back(offset - move * steps[at(k)]);
      }
    grid.offsets_ = std::move(wider);
  }
  grid.stride_ = n + kMostRead;
  grid.points_ = Buffer<double>::zeros(p * grid.stride_);
  parallel_for(ctx, chunks.count(), 3.0 * static_cast<double>(n * p), [&](std::int64_t task) {
    for (std::int64_t k = 0; k < p; ++k)
      for (std::int64_t place = chunks.begin(task); place < chunks.end(task); ++place)
        grid.points_[k * grid.stride_ + place] = static_cast<double>(X(grid.row(place), k));
  });
  return grid;
}

// By digits from the lowest, so that rows of one cell stay in their order; the keys go along.
void CellGrid::sort_rows(std::vector<std::int64_t>& keys, std::int64_t most, const Context& ctx) {
  constexpr int kBits = 11;
  constexpr std::int64_t kMask = (1 << kBits) - 1;
  rows_.resize(keys.size());
  std::iota(rows_.begin(), rows_.end(), std::int64_t{0});
  std::vector<std::int64_t> next_rows(keys.size()), next_keys(keys.size());
  for (int shift = 0; shift < 63 && (most >> shift) > 0; shift += kBits) {
    std::vector<std::size_t> places(at(kMask + 2), 0);
    for (const std::int64_t key : keys) ++places[at(((key >> shift) & kMask) + 1)];
    std::partial_sum(places.begin(), places.end(), places.begin());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i % kRowsPerCheck == 0) ctx.check();
      const std::size_t place = places[at((keys[i] >> shift) & kMask)]++;
      next_keys[place] = keys[i];
      next_rows[place] = rows_[i];
    }
    keys.swap(next_keys);
    rows_.swap(next_rows);
  }
}

void CellGrid::find_cells(std::span<const std::int64_t> keys) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i > 0 && keys[i] == keys[i - 1]) continue;
    keys_.push_back(static_cast<double>(keys[i]));
    begins_.push_back(static_cast<std::int64_t>(i));
  }
  begins_.push_back(static_cast<std::int64_t>(keys.size()));
  keys_.insert(keys_.end(), kMostRead, std::numeric_limits<double>::infinity());
}

std::int64_t CellGrid::move_to_front(std::int64_t cell, std::span<const std::uint8_t> flags) {
  std::int64_t front = begin(cell);
  for (std::int64_t place = front; place < end(cell); ++place) {
    if (!flags[at(row(place))]) continue;
    std::swap(rows_[at(place)], rows_[at(front)]);
    for (std::int64_t k = 0; k < p_; ++k)
      std::swap(points_[k * stride_ + place], points_[k * stride_ + front]);
    ++front;
  }
  return front - begin(cell);
}

CellGrid::Around::Around(const CellGrid& grid, std::int64_t first_cell, bool only_earlier)
    : grid_(grid) {
  const auto reach = static_cast<double>(grid.reach_);
  for (const std::int64_t offset : grid.offsets_) {
    if (only_earlier && offset > 0) continue;
    offsets_.push_back(static_cast<double>(offset));
    const double least = grid.keys_[at(first_cell)] + offsets_.back() - reach;
    firsts_.push_back(std::ranges::lower_bound(grid.keys_, least) - grid.keys_.begin());
  }
  lasts_ = firsts_;
}

void CellGrid::Around::go_to(std::int64_t cell) {
  GRAMIAN_DISPATCH(move_runs, grid_.keys_.data(), grid_.keys_[at(cell)], offsets_.data(), n_runs(),
                   static_cast<double>(grid_.reach_), firsts_.data(), lasts_.data());
}

template std::optional<CellGrid> CellGrid::of(MatrixView<const float>, double, const Context&);
template std::optional<CellGrid> CellGrid::of(MatrixView<const double>, double, const Context&);

}  // namespace gramian::cluster
