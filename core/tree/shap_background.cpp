#include "tree/shap_background.hpp"

#include <bit>
#include <vector>

#include "parallel/parallel_for.hpp"
#include "tree/row_block.hpp"
#include "tree/shap_pairs.hpp"

namespace gramian::tree {
namespace {

constexpr std::int64_t kBatchWords = 1 << 20;  // of decisions of background rows: 8 MB
constexpr std::int64_t kTaskRows = 8;
constexpr double kNsPerPair = 20.0;  // per row, background row and tree

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// The background in blocks of 64 rows.
struct Background {
  std::vector<RowBlock> blocks;
  std::vector<std::uint64_t> rows;  // bits of the rows that each block has
  std::int64_t n_rows;

  std::int64_t n_words() const { return static_cast<std::int64_t>(blocks.size()); }
};

template <class T>
Background make_background(const TreesView& trees, MatrixView<const T> X) {
  Background out{{}, {}, X.n_rows};
  for (std::int64_t begin = 0; begin < X.n_rows; begin += RowBlock::kRows) {
    const auto end = std::min(begin + RowBlock::kRows, X.n_rows);
    out.blocks.emplace_back(trees).load(X.rows(begin, end));
    out.rows.push_back(~std::uint64_t{0} >> (RowBlock::kRows - (end - begin)));
  }
  return out;
}

PairTree make_ready(const ShapEnsemble& ensemble, const Background& background,
                    std::int64_t number) {
  const double scale = ensemble.scale[at(number)] / static_cast<double>(background.n_rows);
  PairTree tree = make_pair_tree(ensemble.trees, number, ensemble.leaf_outputs, scale);
  tree.left.reserve(at(background.n_words()) * tree.splits.size());
  for (const RowBlock& block : background.blocks)
    for (std::size_t i = 0; i < tree.splits.size(); ++i)
      tree.left.push_back(
          block.goes_left(tree.first_split + static_cast<std::int64_t>(i), tree.splits[i].feature));
  return tree;
}

// expected[output] += the mean of what the background rows get from a tree.
void add_expected(const PairTree& tree, const Background& background, double* expected) {
  struct Reached {
    std::int32_t child;
    std::uint64_t rows;
  };
  std::vector<Reached> waiting;
  for (std::int64_t word = 0; word < background.n_words(); ++word) {
    const std::uint64_t* left =
        tree.left.data() + word * static_cast<std::int64_t>(tree.splits.size());
    waiting.push_back({tree.splits.empty() ? ~0 : 0, background.rows[at(word)]});
    while (!waiting.empty()) {
      const auto [child, rows] = waiting.back();
      waiting.pop_back();
      if (rows == 0) continue;
      if (child >= 0) {
        const PairTree::Split& split = tree.splits[at(child)];
        waiting.push_back({split.left, rows & left[child]});
        waiting.push_back({split.right, rows & ~left[child]});
        continue;
      }
      for (std::int64_t c = 0; c < tree.n_outputs; ++c)
        expected[c] += tree.values[at(~child * tree.n_outputs + c)] * std::popcount(rows);
    }
  }
}

template <class T>
class Task {
 public:
  Task(const ShapEnsemble& ensemble, const Background& background)
      : ensemble_(ensemble),
        background_(background),
        block_(ensemble.trees),
        walk_(ensemble.trees.n_features()) {}

  // phi += the values of some rows from trees first, first + 1, ...
  void run(MatrixView<const T> rows, const std::vector<PairTree>& trees, std::int64_t first,
           double* phi, const Context& ctx) {
    const std::int64_t size = ensemble_.trees.n_features() * ensemble_.n_outputs;
    block_.load(rows);
    for (const PairTree& tree : trees) {
      const std::int64_t output = ensemble_.is_interleaved ? first % ensemble_.n_outputs : 0;
      left_.resize(tree.splits.size());
      for (std::size_t i = 0; i < left_.size(); ++i)
        left_[i] = block_.goes_left(tree.first_split + static_cast<std::int64_t>(i),
                                    tree.splits[i].feature);
      for (int x = 0; x < rows.n_rows; ++x)
        for (std::int64_t word = 0; word < background_.n_words(); ++word) {
          ctx.check();
          walk_.run(tree, word, background_.rows[at(word)], left_.data(), x,
                    phi + x * size + output, ensemble_.n_outputs);
        }
      ++first;
    }
  }

 private:
  const ShapEnsemble& ensemble_;
  const Background& background_;
  RowBlock block_;
  PairWalk walk_;
  std::vector<std::uint64_t> left_;
};

}  // namespace

template <class T>
void background_shap(const ShapEnsemble& ensemble, MatrixView<const T> X,
                     MatrixView<const T> background, std::span<double> phi,
                     std::span<double> expected, const Context& ctx) {
  const TreesView& trees = ensemble.trees;
  const Background others = make_background(trees, background);
  const auto rows = Chunks::of_rows(X.n_rows, kTaskRows);
  const std::int64_t size = trees.n_features() * ensemble.n_outputs;
  for (std::int64_t first = 0, last; first < trees.n_trees(); first = last) {
    last = first + 1;
    while (last < trees.n_trees() &&
           (trees.first_split(last + 1) - trees.first_split(first)) * others.n_words() <=
               kBatchWords)
      ++last;
    std::vector<PairTree> ready(at(last - first));
    parallel_for(ctx, last - first, 1e5 * static_cast<double>(last - first),
                 [&](std::int64_t i) { ready[at(i)] = make_ready(ensemble, others, first + i); });
    for (std::int64_t tree = first; tree < last; ++tree)
      add_expected(ready[at(tree - first)], others,
                   expected.data() + (ensemble.is_interleaved ? tree % ensemble.n_outputs : 0));
    const double n_pairs = static_cast<double>(X.n_rows) * static_cast<double>(others.n_rows) *
                           static_cast<double>(last - first);
    parallel_for(ctx, rows.count(), kNsPerPair * n_pairs, [&](std::int64_t i) {
      Task<T>(ensemble, others)
          .run(X.rows(rows.begin(i), rows.end(i)), ready, first, phi.data() + rows.begin(i) * size,
               ctx);
    });
  }
}

template void background_shap(const ShapEnsemble&, MatrixView<const float>, MatrixView<const float>,
                              std::span<double>, std::span<double>, const Context&);
template void background_shap(const ShapEnsemble&, MatrixView<const double>,
                              MatrixView<const double>, std::span<double>, std::span<double>,
                              const Context&);

}  // namespace gramian::tree
