#include "tree/shap_pairs.hpp"

#include <bit>

namespace gramian::tree {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

PairTree make_pair_tree(const TreesView& trees, std::int64_t number,
                        MatrixView<const double> outputs, double scale) {
  PairTree out;
  out.n_outputs = outputs.n_cols;
  out.first_split = trees.first_split(number);
  std::vector<std::int32_t*> open;  // where numbers of right children are to be written
  const auto first = trees.first_node(number), last = trees.first_node(number + 1);
  out.splits.reserve(at((last - first) / 2));
  std::int32_t n_leaves = 0;
  std::int32_t root = 0, *place = &root;
  for (std::int64_t node = first; node < last; ++node) {
    const auto feature = trees.feature[at(node)];
    if (feature != kLeaf) {
      *place = static_cast<std::int32_t>(out.splits.size());
      auto& split = out.splits.emplace_back(PairTree::Split{feature, 0, 0});
      open.push_back(&split.right);
      place = &split.left;
    } else {
      *place = ~n_leaves++;
      if (open.empty()) break;
      place = open.back();
      open.pop_back();
    }
  }
  const auto first_leaf = trees.first_leaf(number);
  out.values.reserve(at(n_leaves * outputs.n_cols));
  for (std::int64_t leaf = 0; leaf < n_leaves; ++leaf)
    for (std::int64_t c = 0; c < outputs.n_cols; ++c)
      out.values.push_back(scale * outputs(first_leaf + leaf, c));
  return out;
}

PairWalk::PairWalk(std::int64_t n_features) : position_(at(n_features), -1) {}

void PairWalk::run(const PairTree& tree, std::int64_t word, std::uint64_t rows,
                   const std::uint64_t* x_left, int x, double* phi, std::int64_t stride) {
  if (tree.splits.empty()) return;
  tree_ = &tree;
  b_left_ = tree.left.data() + word * static_cast<std::int64_t>(tree.splits.size());
  x_left_ = x_left;
  x_ = x;
  phi_ = phi;
  stride_ = stride;
  if (levels_.empty()) levels_.emplace_back();
  levels_[0].assign(1, rows);
  open(0, 0, 0);
  while (!tasks_.empty()) {
    const Task task = tasks_.back();
    tasks_.pop_back();
    if (task.kind == Task::Kind::go) {
      go(task);
    } else if (task.kind == Task::Kind::restore) {
      known_[at(task.child)] = task.known;
    } else {
      position_[at(known_.back().feature)] = -1;
      known_.pop_back();
    }
  }
}

void PairWalk::open(std::int32_t number, std::int32_t level, std::int32_t n_off) {
  const PairTree::Split& split = tree_->splits[at(number)];
  const std::uint64_t left = b_left_[number];
  const bool goes_left = ((x_left_[number] >> x_) & 1U) != 0;
  using enum Task::Kind;
  tasks_.push_back({go, goes_left, split.right, level, n_off, {split.feature, false, left}});
  tasks_.push_back({go, !goes_left, split.left, level, n_off, {split.feature, false, ~left}});
}

void PairWalk::go(const Task& task) {
  const auto level = at(task.level);
  if (levels_.size() <= level + 1) levels_.resize(level + 2);
  const auto& above = levels_[level];
  auto& sets = levels_[level + 1];
  const std::int32_t position = position_[at(task.known.feature)];
  const bool is_seen = position >= 0;
  const Known before = is_seen ? known_[at(position)] : Known{task.known.feature, false, 0};
  Known after = before;
  std::int32_t n_off = task.n_off;
  sets.assign(above.begin(), above.end());
  if (before.is_off || task.is_off) {  // only background rows lead here
    const std::uint64_t kept = ~(task.known.failed | before.failed);
    std::uint64_t any = 0;
    for (auto& set : sets) any |= set &= kept;
    if (any == 0) return;
    n_off += before.is_off ? 0 : 1;
    after.is_off = true;
  } else {
    const std::uint64_t fresh = task.known.failed & ~before.failed;
    after.failed |= task.known.failed;
    sets.push_back(0);
    for (std::size_t u = sets.size() - 1; u > 0; --u) {
      sets[u] = (sets[u] & ~fresh) | (sets[u - 1] & fresh);
    }
    sets[0] &= ~fresh;
    while (sets.back() == 0) sets.pop_back();
  }
  if (is_seen) {
    tasks_.push_back({Task::Kind::restore, false, position, 0, 0, before});
    known_[at(position)] = after;
  } else {
    tasks_.push_back({Task::Kind::forget, false, 0, 0, 0, before});
    position_[at(after.feature)] = static_cast<std::int32_t>(known_.size());
    known_.push_back(after);
  }
  if (task.child < 0)
    gain_at(~task.child, sets, n_off);
  else
    open(task.child, task.level + 1, n_off);
}

void PairWalk::gain_at(std::int32_t leaf, const std::vector<std::uint64_t>& sets,
                       std::int32_t n_off) {
  const double* values = tree_->values.data() + leaf * tree_->n_outputs;
  const auto v = at(n_off);
  double loss = 0.0;
  if (v > 0)
    for (std::size_t u = 0; u < sets.size(); ++u) loss -= weight(u, v - 1) * std::popcount(sets[u]);
  for (const Known& known : known_) {
    double gain = loss;
    if (!known.is_off) {
      gain = 0.0;
      for (std::size_t u = 1; u < sets.size(); ++u)
        gain += weight(u - 1, v) * std::popcount(sets[u] & known.failed);
    }
    double* phi = phi_ + known.feature * stride_;
    for (std::int64_t c = 0; c < tree_->n_outputs; ++c) phi[c] += gain * values[c];
  }
}

// u! v! / (u + v + 1)!, from row to row of the table by the ratio of neighbours.
double PairWalk::weight(std::size_t u, std::size_t v) {
  while (weights_.size() <= v) weights_.emplace_back();
  auto& row = weights_[v];
  while (row.size() <= u) {
    const auto n = static_cast<double>(row.size());
    const auto m = static_cast<double>(v);
    row.push_back(row.empty() ? 1.0 / (m + 1.0) : row.back() * (n / (n + m + 1.0)));
  }
  return row[u];
}

}  // namespace gramian::tree
