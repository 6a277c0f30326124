#include "tree/grown_tree.hpp"

#include <utility>

namespace gramian::tree {
namespace {

template <class T>
void put_behind(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

void GrownTrees::append(const GrownTrees& other) {
  const auto n_nodes = static_cast<std::int64_t>(feature.size());
  const auto n_words = static_cast<double>(category_words.size());
  const std::size_t n_splits = threshold.size();
  put_behind(feature, other.feature);
  put_behind(threshold, other.threshold);
  put_behind(flags, other.flags);
  put_behind(category_words, other.category_words);
  put_behind(leaf_value, other.leaf_value);
  put_behind(leaf_count, other.leaf_count);
  put_behind(leaf_weight, other.leaf_weight);
  put_behind(leaf_impurity, other.leaf_impurity);
  put_behind(node_value, other.node_value);
  put_behind(node_impurity, other.node_impurity);
  for (std::size_t t = 1; t < other.node_offsets.size(); ++t)
    node_offsets.push_back(n_nodes + other.node_offsets[t]);
  for (std::size_t i = n_splits; i < flags.size(); ++i)
    if ((flags[i] & 2) != 0) threshold[i] += n_words;
}

std::size_t TreeBuilder::n_nodes() const {
  std::size_t n = nodes_.size();
  for (const TreeBuilder* graft : grafts_) n += graft->n_nodes() - 1;
  return n;
}

// Room for the tree and no more: a forest keeps all its trees until the last is grown.
void TreeBuilder::reserve(const EmittedFacts& emitted, GrownTrees& out) const {
  const std::size_t n = n_nodes(), n_splits = n / 2, n_leaves = n_splits + 1;
  const auto width = static_cast<std::size_t>(width_);
  out.feature.reserve(out.feature.size() + n);
  out.threshold.reserve(out.threshold.size() + n_splits);
  out.flags.reserve(out.flags.size() + n_splits);
  out.leaf_value.reserve(out.leaf_value.size() + width * n_leaves);
  out.leaf_count.reserve(out.leaf_count.size() + n_leaves);
  if (!emitted.beside_values) return;
  out.leaf_weight.reserve(out.leaf_weight.size() + n_leaves);
  out.leaf_impurity.reserve(out.leaf_impurity.size() + n_leaves);
}

void TreeBuilder::emit_facts(const Item& item, bool is_leaf, const EmittedFacts& emitted,
                             GrownTrees& out) const {
  const auto facts = static_cast<std::size_t>(item.facts);
  const auto value = values_.begin() + static_cast<std::int64_t>(facts) * width_;
  if (is_leaf) {
    out.leaf_value.insert(out.leaf_value.end(), value, value + width_);
    out.leaf_count.push_back(counts_[facts]);
  }
  if (is_leaf && emitted.beside_values) {
    out.leaf_weight.push_back(weights_[facts]);
    out.leaf_impurity.push_back(impurities_[facts]);
  }
  if (emitted.of_inner_nodes) {
    out.node_value.insert(out.node_value.end(), value, value + width_);
    out.node_impurity.push_back(impurities_[facts]);
  }
}

void TreeBuilder::emit(const EmittedFacts& emitted, GrownTrees& out) const {
  reserve(emitted, out);
  std::vector<std::pair<const TreeBuilder*, std::int64_t>> pending{{this, 0}};
  while (!pending.empty()) {
    auto [builder, node] = pending.back();
    pending.pop_back();
    const Item& item = builder->at(node);
    if ((item.flags & kGrafted) != 0) {
      pending.emplace_back(builder->grafts_[item.facts], 0);
      continue;
    }
    const bool is_leaf = item.left == 0;
    out.feature.push_back(item.feature);
    if (is_leaf || emitted.of_inner_nodes) builder->emit_facts(item, is_leaf, emitted, out);
    if (is_leaf) continue;
    out.flags.push_back(item.flags);
    if (builder->keeps_gains_)
      out.split_gain.push_back(builder->gains_[static_cast<std::size_t>(node)]);
    if (item.n_words > 0) {
      const auto first = builder->words_.begin() + static_cast<std::ptrdiff_t>(item.threshold);
      out.threshold.push_back(static_cast<double>(out.category_words.size()));
      out.category_words.insert(out.category_words.end(), first, first + item.n_words);
    } else {
      out.threshold.push_back(item.threshold);
    }
    pending.emplace_back(builder, builder->right_of(node));
    pending.emplace_back(builder, builder->left_of(node));
  }
  out.node_offsets.push_back(static_cast<std::int64_t>(out.feature.size()));
}

}  // namespace gramian::tree
