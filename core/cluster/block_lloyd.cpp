// Lloyd's algorithm over rows in blocks. No bounds are kept: reading the rows takes longer than
// judging them anew.
#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "base/index.hpp"
#include "cluster/block_steps.hpp"
#include "cluster/centre_steps.hpp"
#include "cluster/lloyd.hpp"
#include "linalg/block_sums.hpp"

namespace gramian::cluster {
namespace {

using linalg::part_of;
using linalg::sum_blocks;

struct Added {
  double value;
  Added& operator+=(const Added& next) {
    value += next.value;
    return *this;
  }
  template <class Use>
  void for_each_part(const Use& use) {
    use(std::span(&value, 1));
  }
};

void require_tiles_in_blocks(const RowBlocks& X, std::int64_t n_clusters) {
  if (X.block_rows() < tiles_for(X.n_rows(), n_clusters).tile_rows())
    throw InvalidArgument("there are too many clusters for rows in blocks");
}

template <class T>
class BlockLloyd {
 public:
  BlockLloyd(const RowBlocks& X, MatrixView<const T> near, std::span<const double> weight,
             MatrixView<T> centres, std::span<std::int32_t> labels, const Context& ctx)
      : X_(X),
        weight_(weight),
        centres_(centres),
        labels_(labels),
        ctx_(ctx),
        frame_(distance::FilterRows<T>::frame_of(near, ctx)) {
    std::fill(labels.begin(), labels.end(), -1);
  }

  std::pair<std::int64_t, double> step() {
    ClusterSums total = sum_blocks(
        X_, asked(kStep), [&] { return ClusterSums::zeros(centres_.n_rows, centres_.n_cols); },
        [&](std::int64_t first, const auto& block) { return steps_of(first, block).step(); });
    labelled_by_ = numbers_of(centres_);
    relocate_empty(total);
    std::vector<double> squared_moves;
    return {total.n_changed, move_centres(total, frame_.shift, centres_, squared_moves)};
  }

  void label_rows() {
    labelled_by_ = numbers_of(centres_);
    if (X_.is_elsewhere()) return;
    each_block([](std::int64_t, BlockSteps<T>&& steps) { steps.label(); });
  }

  double inertia() const {
    return sum_blocks(
               X_, asked(kInertia), [] { return Added{0.0}; },
               [&](std::int64_t first, const auto& block) {
                 return Added{steps_of(first, block).inertia()};
               })
        .value;
  }

  // Of rows that are elsewhere the labels are there, too.
  void bring_labels() const {
    if (!X_.is_elsewhere()) return;
    std::vector<double> point{0.0};
    point.insert(point.end(), labelled_by_.begin(), labelled_by_.end());
    X_.sums({kNearest, point, {}}, [&](std::int64_t first, std::span<const double> found) {
      if (std::ssize(found) != std::min(X_.block_rows(), X_.n_rows() - first))
        throw InvalidArgument("a block must give a label for each row");
      std::ranges::transform(found, labels_.begin() + first,
                             [](double label) { return static_cast<std::int32_t>(label); });
    });
  }

 private:
  static std::vector<double> numbers_of(MatrixView<const T> centres) {
    std::vector<double> numbers;
    for (std::int64_t c = 0; c < centres.n_rows; ++c)
      for (std::int64_t k = 0; k < centres.n_cols; ++k)
        numbers.push_back(static_cast<double>(centres(c, k)));
    return numbers;
  }

  RowSum asked(const char* what) const {
    RowSum sum{what, {frame_.scale}, {{weight_, 1}}};
    if (!X_.is_elsewhere()) return sum;
    const std::vector<double> centres = numbers_of(centres_);
    sum.point.insert(sum.point.end(), frame_.shift.begin(), frame_.shift.end());
    sum.point.push_back(static_cast<double>(centres.size()));
    sum.point.insert(sum.point.end(), centres.begin(), centres.end());
    sum.point.insert(sum.point.end(), labelled_by_.begin(), labelled_by_.end());
    return sum;
  }

  template <class Own>
  BlockSteps<T> steps_of(std::int64_t first, const Own& block) const {
    const AnyDense any(block);
    const MatrixView<const T> own = rows_of<T>(any);
    return {own,
            frame_,
            centres_,
            part_of(weight_, first, own.n_rows),
            labels_.subspan(at(first), at(own.n_rows)),
            ctx_};
  }

  template <class Use>
  void each_block(const Use& use) const {
    X_.pass([&](std::int64_t first, const AnyDense& block) {
      std::visit([&](const auto& own) { use(first, steps_of(first, own)); }, block);
      return true;
    });
  }

  // Clusters without rows take, one each, the rows farthest from their centres.
  void relocate_empty(ClusterSums& total) const {
    const std::vector<std::int64_t> empty = empty_clusters(total);
    if (empty.empty()) return;
    bring_labels();
    std::vector<std::pair<FarRow, std::vector<T>>> far;  // with the rows themselves
    each_block([&](std::int64_t first, const BlockSteps<T>& steps) {
      add_far(first, steps, empty.size(), far);
      std::sort(far.begin(), far.end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
      if (far.size() > empty.size()) far.resize(empty.size());
    });
    std::vector<FarRow> rows;
    for (const auto& [row, values] : far) rows.push_back(row);
    relocate(total, empty, rows, X_.n_cols(), [&](std::size_t e, double w, double* sums) {
      const MatrixView<const T> row(far[e].second.data(), 1, X_.n_cols());
      add_row(row, 0, frame_.shift.data(), w, sums);
    });
  }

  static void add_far(std::int64_t first, const BlockSteps<T>& steps, std::size_t n_wanted,
                      std::vector<std::pair<FarRow, std::vector<T>>>& far) {
    std::vector<FarRow> own;
    for (std::int64_t i = 0; i < steps.rows().n_rows; ++i)
      if (const double w = weight_of(steps.weight(), i); w > 0.0)
        own.push_back({-steps.squared_distance(i), first + i, steps.labels()[at(i)], w});
    const std::size_t n_kept = std::min(n_wanted, own.size());
    std::partial_sort(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(n_kept), own.end());
    for (std::size_t k = 0; k < n_kept; ++k) {
      const T* values = &steps.rows()(own[k].row - first, 0);
      far.emplace_back(own[k], std::vector<T>(values, values + steps.rows().n_cols));
    }
  }

  const RowBlocks& X_;
  std::span<const double> weight_;
  MatrixView<T> centres_;
  std::span<std::int32_t> labels_;
  const Context& ctx_;
  distance::Frame frame_;
  std::vector<double> labelled_by_;  // the centres that the labels belong to; none at first
};

}  // namespace

template <class T>
LloydResult lloyd(const RowBlocks& X, MatrixView<const T> near, std::span<const double> weight,
                  MatrixView<T> centres, const LloydOptions& options,
                  std::span<std::int32_t> labels, std::span<double> history, const Context& ctx) {
  require_tiles_in_blocks(X, centres.n_rows);
  BlockLloyd<T> run(X, near, weight, centres, labels, ctx);
  const LloydResult result = run_steps(run, options, history, ctx);
  run.bring_labels();
  return result;
}

void cluster_sums(const RowBlocks& X, std::span<const double> weight,
                  std::span<const std::int32_t> labels, std::span<const double> shift,
                  MatrixView<double> sums, std::span<double> weights, const Context& ctx) {
  require_tiles_in_blocks(X, sums.n_rows);
  RowSum asked{kClusterSums, {static_cast<double>(sums.n_rows)}, {{weight, 1}}};
  asked.point.insert(asked.point.end(), shift.begin(), shift.end());
  std::vector<double> numbers;
  if (X.is_elsewhere()) numbers.assign(labels.begin(), labels.end());
  asked.of_rows.push_back({numbers, 1});
  const auto none = [&] { return ClusterSums::zeros(sums.n_rows, sums.n_cols); };
  const auto of_block = [&]<class View>(std::int64_t first, const View& block) {
    const AnyDense any(block);
    const View rows = rows_of<typename View::Number>(any);
    ClusterSums part = none();
    const MatrixView<double> out(part.sums.data(), sums.n_rows, sums.n_cols);
    cluster_sums<View, typename View::Number>(rows, part_of(weight, first, rows.n_rows),
                                              labels.subspan(at(first), at(rows.n_rows)), shift,
                                              out, {part.weights.data(), at(sums.n_rows)}, ctx);
    return part;
  };
  const ClusterSums total = sum_blocks(X, asked, none, of_block);
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
