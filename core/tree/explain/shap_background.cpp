#include "tree/explain/shap_background.hpp"

#include <algorithm>
#include <vector>

#include "base/index.hpp"
#include "parallel/parallel_for.hpp"
#include "tree/explain/leaf_gains.hpp"
#include "tree/explain/leaf_paths.hpp"

namespace gramian::tree {
namespace {

constexpr std::int64_t kBatchPatterns = 1 << 21;  // of background rows at leaves: 16 MB and more
constexpr std::int64_t kTaskRows = 512;           // more rows of a task share more gains
constexpr double kNsPerPair = 0.5;                // per leaf, row and background row

// The patterns of the background rows at every leaf of a tree.
std::vector<LeafPatterns> patterns_of(const TreesView& trees, std::int64_t number,
                                      const std::vector<RowBlock>& blocks, std::int64_t n_rows) {
  std::vector<LeafPatterns> out;
  std::vector<std::uint64_t> patterns;
  PatternCounter counter;
  LeafPaths paths(trees, number, blocks);
  while (paths.next()) {
    paths.patterns(patterns);
    out.push_back(counter.count(patterns, n_rows, paths.n_features()));
  }
  return out;
}

// Trees first .. first + leaves.size(), with the background rows at their leaves.
struct Batch {
  std::int64_t first;
  std::vector<std::vector<LeafPatterns>> leaves;

  std::int64_t last() const { return first + static_cast<std::int64_t>(leaves.size()); }
};

Batch make_batch(const TreesView& trees, std::int64_t first, const std::vector<RowBlock>& blocks,
                 std::int64_t n_rows, const Context& ctx) {
  std::int64_t last = first + 1;
  while (last < trees.n_trees() &&
         (trees.first_leaf(last + 1) - trees.first_leaf(first)) * n_rows <= kBatchPatterns)
    ++last;
  Batch batch{first, std::vector<std::vector<LeafPatterns>>(at(last - first))};
  const auto n_leaves = static_cast<double>(trees.first_leaf(last) - trees.first_leaf(first));
  parallel_for(
      ctx, last - first, 50.0 * n_leaves * static_cast<double>(n_rows),
      [&](std::int64_t i) { batch.leaves[at(i)] = patterns_of(trees, first + i, blocks, n_rows); });
  return batch;
}

// What leaf `number` of all leaves gives to an output, for one background row.
class Values {
 public:
  Values(const ShapEnsemble& ensemble, std::int64_t tree, double n_others)
      : ensemble_(ensemble),
        first_leaf_(ensemble.trees.first_leaf(tree)),
        first_output_(ensemble.is_interleaved ? tree % ensemble.n_outputs : 0),
        scale_(ensemble.scale[at(tree)] / n_others) {}

  std::int64_t first_output() const { return first_output_; }
  std::int64_t count() const { return ensemble_.leaf_outputs.n_cols; }
  double at_leaf(std::int64_t leaf, std::int64_t c) const {
    return scale_ * ensemble_.leaf_outputs(first_leaf_ + leaf, c);
  }

 private:
  const ShapEnsemble& ensemble_;
  std::int64_t first_leaf_;
  std::int64_t first_output_;
  double scale_;
};

void add_expected(const ShapEnsemble& ensemble, const Batch& batch, std::int64_t n_others,
                  std::span<double> expected) {
  for (std::int64_t tree = batch.first; tree < batch.last(); ++tree) {
    const Values values(ensemble, tree, static_cast<double>(n_others));
    const auto& leaves = batch.leaves[at(tree - batch.first)];
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf)
      for (std::int64_t c = 0; c < values.count(); ++c)
        expected[at(values.first_output() + c)] +=
            values.at_leaf(static_cast<std::int64_t>(leaf), c) * leaves[leaf].n_inside;
  }
}

// phi += the values of some rows, from the trees of a batch.
void add_values(const ShapEnsemble& ensemble, const Batch& batch,
                const std::vector<RowBlock>& blocks, std::int64_t n_rows, std::int64_t n_others,
                double* phi, const Context& ctx) {
  const std::int64_t n_outputs = ensemble.n_outputs;
  const std::int64_t size = ensemble.trees.n_features() * n_outputs;
  std::vector<std::uint64_t> patterns;
  LeafGains gains;
  for (std::int64_t tree = batch.first; tree < batch.last(); ++tree) {
    const Values values(ensemble, tree, static_cast<double>(n_others));
    LeafPaths paths(ensemble.trees, tree, blocks);
    while (paths.next()) {
      ctx.check();
      paths.patterns(patterns);
      gains.open(batch.leaves[at(tree - batch.first)][at(paths.leaf())]);
      for (std::int64_t row = 0; row < n_rows; ++row) {
        const double* gain = gains.of(patterns.data() + row * paths.n_words());
        if (gain == nullptr) continue;
        for (std::int64_t c = 0; c < values.count(); ++c) {
          const double value = values.at_leaf(paths.leaf(), c);
          double* to = phi + row * size + values.first_output() + c;
          for (std::int64_t j = 0; j < paths.n_features(); ++j)
            to[paths.features()[at(j)] * n_outputs] += gain[j] * value;
        }
      }
    }
  }
}

}  // namespace

template <class T>
void background_shap(const ShapEnsemble& ensemble, MatrixView<const T> X,
                     MatrixView<const T> background, std::span<double> phi,
                     std::span<double> expected, const Context& ctx) {
  const TreesView& trees = ensemble.trees;
  const std::int64_t n_others = background.n_rows;
  const auto others = make_blocks(trees, background);
  // Few rows are spread thinly: gains are shared less, but all threads have work.
  const std::int64_t target = std::clamp<std::int64_t>(X.n_rows / 8, RowBlock::kRows, kTaskRows);
  const auto rows = Chunks::of_rows(X.n_rows, target);
  const std::int64_t size = trees.n_features() * ensemble.n_outputs;
  for (std::int64_t first = 0; first < trees.n_trees();) {
    const Batch batch = make_batch(trees, first, others, n_others, ctx);
    add_expected(ensemble, batch, n_others, expected);
    const auto n_leaves =
        static_cast<double>(trees.first_leaf(batch.last()) - trees.first_leaf(first));
    const double cost = kNsPerPair * n_leaves * static_cast<double>(X.n_rows * n_others);
    parallel_for(ctx, rows.count(), cost, [&](std::int64_t i) {
      const auto mine = X.rows(rows.begin(i), rows.end(i));
      add_values(ensemble, batch, make_blocks(trees, mine), mine.n_rows, n_others,
                 phi.data() + rows.begin(i) * size, ctx);
    });
    first = batch.last();
  }
}

template void background_shap(const ShapEnsemble&, MatrixView<const float>, MatrixView<const float>,
                              std::span<double>, std::span<double>, const Context&);
template void background_shap(const ShapEnsemble&, MatrixView<const double>,
                              MatrixView<const double>, std::span<double>, std::span<double>,
                              const Context&);

}  // namespace gramian::tree
