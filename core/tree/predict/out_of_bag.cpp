#include "tree/predict/out_of_bag.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/index.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::tree {
namespace {

// The share of outputs whose largest sum is not that of the row's class; the first of equals wins.
double share_of_wrong(const Target& target, std::int64_t row, const double* sums) {
  std::int64_t n_wrong = 0;
  for (std::int64_t k = 0; k < target.n_outputs; ++k) {
    const double* end = sums + target.n_classes[at(k)];
    const auto best = static_cast<std::int32_t>(std::max_element(sums, end) - sums);
    n_wrong += best != target.labels[at(row * target.n_outputs + k)];
    sums = end;
  }
  return static_cast<double>(n_wrong) / static_cast<double>(target.n_outputs);
}

// Adds one tree to one row.
class RowUpdate {
 public:
  RowUpdate(const Predictor& trees, const Target& target, bool is_hard, const OutOfBag& rows)
      : trees_(trees), target_(target), is_hard_(is_hard), rows_(rows) {}

  void operator()(std::int64_t tree, std::int64_t row, std::uint32_t leaf) const {
    const auto n = static_cast<double>(++rows_.n_trees[at(row)]);
    double* sums = &rows_.sums(row, 0);
    const auto values = is_hard_ ? std::span<const double>{} : trees_.leaf_values(tree, leaf);
    for (std::size_t k = 0; k < values.size(); ++k) sums[k] += values[k];
    if (target_.is_classification()) {
      if (values.empty())
        for (const std::int32_t column : trees_.leaf_votes(tree, leaf)) sums[column] += 1.0;
      rows_.losses[at(row)] = share_of_wrong(target_, row, sums);
      return;
    }
    double loss = 0.0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double y = target_.values[at(row) * values.size() + k];
      const double distance = values[k] - y, error = sums[k] / n - y;
      rows_.squares(row, static_cast<std::int64_t>(k)) += distance * distance;
      loss += error * error;
    }
    rows_.losses[at(row)] = loss / static_cast<double>(values.size());
  }

 private:
  const Predictor& trees_;
  const Target& target_;
  bool is_hard_;
  const OutOfBag& rows_;
};

// Losses and scored rows after each tree, by chunks of rows: the sums do not depend on how the rows
// are shared among threads.
class ChunkSums {
 public:
  static constexpr std::int64_t kRows = 512;

  ChunkSums(std::int64_t n_rows, std::int64_t n_trees, const OutOfBag& rows)
      : n_rows_(n_rows),
        n_trees_(n_trees),
        rows_(rows),
        losses_(at(n_chunks() * n_trees)),
        n_scored_(losses_.size()) {}

  std::int64_t n_chunks() const { return (n_rows_ + kRows - 1) / kRows; }

  void set(std::int64_t tree, std::int64_t chunk) {
    const std::int64_t begin = chunk * kRows, n = std::min(kRows, n_rows_ - begin);
    const auto losses = rows_.losses.subspan(at(begin), at(n));
    const auto n_trees = rows_.n_trees.subspan(at(begin), at(n));
    const std::size_t entry = at(chunk * n_trees_ + tree);
    losses_[entry] = std::accumulate(losses.begin(), losses.end(), 0.0);
    n_scored_[entry] = std::count_if(n_trees.begin(), n_trees.end(), [](auto k) { return k > 0; });
  }

  void add_to(const LossCurve& curve) const {
    for (std::size_t entry = 0; entry < losses_.size(); ++entry) {
      curve.loss_sums[entry % at(n_trees_)] += losses_[entry];
      curve.n_scored[entry % at(n_trees_)] += n_scored_[entry];
    }
  }

 private:
  std::int64_t n_rows_, n_trees_;
  const OutOfBag& rows_;
  std::vector<double> losses_;
  std::vector<std::int64_t> n_scored_;
};

}  // namespace

void add_out_of_bag(const Predictor& trees, const AnyDense& X, const Target& target, bool is_hard,
                    MatrixView<const std::uint8_t> is_out, const OutOfBag& rows,
                    const LossCurve& curve, const Context& ctx) {
  constexpr double kRowCost = 50.0;         // nanoseconds, with each tree
  constexpr std::int64_t kMostChunks = 32;  // of a block: the more, the more rows for each tree
  const std::int64_t n = n_rows_of(X);
  ChunkSums sums(n, trees.n_trees(), rows);
  const std::int64_t fair = sums.n_chunks() / (2 * std::max(ctx.n_threads, 1));
  const Chunks blocks =
      Chunks::of_rows(sums.n_chunks(), std::clamp<std::int64_t>(fair, 1, kMostChunks));
  const double cost = kRowCost * static_cast<double>(n * trees.n_trees());
  const RowUpdate update(trees, target, is_hard, rows);
  parallel_for(ctx, blocks.count(), cost, [&](std::int64_t b) {
    const std::int64_t begin = blocks.begin(b) * ChunkSums::kRows;
    const std::int64_t end = std::min(blocks.end(b) * ChunkSums::kRows, n);
    trees.some_rows(X, begin, end, is_out, ctx, [&](std::int64_t t, auto some, auto leaves) {
      for (std::size_t i = 0; i < some.size(); ++i) update(t, begin + some[i], leaves[i]);
      for (std::int64_t c = blocks.begin(b); c < blocks.end(b); ++c) sums.set(t, c);
    });
  });
  sums.add_to(curve);
}

}  // namespace gramian::tree
