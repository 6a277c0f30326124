// DBSCAN over a grid of cells, each of which holds rows that are all within eps of each other.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/index.hpp"
#include "cluster/cell_grid.hpp"
#include "cluster/cell_grid_kernel.hpp"
#include "cluster/dbscan.hpp"
#include "graph/concurrent_union_find.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::cluster {
namespace {

constexpr std::int64_t kCellsPerTask = 256;
using Point = std::array<double, CellGrid::kMostColumns>;

class GridClusters {
 public:
  GridClusters(CellGrid& grid, const DbscanRule& rule, const DbscanResult& out, const Context& ctx)
      : grid_(grid),
        min_samples_(rule.min_samples),
        limit_(squared_radius(rule.eps)),
        out_(out),
        ctx_(ctx),
        n_core_(at(grid.n_cells())),
        components_(std::ssize(out.labels)) {}

  void run() {
    const Chunks chunks = Chunks::of_rows(grid_.n_cells(), kCellsPerTask);
    const auto each_task = [&](double cost_of_row_ns, const auto& function) {
      parallel_for(ctx_, chunks.count(), cost_of_row_ns * static_cast<double>(out_.labels.size()),
                   [&](std::int64_t task) { function(chunks.begin(task), chunks.end(task)); });
    };
    each_task(200.0, [&](std::int64_t first, std::int64_t last) { find_core(first, last); });
    each_task(10.0, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t cell = first; cell < last; ++cell)
        n_core_[at(cell)] = grid_.move_to_front(cell, out_.is_core);
    });
    each_task(200.0, [&](std::int64_t first, std::int64_t last) { join_core(first, last); });
    number_components(components_, out_);
    each_task(100.0, [&](std::int64_t first, std::int64_t last) { label_others(first, last); });
  }

 private:
  Point point_at(std::int64_t place) const {
    Point x{};
    for (std::int64_t k = 0; k < grid_.points().n_features; ++k)
      x[at(k)] = grid_.points().values[k * grid_.points().stride + place];
    return x;
  }

  void find_core(std::int64_t first, std::int64_t last) {
    CellGrid::Around around(grid_, first, false);
    for (std::int64_t cell = first; cell < last; ++cell) {
      ctx_.check();
      const std::int64_t begin = grid_.begin(cell), end = grid_.end(cell);
      const bool is_dense = static_cast<double>(end - begin) >= min_samples_;
      if (!is_dense) around.go_to(cell);
      for (std::int64_t place = begin; place < end; ++place)
        out_.is_core[at(grid_.row(place))] = is_dense || has_enough(around, place);
    }
  }

  bool has_enough(const CellGrid::Around& around, std::int64_t place) const {
    const Point x = point_at(place);
    const std::int64_t n =
        GRAMIAN_DISPATCH(count_near, x.data(), grid_.points(), around.runs(), limit_, min_samples_);
    return static_cast<double>(n) >= min_samples_;
  }

  bool is_near_core(const Point& x, std::int64_t cell) const {
    return GRAMIAN_DISPATCH(has_near, x.data(), grid_.points(), grid_.begin(cell),
                            n_core_[at(cell)], limit_);
  }

  std::int64_t first_row(std::int64_t cell) const { return grid_.row(grid_.begin(cell)); }

  // The core rows of a cell are of one cluster; so are those of an earlier one if two are near.
  void join_core(std::int64_t first, std::int64_t last) {
    CellGrid::Around around(grid_, first, true);
    for (std::int64_t cell = first; cell < last; ++cell) {
      if (n_core_[at(cell)] == 0) continue;
      around.go_to(cell);
      for (std::int64_t i = 1; i < n_core_[at(cell)]; ++i)
        components_.join(first_row(cell), grid_.row(grid_.begin(cell) + i));
      for (std::int64_t run = 0; run < around.n_runs(); ++run)
        for (std::int64_t other = around.first(run); other < std::min(around.last(run), cell);
             ++other)
          join_cells(cell, other);
    }
  }

  void join_cells(std::int64_t cell, std::int64_t other) {
    if (n_core_[at(other)] == 0) return;
    const std::int64_t row = first_row(cell), other_row = first_row(other);
    if (components_.find(row) != components_.find(other_row) && are_near(cell, other))
      components_.join(row, other_row);
  }

  bool are_near(std::int64_t cell, std::int64_t other) const {
    constexpr std::int64_t kFew = 16;
    if (n_core_[at(cell)] > n_core_[at(other)]) std::swap(cell, other);
    const bool is_boxed = n_core_[at(other)] > kFew;
    const Box box = is_boxed ? box_of(other) : Box{};
    for (std::int64_t i = 0; i < n_core_[at(cell)]; ++i) {
      ctx_.check();
      const Point x = point_at(grid_.begin(cell) + i);
      if (is_boxed && squared_distance(x, box) > limit_) continue;
      if (is_near_core(x, other)) return true;
    }
    return false;
  }

  struct Box {
    Point low{}, high{};
  };

  Box box_of(std::int64_t cell) const {
    Box box{point_at(grid_.begin(cell)), point_at(grid_.begin(cell))};
    for (std::int64_t i = 1; i < n_core_[at(cell)]; ++i) {
      const Point x = point_at(grid_.begin(cell) + i);
      for (std::size_t k = 0; k < x.size(); ++k) {
        box.low[k] = std::min(box.low[k], x[k]);
        box.high[k] = std::max(box.high[k], x[k]);
      }
    }
    return box;
  }

  // Summed as the distances of points are, of which none in the box is computed as nearer.
  static double squared_distance(const Point& x, const Box& box) {
    double sum = 0.0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double gap = std::max({box.low[k] - x[k], x[k] - box.high[k], 0.0});
      sum = __builtin_fma(gap, gap, sum);
    }
    return sum;
  }

  // Rows that are not core take the least label of the core rows near them.
  void label_others(std::int64_t first, std::int64_t last) {
    CellGrid::Around around(grid_, first, false);
    for (std::int64_t cell = first; cell < last; ++cell) {
      ctx_.check();
      const std::int64_t begin = grid_.begin(cell) + n_core_[at(cell)], end = grid_.end(cell);
      if (begin == end) continue;
      around.go_to(cell);
      for (std::int64_t place = begin; place < end; ++place)
        out_.labels[at(grid_.row(place))] = least_label_near(around, point_at(place));
    }
  }

  std::int64_t least_label_near(const CellGrid::Around& around, const Point& x) const {
    std::int64_t least = kNoise;
    for (std::int64_t run = 0; run < around.n_runs(); ++run)
      for (std::int64_t cell = around.first(run); cell < around.last(run); ++cell) {
        if (n_core_[at(cell)] == 0) continue;
        const std::int64_t label = out_.labels[at(first_row(cell))];
        if ((least == kNoise || label < least) && is_near_core(x, cell)) least = label;
      }
    return least;
  }

  CellGrid& grid_;
  double min_samples_, limit_;
  DbscanResult out_;
  const Context& ctx_;
  std::vector<std::int64_t> n_core_;  // of each cell, whose first rows they are
  graph::ConcurrentUnionFind components_;
};

}  // namespace

template <class T>
bool dbscan_in_grid(MatrixView<const T> X, const DbscanRule& rule, const DbscanResult& out,
                    const Context& ctx) {
  if (!rule.weights.empty()) return false;
  std::optional<CellGrid> grid = CellGrid::of(X, rule.eps, ctx);
  if (!grid) return false;
  GridClusters(*grid, rule, out, ctx).run();
  return true;
}

template bool dbscan_in_grid(MatrixView<const float>, const DbscanRule&, const DbscanResult&,
                             const Context&);
template bool dbscan_in_grid(MatrixView<const double>, const DbscanRule&, const DbscanResult&,
                             const Context&);

}  // namespace gramian::cluster
