#include "tree/format/grown_tree.hpp"

namespace gramian::tree {
namespace {

template <class T>
void make_room(std::vector<T>& array, std::size_t n_more) {
  array.reserve(array.size() + n_more);
}

}  // namespace

void GrownTrees::append_nodes(const GrownTrees& other) {
  const auto n_words = static_cast<double>(category_words.size());
  const std::size_t n_splits = threshold.size();
  if (!other.leaf_impurity.empty()) leaf_impurity.resize(leaf_count.size(), 0.0);
  for_each_array([&](auto array) {
    (this->*array).insert((this->*array).end(), (other.*array).begin(), (other.*array).end());
  });
  if (!leaf_impurity.empty()) leaf_impurity.resize(leaf_count.size(), 0.0);
  for (std::size_t i = n_splits; i < flags.size(); ++i)
    if ((flags[i] & kCategorical) != 0) threshold[i] += n_words;
}

void GrownTrees::append(const GrownTrees& other) {
  const auto n_nodes = static_cast<std::int64_t>(feature.size());
  append_nodes(other);
  for (std::size_t t = 1; t < other.node_offsets.size(); ++t)
    node_offsets.push_back(n_nodes + other.node_offsets[t]);
}

FlatSplit::FlatSplit(const Split& split)
    : feature(static_cast<std::int32_t>(split.feature)),
      flags(static_cast<std::uint8_t>((split.missing_left ? kMissingLeft : 0) |
                                      (split.is_categorical() ? kCategorical : 0) |
                                      (split.saw_missing ? kSawMissing : 0))),
      threshold(split.threshold),
      gain(split.score),
      levels(split.levels) {}

void TreeWriter::reserve(std::int64_t width, std::int64_t most_leaves) {
  const auto n_leaves = static_cast<std::size_t>(most_leaves), n_splits = n_leaves - 1;
  const auto n_values = static_cast<std::size_t>(width);
  make_room(out_.feature, n_leaves + n_splits);
  make_room(out_.threshold, n_splits);
  make_room(out_.flags, n_splits);
  make_room(out_.leaf_value, n_values * n_leaves);
  make_room(out_.leaf_count, n_leaves);
  if (emitted_.gains) make_room(out_.split_gain, n_splits);
  if (emitted_.beside_values) {
    make_room(out_.leaf_weight, n_leaves);
    make_room(out_.leaf_impurity, n_leaves);
  }
  if (!emitted_.of_inner_nodes) return;
  make_room(out_.node_value, n_values * (n_leaves + n_splits));
  make_room(out_.node_impurity, n_leaves + n_splits);
}

void TreeWriter::describe(const NodeFacts& facts, bool is_leaf) {
  if (emitted_.of_inner_nodes) {
    out_.node_value.insert(out_.node_value.end(), facts.value.begin(), facts.value.end());
    out_.node_impurity.push_back(facts.impurity);
  }
  if (!is_leaf) return;
  out_.feature.push_back(kLeaf);
  out_.leaf_value.insert(out_.leaf_value.end(), facts.value.begin(), facts.value.end());
  out_.leaf_count.push_back(static_cast<std::int32_t>(facts.count));
  if (!emitted_.beside_values) return;
  out_.leaf_weight.push_back(facts.weight);
  if (facts.impurity == 0.0 && out_.leaf_impurity.empty()) return;
  out_.leaf_impurity.resize(out_.leaf_count.size(), 0.0);
  out_.leaf_impurity.back() = facts.impurity;
}

void TreeWriter::split(const FlatSplit& split) {
  out_.feature.push_back(split.feature);
  out_.flags.push_back(split.flags);
  if (emitted_.gains) out_.split_gain.push_back(split.gain);
  if ((split.flags & kCategorical) == 0) {
    out_.threshold.push_back(split.threshold);
    return;
  }
  out_.threshold.push_back(static_cast<double>(out_.category_words.size()));
  out_.category_words.insert(out_.category_words.end(), split.levels.begin(), split.levels.end());
}

void TreeBuilder::describe(std::int64_t node, const NodeFacts& facts) {
  Item& item = at(node);
  item.facts = static_cast<std::uint32_t>(counts_.size());
  item.is_described = true;
  values_.insert(values_.end(), facts.value.begin(), facts.value.end());
  weights_.push_back(facts.weight);
  impurities_.push_back(facts.impurity);
  counts_.push_back(static_cast<std::int32_t>(facts.count));
}

std::int64_t TreeBuilder::split(std::int64_t node, const Split& split) {
  const auto left = static_cast<std::int64_t>(nodes_.size());
  nodes_.resize(nodes_.size() + 2);
  const FlatSplit flat(split);
  Item& item = at(node);
  item.left = static_cast<std::uint32_t>(left);
  item.feature = flat.feature;
  item.flags = flat.flags;
  item.threshold = split.is_categorical() ? static_cast<double>(words_.size()) : flat.threshold;
  item.n_words = static_cast<std::int32_t>(flat.levels.size());
  words_.insert(words_.end(), flat.levels.begin(), flat.levels.end());
  return left;
}

void TreeBuilder::graft(std::int64_t node, const GrownTrees& part) {
  at(node).facts = static_cast<std::uint32_t>(grafts_.size());
  at(node).flags = kGrafted;
  grafts_.push_back(&part);
}

NodeFacts TreeBuilder::facts_of(const Item& item) const {
  const std::size_t k = item.facts;
  const auto width = static_cast<std::size_t>(width_);
  return {std::span(values_).subspan(k * width, width), weights_[k], impurities_[k], counts_[k]};
}

FlatSplit TreeBuilder::split_of(const Item& item) const {
  FlatSplit split;
  split.feature = item.feature;
  split.flags = item.flags;
  split.threshold = item.threshold;
  if (item.n_words > 0)
    split.levels = std::span(words_).subspan(static_cast<std::size_t>(item.threshold),
                                             static_cast<std::size_t>(item.n_words));
  return split;
}

void TreeBuilder::write(TreeWriter& writer) const {
  std::vector<std::uint32_t> pending{0};
  while (!pending.empty()) {
    const Item& item = nodes_[pending.back()];
    pending.pop_back();
    if ((item.flags & kGrafted) != 0) {
      writer.graft(*grafts_[item.facts]);
      continue;
    }
    const bool is_leaf = item.left == 0;
    if (item.is_described) writer.describe(facts_of(item), is_leaf);
    if (is_leaf) continue;
    writer.split(split_of(item));
    pending.push_back(item.left + 1);
    pending.push_back(item.left);
  }
}

}  // namespace gramian::tree
