#include "ensemble/pruned.hpp"

#include <cstdint>
#include <vector>

#include "tree/grow/pruning.hpp"

namespace gramian::ensemble {
namespace {

// Of each node: how many nodes its branch has, and the rows and weight that reach it.
struct Branches {
  std::vector<std::size_t> size;
  std::vector<std::int32_t> count;
  std::vector<double> weight;

  explicit Branches(const tree::GrownTrees& grown)
      : size(grown.feature.size(), 1), count(size.size()), weight(size.size()) {
    std::size_t leaf = grown.leaf_count.size();
    for (std::size_t i = size.size(); i-- > 0;) {
      if (grown.feature[i] < 0) {
        --leaf;
        count[i] = grown.leaf_count[leaf];
        weight[i] = grown.leaf_weight[leaf];
        continue;
      }
      const std::size_t left = i + 1, right = left + size[left];
      size[i] = 1 + size[left] + size[right];
      count[i] = count[left] + count[right];
      weight[i] = weight[left] + weight[right];
    }
  }
};

// Which nodes are leaves of the best subtree, or below one.
std::vector<bool> leaves_at(const tree::GrownTrees& grown, const Branches& branches, double alpha,
                            const Context& ctx) {
  const std::size_t n = grown.feature.size(), room = grown.threshold.size() + 1;
  std::vector<double> risk(n), alphas(room), risks(room);
  std::vector<std::int32_t> steps(n);
  for (std::size_t i = 0; i < n; ++i)
    risk[i] = branches.weight[i] * grown.node_impurity[i] / branches.weight[0];
  const std::int64_t n_steps = tree::weakest_links(grown.feature, risk, alphas, risks, steps, ctx);
  std::int32_t n_taken = 0;
  while (n_taken < n_steps && alphas[static_cast<std::size_t>(n_taken)] <= alpha) ++n_taken;
  std::vector<bool> is_leaf(n);
  for (std::size_t i = 0; i < n; ++i) is_leaf[i] = steps[i] >= 0 && steps[i] < n_taken;
  return is_leaf;
}

}  // namespace

tree::GrownTrees pruned(const tree::GrownTrees& grown, double alpha, const Context& ctx) {
  const Branches branches(grown);
  const std::vector<bool> is_leaf = leaves_at(grown, branches, alpha, ctx);
  tree::GrownTrees out;
  std::size_t split = 0;
  for (std::size_t i = 0; i < grown.feature.size();) {
    const bool ends = is_leaf[i];
    out.feature.push_back(ends ? -1 : grown.feature[i]);
    out.node_value.push_back(grown.node_value[i]);
    out.node_impurity.push_back(grown.node_impurity[i]);
    if (ends) {
      out.leaf_value.push_back(grown.node_value[i]);
      out.leaf_count.push_back(branches.count[i]);
      out.leaf_weight.push_back(branches.weight[i]);
      out.leaf_impurity.push_back(grown.node_impurity[i]);
      split += branches.size[i] / 2;  // a branch of m nodes has (m - 1) / 2 splits
      i += branches.size[i];
      continue;
    }
    out.threshold.push_back(grown.threshold[split]);
    out.flags.push_back(grown.flags[split]);
    ++split;
    ++i;
  }
  out.category_words = grown.category_words;
  out.node_offsets.push_back(static_cast<std::int64_t>(out.feature.size()));
  return out;
}

}  // namespace gramian::ensemble
