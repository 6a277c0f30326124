#include "tree/explain/leaf_paths.hpp"

#include "base/index.hpp"

namespace gramian::tree {
namespace {

// Bit i of word j becomes bit j of word i: blocks off the diagonal change places, ever smaller.
void transpose(std::uint64_t* words) {
  std::uint64_t mask = 0x00000000ffffffffULL;
  for (unsigned size = 32; size != 0; size >>= 1, mask ^= mask << size)
    for (unsigned i = 0; i < 64; i = ((i | size) + 1) & ~size) {
      const std::uint64_t moved = ((words[i] >> size) ^ words[i | size]) & mask;
      words[i] ^= moved << size;
      words[i | size] ^= moved;
    }
}

}  // namespace

LeafPaths::LeafPaths(const TreesView& trees, std::int64_t number,
                     const std::vector<RowBlock>& blocks)
    : trees_(trees),
      blocks_(blocks),
      nodes_(trees.feature.subspan(at(trees.first_node(number)),
                                   at(trees.first_node(number + 1) - trees.first_node(number)))),
      split_(trees.first_split(number)),
      above_(at(trees.n_features()), -1) {}

bool LeafPaths::next() {
  if (leaf_ >= 0) {
    while (!path_.empty() && path_.back().is_right) close();
    if (path_.empty()) return false;
    path_.back().is_right = true;
    set_rows(path_.size() - 1);
  }
  while (nodes_[node_] != kLeaf) open(nodes_[node_++]);
  ++node_;
  ++leaf_;
  features_.clear();
  for (const Edge& edge : path_)
    if (edge.is_last) features_.push_back(edge.feature);
  return true;
}

void LeafPaths::open(std::int32_t feature) {
  const std::int32_t above = above_[at(feature)];
  if (above >= 0) path_[at(above)].is_last = false;
  above_[at(feature)] = static_cast<std::int32_t>(path_.size());
  path_.push_back({feature, above, split_++, false, true});
  rows_.resize(path_.size() * blocks_.size());
  set_rows(path_.size() - 1);
}

void LeafPaths::set_rows(std::size_t depth) {
  const Edge& edge = path_[depth];
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const std::uint64_t left = blocks_[b].goes_left(edge.split, edge.feature);
    const std::uint64_t before =
        edge.above < 0 ? ~std::uint64_t{0} : rows_[at(edge.above) * blocks_.size() + b];
    rows_[depth * blocks_.size() + b] = before & (edge.is_right ? ~left : left);
  }
}

void LeafPaths::close() {
  const Edge& edge = path_.back();
  if (edge.above >= 0) path_[at(edge.above)].is_last = true;
  above_[at(edge.feature)] = edge.above;
  path_.pop_back();
}

void LeafPaths::patterns(std::vector<std::uint64_t>& out) const {
  const auto words = at(n_words());
  out.resize(blocks_.size() * RowBlock::kRows * words);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    auto edge = path_.begin();
    for (std::size_t w = 0; w < words; ++w) {
      std::uint64_t bits[64] = {};
      for (int j = 0; j < 64 && edge != path_.end(); ++edge)
        if (edge->is_last) bits[j++] = rows_[at(edge - path_.begin()) * blocks_.size() + b];
      transpose(bits);
      for (std::size_t row = 0; row < RowBlock::kRows; ++row)
        out[(b * RowBlock::kRows + row) * words + w] = bits[row];
    }
  }
}

}  // namespace gramian::tree
