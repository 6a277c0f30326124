#include "distance/donors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "distance/tiles.hpp"

namespace gramian::distance {
namespace {

using Candidate = std::pair<double, std::int64_t>;

// Whether each row has a value, column after column.
template <class T>
class Values {
 public:
  explicit Values(MatrixView<const T> Y) : n_rows_(Y.n_rows), has_(at(Y.n_rows * Y.n_cols)) {
    for (std::int64_t j = 0; j < Y.n_cols; ++j)
      for (std::int64_t i = 0; i < n_rows_; ++i) has_[at(j * n_rows_ + i)] = !std::isnan(Y(i, j));
  }
  const char* of_column(std::int64_t j) const { return has_.data() + j * n_rows_; }

 private:
  std::int64_t n_rows_;
  std::vector<char> has_;
};

// The nearest donors so far of the gaps of a chunk of rows, as heaps with the farthest on top.
template <class T>
class Donors {
 public:
  Donors(std::span<const std::int64_t> starts, std::span<const std::int64_t> columns,
         const Values<T>& values, MatrixView<std::int64_t> index, MatrixView<double> distance,
         std::int64_t first, std::int64_t last)
      : starts_(starts),
        columns_(columns),
        values_(values),
        index_(index),
        distance_(distance),
        first_gap_(starts[at(first)]),
        heaps_(at(starts[at(last)] - first_gap_)) {
    for (auto& heap : heaps_) heap.reserve(at(index.n_cols) + 1);
  }

  void add(const Tile& tile) {
    for (std::int64_t r = 0; r < tile.n_rows; ++r) add_row(tile, r);
  }

  void finish() {
    for (std::size_t h = 0; h < heaps_.size(); ++h) {
      auto& heap = heaps_[h];
      const std::int64_t gap = first_gap_ + static_cast<std::int64_t>(h);
      std::sort_heap(heap.begin(), heap.end());
      for (std::int64_t c = 0; c < index_.n_cols; ++c) {
        const bool is_found = at(c) < heap.size();
        index_(gap, c) = is_found ? heap[at(c)].second : -1;
        distance_(gap, c) = is_found ? heap[at(c)].first : std::numeric_limits<double>::quiet_NaN();
      }
    }
  }

 private:
  std::vector<Candidate>& heap_of(std::int64_t gap) { return heaps_[at(gap - first_gap_)]; }

  // What no donor of a row's gaps may be beyond: infinite while one has too few.
  double limit_of(std::int64_t begin, std::int64_t end) {
    double limit = 0.0;
    for (std::int64_t gap = begin; gap < end; ++gap) {
      const auto& heap = heap_of(gap);
      if (std::ssize(heap) < index_.n_cols) return std::numeric_limits<double>::infinity();
      limit = std::max(limit, heap.front().first);
    }
    return limit;
  }

  void add_row(const Tile& tile, std::int64_t r) {
    const std::int64_t begin = starts_[at(tile.first_row + r)];
    const std::int64_t end = starts_[at(tile.first_row + r + 1)];
    if (begin == end) return;
    const double* distances = tile.values + r * kTileCols;
    double limit = limit_of(begin, end);
    for (std::int64_t c = 0; c < tile.n_cols; ++c) {
      if (!(distances[c] <= limit)) continue;
      bool is_changed = false;
      for (std::int64_t gap = begin; gap < end; ++gap)
        if (values_.of_column(columns_[at(gap)])[tile.first_col + c])
          is_changed |= offer(heap_of(gap), {distances[c], tile.first_col + c});
      if (is_changed) limit = limit_of(begin, end);
    }
  }

  bool offer(std::vector<Candidate>& heap, const Candidate& candidate) const {
    if (std::ssize(heap) == index_.n_cols) {
      if (!(candidate < heap.front())) return false;
      std::pop_heap(heap.begin(), heap.end());
      heap.pop_back();
    }
    heap.push_back(candidate);
    std::push_heap(heap.begin(), heap.end());
    return true;
  }

  std::span<const std::int64_t> starts_, columns_;
  const Values<T>& values_;
  MatrixView<std::int64_t> index_;
  MatrixView<double> distance_;
  std::int64_t first_gap_;
  std::vector<std::vector<Candidate>> heaps_;
};

}  // namespace

template <class T>
void nearest_donors(MatrixView<const T> X, std::span<const std::int64_t> starts,
                    std::span<const std::int64_t> columns, MatrixView<const T> Y,
                    MatrixView<std::int64_t> index, MatrixView<double> distance,
                    const Context& ctx) {
  if (index.n_cols == 0) return;
  const Values<T> values(Y);
  const PackedRows packed({Metric::nan_euclidean}, Y, ctx);
  for_each_tile(X, packed, ctx, [&](std::int64_t first, std::int64_t last) {
    return Donors<T>(starts, columns, values, index, distance, first, last);
  });
}

#define GRAMIAN_INSTANTIATE(T)                                                     \
  template void nearest_donors(MatrixView<const T>, std::span<const std::int64_t>, \
                               std::span<const std::int64_t>, MatrixView<const T>, \
                               MatrixView<std::int64_t>, MatrixView<double>, const Context&);
GRAMIAN_INSTANTIATE(float)
GRAMIAN_INSTANTIATE(double)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::distance
