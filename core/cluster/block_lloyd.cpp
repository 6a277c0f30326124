// Lloyd's algorithm over rows in blocks. No bounds are kept: reading the rows takes longer than
// judging them anew.
#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "cluster/assign.hpp"
#include "cluster/centre_steps.hpp"
#include "cluster/lloyd.hpp"
#include "linalg/block_design.hpp"
#include "parallel/tiles.hpp"

namespace gramian::cluster {
namespace {

using linalg::BlockSums;
using linalg::part_of;

struct Added {
  double value;
  Added& operator+=(const Added& next) {
    value += next.value;
    return *this;
  }
};

void require_tiles_in_blocks(const RowBlocks& X, std::int64_t n_clusters) {
  if (X.block_rows() < tiles_for(X.n_rows(), n_clusters).tile_rows())
    throw InvalidArgument("there are too many clusters for rows in blocks");
}

template <class T>
const MatrixView<const T>& rows_of(const AnyDense& block) {
  const auto* rows = std::get_if<MatrixView<const T>>(&block);
  if (rows == nullptr || !rows->has_contiguous_rows())
    throw InvalidArgument("blocks must be of contiguous rows of one type");
  return *rows;
}

template <class T>
class BlockLloyd {
 public:
  BlockLloyd(const RowBlocks& X, MatrixView<const T> near, std::span<const double> weight,
             MatrixView<T> centres, std::span<std::int32_t> labels, const Context& ctx)
      : X_(X),
        near_(near),
        weight_(weight),
        centres_(centres),
        labels_(labels),
        ctx_(ctx),
        shift_(DenseAssigner<T>(near, near, ctx).shift()) {
    std::fill(labels.begin(), labels.end(), -1);
  }

  std::pair<std::int64_t, double> step() {
    BlockSums<ClusterSums> sums(X_);
    each_block([&](const Block& block) {
      sums.add(block.first,
               parallel_reduce(
                   ctx_, block.tiles, block.rows.step_cost_ns(),
                   [&](std::int64_t begin, std::int64_t end) {
                     ClusterSums tile = ClusterSums::zeros(centres_.n_rows, centres_.n_cols);
                     tile.n_changed = block.rows.assign(begin, end, block.labels);
                     add_rows(block.X, block.weight, block.labels, shift_.data(), begin, end, tile);
                     return tile;
                   },
                   [](ClusterSums& left, const ClusterSums& right) { left += right; }));
    });
    ClusterSums total = sums.total();
    relocate_empty(total);
    std::vector<double> squared_moves;
    return {total.n_changed, move_centres(total, shift_, centres_, squared_moves)};
  }

  void label_rows() {
    each_block([&](const Block& block) {
      parallel_for(ctx_, block.tiles.count(), block.rows.step_cost_ns(), [&](std::int64_t tile) {
        block.rows.assign(block.tiles.begin(tile), block.tiles.end(tile), block.labels);
      });
    });
  }

  double inertia() const {
    BlockSums<Added> sums(X_);
    each_block([&](const Block& block) {
      const double cost_ns = static_cast<double>(block.X.n_rows) * 20.0;
      sums.add(block.first, {parallel_reduce(
                                ctx_, block.tiles, cost_ns,
                                [&](std::int64_t begin, std::int64_t end) {
                                  double sum = 0.0;
                                  for (std::int64_t i = begin; i < end; ++i)
                                    sum += weight_of(block.weight, i) * block.squared_distance(i);
                                  return sum;
                                },
                                [](double& left, double right) { left += right; })});
    });
    return sums.total().value;
  }

 private:
  struct Block {
    std::int64_t first;
    const MatrixView<const T>& X;
    std::span<const double> weight;
    std::span<std::int32_t> labels;
    Tiles tiles;
    const DenseAssigner<T>& rows;

    double squared_distance(std::int64_t i) const {
      return rows.squared_distance(i, labels[at(i)]);
    }
  };

  template <class Use>
  void each_block(const Use& use) const {
    X_.pass([&](std::int64_t first, const AnyDense& block) {
      const MatrixView<const T>& own = rows_of<T>(block);
      DenseAssigner<T> rows(own, near_, ctx_);
      rows.set_centres(centres_, nullptr, ctx_);
      use(Block{first, own, part_of(weight_, first, own.n_rows),
                labels_.subspan(at(first), at(own.n_rows)), tiles_for(own.n_rows, centres_.n_rows),
                rows});
      return true;
    });
  }

  // Clusters without rows take, one each, the rows farthest from their centres.
  void relocate_empty(ClusterSums& total) const {
    const std::vector<std::int64_t> empty = empty_clusters(total);
    if (empty.empty()) return;
    std::vector<std::pair<FarRow, std::vector<T>>> far;  // with the rows themselves
    each_block([&](const Block& block) {
      add_far(block, empty.size(), far);
      std::sort(far.begin(), far.end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
      if (far.size() > empty.size()) far.resize(empty.size());
    });
    std::vector<FarRow> rows;
    for (const auto& [row, values] : far) rows.push_back(row);
    relocate(total, empty, rows, X_.n_cols(), [&](std::size_t e, double w, double* sums) {
      const MatrixView<const T> row(far[e].second.data(), 1, X_.n_cols());
      add_row(row, 0, shift_.data(), w, sums);
    });
  }

  void add_far(const Block& block, std::size_t n_wanted,
               std::vector<std::pair<FarRow, std::vector<T>>>& far) const {
    std::vector<FarRow> own;
    for (std::int64_t i = 0; i < block.X.n_rows; ++i)
      if (weight_of(block.weight, i) > 0.0)
        own.push_back({-block.squared_distance(i), block.first + i, block.labels[at(i)],
                       weight_of(block.weight, i)});
    const std::size_t n_kept = std::min(n_wanted, own.size());
    std::partial_sort(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(n_kept), own.end());
    for (std::size_t k = 0; k < n_kept; ++k) {
      const T* values = &block.X(own[k].row - block.first, 0);
      far.emplace_back(own[k], std::vector<T>(values, values + block.X.n_cols));
    }
  }

  const RowBlocks& X_;
  MatrixView<const T> near_;
  std::span<const double> weight_;
  MatrixView<T> centres_;
  std::span<std::int32_t> labels_;
  const Context& ctx_;
  std::vector<double> shift_;
};

}  // namespace

template <class T>
LloydResult lloyd(const RowBlocks& X, MatrixView<const T> near, std::span<const double> weight,
                  MatrixView<T> centres, const LloydOptions& options,
                  std::span<std::int32_t> labels, std::span<double> history, const Context& ctx) {
  require_tiles_in_blocks(X, centres.n_rows);
  BlockLloyd<T> run(X, near, weight, centres, labels, ctx);
  return run_steps(run, options, history, ctx);
}

void cluster_sums(const RowBlocks& X, std::span<const double> weight,
                  std::span<const std::int32_t> labels, std::span<const double> shift,
                  MatrixView<double> sums, std::span<double> weights, const Context& ctx) {
  require_tiles_in_blocks(X, sums.n_rows);
  BlockSums<ClusterSums> blocks(X);
  X.pass([&](std::int64_t first, const AnyDense& block) {
    const std::int64_t n = n_rows_of(block);
    ClusterSums part = ClusterSums::zeros(sums.n_rows, sums.n_cols);
    const MatrixView<double> out(part.sums.data(), sums.n_rows, sums.n_cols);
    std::visit(
        [&]<class View>(const View& rows) {
          cluster_sums<View, typename View::Number>(rows_of<typename View::Number>(rows),
                                                    part_of(weight, first, n),
                                                    labels.subspan(at(first), at(n)), shift, out,
                                                    {part.weights.data(), at(sums.n_rows)}, ctx);
        },
        block);
    blocks.add(first, std::move(part));
    return true;
  });
  const ClusterSums total = blocks.total();
  std::copy_n(total.weights.data(), sums.n_rows, weights.begin());
  for (std::int64_t c = 0; c < sums.n_rows; ++c)
    for (std::int64_t k = 0; k < sums.n_cols; ++k) sums(c, k) = total.sums[c * sums.n_cols + k];
}

template LloydResult lloyd(const RowBlocks&, MatrixView<const float>, std::span<const double>,
                           MatrixView<float>, const LloydOptions&, std::span<std::int32_t>,
                           std::span<double>, const Context&);
template LloydResult lloyd(const RowBlocks&, MatrixView<const double>, std::span<const double>,
                           MatrixView<double>, const LloydOptions&, std::span<std::int32_t>,
                           std::span<double>, const Context&);

}  // namespace gramian::cluster
