#include "tree/explain/shap.hpp"

#include <algorithm>
#include <vector>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "parallel/parallel_for.hpp"
#include "tree/explain/row_block.hpp"
#include "tree/explain/shap_tree.hpp"

namespace gramian::tree {
namespace {

constexpr std::int64_t kBatchSplits = 1 << 18;  // of trees made ready at a time: about 40 MB
constexpr std::int64_t kManyRows = 512;         // from here on, blocks of 64 rows keep cores busy
constexpr std::int64_t kSumsPerPass = 1 << 19;  // numbers that a block of rows sums up at a time
constexpr double kNsPerNode = 0.6;              // per row, split and node of the rule

// Trees first .. first + trees.size(), made ready.
struct Batch {
  std::int64_t first;
  std::vector<ShapTree> trees;

  std::int64_t last() const { return first + static_cast<std::int64_t>(trees.size()); }

  // Of one row and one output.
  double cost_ns() const {
    double cost = 0.0;
    for (const ShapTree& tree : trees)
      cost += kNsPerNode * static_cast<double>(tree.splits.size()) * (tree.n_nodes + 2);
    return cost;
  }
};

Batch make_batch(const ShapEnsemble& ensemble, std::int64_t first, const Context& ctx) {
  const TreesView& trees = ensemble.trees;
  std::int64_t last = first + 1;
  while (last < trees.n_trees() &&
         trees.first_split(last + 1) - trees.first_split(first) <= kBatchSplits)
    ++last;
  Batch batch{first, std::vector<ShapTree>(at(last - first))};
  const auto n_nodes = static_cast<double>(trees.first_node(last) - trees.first_node(first));
  parallel_for(ctx, last - first, 50.0 * n_nodes, [&](std::int64_t i) {
    batch.trees[at(i)] =
        make_shap_tree(trees, first + i, ensemble.leaf_outputs, ensemble.scale[at(first + i)]);
  });
  return batch;
}

// Calls visit(batch) for all trees, in their order.
template <class Visit>
void each_batch(const ShapEnsemble& ensemble, const Context& ctx, Visit&& visit) {
  for (std::int64_t first = 0; first < ensemble.trees.n_trees();) {
    const Batch batch = make_batch(ensemble, first, ctx);
    visit(batch);
    first = batch.last();
  }
}

// The outputs first .. last that a tree gives to, among those asked for.
struct Outputs {
  std::int64_t first;
  std::int64_t last;
};

Outputs outputs_of(const ShapEnsemble& ensemble, std::int64_t tree, Outputs asked) {
  if (!ensemble.is_interleaved) return asked;
  const std::int64_t output = tree % ensemble.n_outputs;
  return {std::max(output, asked.first), std::min(output + 1, asked.last)};
}

// Walks a block of rows, 64 at most, through the trees of a batch, eight at a time.
class Walker {
 public:
  Walker(const ShapEnsemble& ensemble, const Batch& batch)
      : ensemble_(ensemble), batch_(batch), block_(ensemble.trees) {
    std::size_t n_splits = 0, n_leaves = 0;
    std::int64_t n_workspace = 0, n_levels = 0;
    for (const ShapTree& tree : batch.trees) {
      n_splits = std::max(n_splits, tree.splits.size());
      n_leaves = std::max(n_leaves, at(tree.n_leaves));
      n_levels = std::max(n_levels, tree.n_levels);
      n_workspace = std::max(n_workspace, shap_workspace(tree.n_nodes, tree.n_levels));
    }
    left_.resize(n_splits);
    halves_.resize(n_leaves);
    on_.resize(at(n_levels));
    workspace_ = Buffer<double>(n_workspace);
  }

  template <class T>
  void load(MatrixView<const T> rows) {
    block_.load(rows);
    n_groups_ = (rows.n_rows + kShapLanes - 1) / kShapLanes;
  }

  // sums[((output - first) * groups + group) * p + feature] are eight rows' values.
  void add_values(Outputs asked, double* sums, const Context& ctx) {
    const std::int64_t size = ensemble_.trees.n_features() * kShapLanes;
    each_tree(ctx, [&](const ShapTree& tree, std::int64_t number) {
      const Outputs outputs = outputs_of(ensemble_, number, asked);
      for (std::int64_t output = outputs.first; output < outputs.last; ++output)
        for (std::int64_t group = 0; group < n_groups_; ++group)
          walk(tree, group, values_of(tree, output), {},
               sums + ((output - asked.first) * n_groups_ + group) * size);
    });
  }

  // sums[(i * p + j)] are eight rows' interactions of feature i with j, of the first group.
  void add_interactions(std::int64_t output, double* sums, const Context& ctx) {
    const std::int64_t size = ensemble_.trees.n_features() * kShapLanes;
    each_tree(ctx, [&](const ShapTree& tree, std::int64_t number) {
      const Outputs asked = outputs_of(ensemble_, number, {output, output + 1});
      if (asked.first >= asked.last) return;
      for (const auto feature : tree.features)
        for (const bool is_known : {true, false})
          walk(tree, 0, half_values(tree, output, is_known ? 0.5 : -0.5), {feature, is_known},
               sums + feature * size);
    });
  }

 private:
  template <class Visit>
  void each_tree(const Context& ctx, Visit&& visit) {
    for (std::int64_t number = batch_.first; number < batch_.last(); ++number) {
      ctx.check();
      const ShapTree& tree = batch_.trees[at(number - batch_.first)];
      for (std::size_t i = 0; i < tree.splits.size(); ++i)
        left_[i] = block_.goes_left(tree.first_split + static_cast<std::int64_t>(i),
                                    tree.splits[i].feature);
      visit(tree, number);
    }
  }

  const double* values_of(const ShapTree& tree, std::int64_t output) const {
    return tree.values.data() + (ensemble_.is_interleaved ? 0 : output * tree.n_leaves);
  }

  const double* half_values(const ShapTree& tree, std::int64_t output, double half) {
    const double* values = values_of(tree, output);
    std::transform(values, values + tree.n_leaves, halves_.data(),
                   [half](double value) { return half * value; });
    return halves_.data();
  }

  void walk(const ShapTree& tree, std::int64_t group, const double* values,
            const ShapCondition& condition, double* phi) {
    const ShapRows rows{
        left_.data(), static_cast<int>(group * kShapLanes), values, phi, workspace_.data(),
        on_.data()};
    GRAMIAN_DISPATCH(shap_walk, tree.program(), condition, rows);
  }

  const ShapEnsemble& ensemble_;
  const Batch& batch_;
  RowBlock block_;
  std::int64_t n_groups_ = 0;
  std::vector<std::uint64_t> left_;
  std::vector<double> halves_;
  std::vector<std::uint8_t> on_;
  Buffer<double> workspace_;
};

// phi of rows begin .. end and outputs asked += sums.
void add_to_phi(const ShapEnsemble& ensemble, std::int64_t begin, std::int64_t end, Outputs asked,
                const double* sums, std::span<double> phi) {
  const std::int64_t p = ensemble.trees.n_features(), n_outputs = ensemble.n_outputs;
  const std::int64_t n_groups = (end - begin + kShapLanes - 1) / kShapLanes;
  for (std::int64_t row = 0; row < end - begin; ++row)
    for (std::int64_t output = asked.first; output < asked.last; ++output) {
      const std::int64_t group = (output - asked.first) * n_groups + row / kShapLanes;
      const double* from = sums + group * p * kShapLanes + row % kShapLanes;
      double* to = phi.data() + (begin + row) * p * n_outputs + output;
      for (std::int64_t j = 0; j < p; ++j) to[j * n_outputs] += from[j * kShapLanes];
    }
}

// Outputs cut so that the sums of a block of rows stay in the cache.
std::vector<Outputs> passes_of(const ShapEnsemble& ensemble) {
  const std::int64_t per_output = ensemble.trees.n_features() * RowBlock::kRows;
  const std::int64_t count = std::max<std::int64_t>(1, kSumsPerPass / per_output);
  std::vector<Outputs> passes;
  for (std::int64_t first = 0; first < ensemble.n_outputs; first += count)
    passes.push_back({first, std::min(first + count, ensemble.n_outputs)});
  return passes;
}

}  // namespace

template <class T>
void path_shap(const ShapEnsemble& ensemble, MatrixView<const T> X, std::span<double> phi,
               std::span<double> expected, const Context& ctx) {
  const std::int64_t p = ensemble.trees.n_features();
  const auto rows = Chunks::of_rows(X.n_rows, X.n_rows < kManyRows ? kShapLanes : RowBlock::kRows);
  const auto n_walks = static_cast<double>(X.n_rows * ensemble.leaf_outputs.n_cols);
  each_batch(ensemble, ctx, [&](const Batch& batch) {
    for (const Outputs& asked : passes_of(ensemble))
      parallel_for(ctx, rows.count(), n_walks * batch.cost_ns(), [&](std::int64_t i) {
        const std::int64_t begin = rows.begin(i), end = rows.end(i);
        Walker walker(ensemble, batch);
        walker.load(X.rows(begin, end));
        auto sums = Buffer<double>::zeros((asked.last - asked.first) * p * RowBlock::kRows);
        walker.add_values(asked, sums.data(), ctx);
        add_to_phi(ensemble, begin, end, asked, sums.data(), phi);
      });
    for (std::int64_t tree = batch.first; tree < batch.last(); ++tree) {
      const auto& means = batch.trees[at(tree - batch.first)].expected;
      for (std::size_t c = 0; c < means.size(); ++c)
        expected[ensemble.is_interleaved ? at(tree % ensemble.n_outputs) : c] += means[c];
    }
  });
}

template <class T>
void path_interactions(const ShapEnsemble& ensemble, MatrixView<const T> X, std::span<double> phi,
                       const Context& ctx) {
  const std::int64_t p = ensemble.trees.n_features(), n_outputs = ensemble.n_outputs;
  const auto rows = Chunks::of_rows(X.n_rows, kShapLanes);
  const auto n_walks = static_cast<double>(X.n_rows * ensemble.leaf_outputs.n_cols * p);
  each_batch(ensemble, ctx, [&](const Batch& batch) {
    parallel_for(ctx, rows.count(), n_walks * batch.cost_ns(), [&](std::int64_t i) {
      Walker walker(ensemble, batch);
      walker.load(X.rows(rows.begin(i), rows.end(i)));
      for (std::int64_t output = 0; output < n_outputs; ++output) {
        const auto n_pairs = p * p;
        auto sums = Buffer<double>::zeros(n_pairs * kShapLanes);
        walker.add_interactions(output, sums.data(), ctx);
        for (std::int64_t row = rows.begin(i); row < rows.end(i); ++row)
          for (std::int64_t pair = 0; pair < n_pairs; ++pair)
            phi[at((row * n_pairs + pair) * n_outputs + output)] +=
                sums[pair * kShapLanes + row - rows.begin(i)];
      }
    });
  });
}

template void path_shap(const ShapEnsemble&, MatrixView<const float>, std::span<double>,
                        std::span<double>, const Context&);
template void path_shap(const ShapEnsemble&, MatrixView<const double>, std::span<double>,
                        std::span<double>, const Context&);
template void path_interactions(const ShapEnsemble&, MatrixView<const float>, std::span<double>,
                                const Context&);
template void path_interactions(const ShapEnsemble&, MatrixView<const double>, std::span<double>,
                                const Context&);

}  // namespace gramian::tree
