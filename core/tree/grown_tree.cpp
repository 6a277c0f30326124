#include "tree/grown_tree.hpp"

#include <utility>

namespace gramian::tree {

void TreeBuilder::emit_facts(const Item& item, bool is_leaf, bool keeps_nodes,
                             GrownTrees& out) const {
  const auto facts = static_cast<std::size_t>(item.facts);
  const auto value = values_.begin() + static_cast<std::ptrdiff_t>(item.facts * width_);
  if (is_leaf) {
    out.leaf_value.insert(out.leaf_value.end(), value, value + width_);
    out.leaf_count.push_back(counts_[facts]);
    out.leaf_weight.push_back(weights_[facts]);
    out.leaf_impurity.push_back(impurities_[facts]);
  }
  if (keeps_nodes) {
    out.node_value.insert(out.node_value.end(), value, value + width_);
    out.node_impurity.push_back(impurities_[facts]);
  }
}

void TreeBuilder::emit(bool keeps_nodes, GrownTrees& out) const {
  std::vector<std::pair<const TreeBuilder*, std::int64_t>> pending{{this, 0}};
  while (!pending.empty()) {
    auto [builder, node] = pending.back();
    pending.pop_back();
    if (const TreeBuilder* graft = builder->at(node).graft; graft != nullptr) {
      pending.emplace_back(graft, 0);
      continue;
    }
    const Item& item = builder->at(node);
    const bool is_leaf = item.left < 0;
    out.feature.push_back(item.feature);
    if (is_leaf || keeps_nodes) builder->emit_facts(item, is_leaf, keeps_nodes, out);
    if (is_leaf) continue;
    out.flags.push_back(item.flags);
    if (out.keeps_gains) out.split_gain.push_back(item.gain);
    if (item.n_words > 0) {
      const auto first = builder->words_.begin() + static_cast<std::ptrdiff_t>(item.threshold);
      out.threshold.push_back(static_cast<double>(out.category_words.size()));
      out.category_words.insert(out.category_words.end(), first, first + item.n_words);
    } else {
      out.threshold.push_back(item.threshold);
    }
    pending.emplace_back(builder, item.right);
    pending.emplace_back(builder, item.left);
  }
  out.node_offsets.push_back(static_cast<std::int64_t>(out.feature.size()));
}

}  // namespace gramian::tree
