// Rows of up to three columns in cubic cells so small that all rows of a cell are near each other,
// and so large that those near a row lie in few cells around its own.
//
// With s = eps / sqrt(p) (1 - 2^-18) row x falls into cell floor((x - low) / s). The quotients are
// below 2^30 and right to 2^-20, so that rows of one cell are at most eps (1 - 2^-19) apart, and
// rows within eps at most `reach` cells in each direction. Cells are numbered in the order of their
// places, the last column first, so that those of a run along that column are adjacent.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "base/index.hpp"
#include "base/views.hpp"
#include "cluster/cell_grid_kernel.hpp"

namespace gramian::cluster {

class CellGrid {
 public:
  static constexpr std::int64_t kMostColumns = 3;

  // Nothing if there are too many columns, or if eps is too small beside the range of the rows.
  template <class T>
  static std::optional<CellGrid> of(MatrixView<const T> X, double eps, const Context& ctx);

  std::int64_t n_cells() const { return std::ssize(begins_) - 1; }
  std::int64_t begin(std::int64_t cell) const { return begins_[at(cell)]; }
  std::int64_t end(std::int64_t cell) const { return begins_[at(cell + 1)]; }
  std::int64_t row(std::int64_t place) const { return rows_[at(place)]; }

  // Entry k of the row at a place is at values[k * stride + place].
  GridPoints points() const { return {points_.data(), stride_, p_}; }

  // Moves the rows of a cell that the flags, by row, mark to its front; how many they are.
  std::int64_t move_to_front(std::int64_t cell, std::span<const std::uint8_t> flags);

  // The cells around some that are asked for in ascending order, as runs of adjacent ones, the
  // nearest run first. Of earlier cells only, or all.
  class Around {
   public:
    Around(const CellGrid& grid, std::int64_t first_cell, bool only_earlier);
    void go_to(std::int64_t cell);
    std::int64_t n_runs() const { return std::ssize(firsts_); }
    std::int64_t first(std::int64_t run) const { return firsts_[at(run)]; }
    std::int64_t last(std::int64_t run) const { return lasts_[at(run)]; }  // behind it
    CellRuns runs() const {
      return {grid_.begins_.data(), firsts_.data(), lasts_.data(), n_runs()};
    }

   private:
    const CellGrid& grid_;
    std::vector<double> offsets_;
    std::vector<std::int64_t> firsts_, lasts_;
  };

 private:
  CellGrid() = default;
  void sort_rows(std::vector<std::int64_t>& keys, std::int64_t most, const Context& ctx);
  void find_cells(std::span<const std::int64_t> keys);

  std::int64_t p_ = 0, stride_ = 0, reach_ = 0;
  std::vector<std::int64_t> offsets_{};  // of the keys of runs
  std::vector<double> keys_{};           // of each cell, a whole number; infinite ones follow
  std::vector<std::int64_t> begins_{};   // of each cell
  std::vector<std::int64_t> rows_{};
  Buffer<double> points_{};
};

}  // namespace gramian::cluster
