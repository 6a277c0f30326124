#include "cluster/cf_tree.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "base/error.hpp"
#include "base/index.hpp"
#include "distance/kd_tree/tree_kernel.hpp"
#include "distance/reduce_kernel.hpp"

namespace gramian::cluster {
namespace {

using distance::Metric;

constexpr std::int64_t kNone = -1;
constexpr std::int64_t kLanes = 8;
constexpr std::int64_t kRowsBetweenChecks = 16;

template <class T>
void read_row(const MatrixView<const T>& X, std::int64_t i, std::vector<double>& out) {
  for (std::int64_t k = 0; k < X.n_cols; ++k) out[at(k)] = static_cast<double>(X(i, k));
}

template <class T, class Index>
void read_row(const CsrView<T, Index>& X, std::int64_t i, std::vector<double>& out) {
  std::ranges::fill(out, 0.0);
  const auto row = X.row(i);
  for (std::size_t e = 0; e < row.cols.size(); ++e)
    out[at(row.cols[e])] += static_cast<double>(row.values[e]);
}

// What the sum of squared distances grows by where two means this far apart are merged.
double between(double count, double other, double squared) {
  return count * other / (count + other) * squared;
}

void require(bool is_right) {
  if (!is_right) throw InvalidArgument("the arrays are not those of a tree of features");
}

// Every node but the root hangs from one feature of a node that is no leaf, so that a way down
// ends, and the leaves are a chain that ends.
void require_tree(std::int64_t n_features, const CfRule& rule, const CfArrays& arrays) {
  const auto n_nodes = std::ssize(arrays.n_entries), n_features_of_all = std::ssize(arrays.counts);
  require(n_nodes > 0 && std::ssize(arrays.next_leaf) == n_nodes);
  require(arrays.root >= 0 && arrays.root < n_nodes);
  require(std::ssize(arrays.scatters) == n_features_of_all &&
          std::ssize(arrays.children) == n_features_of_all &&
          std::ssize(arrays.means) == n_features_of_all * n_features);
  std::vector<std::int64_t> parent(at(n_nodes), kNone);
  std::size_t entry = 0;
  for (std::int64_t node = 0; node < n_nodes; ++node) {
    const std::int64_t n = arrays.n_entries[at(node)];
    require(n >= (n_nodes > 1 ? 1 : 0) && n <= rule.branching_factor);
    require(static_cast<std::int64_t>(entry) + n <= n_features_of_all);
    const std::size_t first = entry;
    for (; entry < first + at(n); ++entry) {
      const std::int64_t child = arrays.children[entry];
      require((child == kNone) == (arrays.children[first] == kNone));
      require(child >= kNone && child < n_nodes && child != arrays.root);
      require(arrays.counts[entry] > 0);
      if (child == kNone) continue;
      require(parent[at(child)] == kNone);
      parent[at(child)] = node;
    }
  }
  require(static_cast<std::int64_t>(entry) == n_features_of_all);
  for (std::int64_t node = 0; node < n_nodes; ++node)
    require(node == arrays.root || parent[at(node)] != kNone);
  std::int64_t n_steps = 0;
  for (std::int64_t leaf = 0; leaf != kNone; leaf = arrays.next_leaf[at(leaf)], ++n_steps)
    require(leaf >= 0 && leaf < n_nodes && n_steps < n_nodes);
  for (const std::int64_t next : arrays.next_leaf) require(next >= kNone && next < n_nodes);
}

}  // namespace

CfTree::CfTree(std::int64_t n_features, const CfRule& rule)
    : n_features_(n_features),
      rule_(rule),
      stride_((rule.branching_factor + kLanes) / kLanes * kLanes),
      x_(at(n_features)),
      distances_(at(stride_)) {
  add_node(true);
}

CfTree::CfTree(std::int64_t n_features, const CfRule& rule, const CfArrays& arrays)
    : CfTree(n_features, rule) {
  require_tree(n_features, rule, arrays);
  const std::size_t n_nodes = arrays.n_entries.size();
  root_ = arrays.root;
  std::size_t entry = 0;
  for (std::size_t node = 0; node < n_nodes; ++node) {
    if (node > 0) add_node(true);
    Feature feature{0.0, 0.0, std::vector<double>(at(n_features))};
    for (std::int64_t e = 0; e < arrays.n_entries[node]; ++e, ++entry) {
      feature.count = static_cast<double>(arrays.counts[entry]);
      feature.scatter = arrays.scatters[entry];
      std::copy_n(arrays.means.begin() + static_cast<std::int64_t>(entry) * n_features, n_features,
                  feature.mean.begin());
      append(static_cast<std::int64_t>(node), feature, arrays.children[entry]);
      is_leaf_[node] = arrays.children[entry] == kNone ? 1 : 0;
    }
  }
  next_leaf_ = arrays.next_leaf;
}

std::int64_t CfTree::add_node(bool is_leaf) {
  n_entries_.push_back(0);
  next_leaf_.push_back(kNone);
  is_leaf_.push_back(is_leaf ? 1 : 0);
  const std::size_t n_nodes = n_entries_.size(), stride = at(stride_);
  counts_.resize(n_nodes * stride);
  scatters_.resize(n_nodes * stride);
  children_.resize(n_nodes * stride, kNone);
  means_.resize(n_nodes * stride * at(n_features_));
  return static_cast<std::int64_t>(n_nodes) - 1;
}

void CfTree::distances_from(const double* x, std::int64_t node, std::vector<double>& out) const {
  GRAMIAN_DISPATCH(distances_to_leaf, Metric::euclidean, 2.0, x, means_of(node), n_features_,
                   stride_, out.data());
}

void CfTree::read_mean(std::int64_t node, std::int64_t entry, double* out) const {
  const double* means = means_of(node);
  for (std::int64_t k = 0; k < n_features_; ++k) out[k] = means[k * stride_ + entry];
}

void CfTree::set_feature(std::int64_t node, std::int64_t entry, const Feature& feature,
                         std::int64_t child) {
  const std::size_t place = at(node * stride_ + entry);
  counts_[place] = feature.count;
  scatters_[place] = feature.scatter;
  children_[place] = child;
  double* means = means_of(node);
  for (std::int64_t k = 0; k < n_features_; ++k) means[k * stride_ + entry] = feature.mean[at(k)];
}

void CfTree::append(std::int64_t node, const Feature& feature, std::int64_t child) {
  set_feature(node, n_entries_[at(node)]++, feature, child);
}

// Takes the row on its way into a feature, from whose mean it is so far.
void CfTree::add_row(std::int64_t node, std::int64_t entry, double squared) {
  const std::size_t place = at(node * stride_ + entry);
  scatters_[place] += between(counts_[place], 1.0, squared);
  counts_[place] += 1.0;
  double* means = means_of(node);
  const double share = 1.0 / counts_[place];
  for (std::int64_t k = 0; k < n_features_; ++k) {
    double& mean = means[k * stride_ + entry];
    mean += share * (x_[at(k)] - mean);
  }
}

template <class View>
void CfTree::insert(const View& X, const Context& ctx) {
  for (std::int64_t i = 0; i < n_rows_of(X); ++i) {
    if (i % kRowsBetweenChecks == 0) ctx.check();
    read_row(X, i, x_);
    insert_row();
  }
}

void CfTree::insert_row() {
  path_.clear();
  path_squared_.clear();
  std::int64_t node = root_;
  while (n_entries_[at(node)] > 0) {
    distances_from(x_.data(), node, distances_);
    double least = std::numeric_limits<double>::infinity();
    const std::int64_t found =
        GRAMIAN_DISPATCH(find_less, distances_.data(), n_entries_[at(node)], &least);
    const std::int64_t entry = std::max<std::int64_t>(found, 0);  // of infinite distances any
    path_.push_back({node, entry});
    path_squared_.push_back(least);
    if (is_leaf_[at(node)]) break;
    node = children_[at(node * stride_ + entry)];
  }
  std::int64_t whole = std::ssize(path_) - 1;  // levels above the parted ones
  if (!join_leaf(node)) {
    append(node, {1.0, 0.0, x_}, kNone);
    while (whole >= 0 && n_entries_[at(path_[at(whole)].node)] > rule_.branching_factor) {
      split_up(whole);
      --whole;
    }
  }
  // The feature that led to a parted node was summed anew, and one in the leaf has the row.
  const std::int64_t last = std::ssize(path_) - 1;
  for (std::int64_t level = std::min(whole, last) - 1; level >= 0; --level)
    add_row(path_[at(level)].node, path_[at(level)].entry, path_squared_[at(level)]);
}

// Whether the row joined the nearest feature of the leaf.
bool CfTree::join_leaf(std::int64_t leaf) {
  if (path_.empty()) return false;
  const std::size_t place = at(leaf * stride_ + path_.back().entry);
  const double scatter = scatters_[place] + between(counts_[place], 1.0, path_squared_.back());
  if (!(scatter / (counts_[place] + 1.0) <= rule_.threshold * rule_.threshold)) return false;
  add_row(leaf, path_.back().entry, path_squared_.back());
  return true;
}

// Parts the node of a level of the path, and puts both parts into the node above.
void CfTree::split_up(std::int64_t level) {
  const std::int64_t node = path_[at(level)].node;
  Feature first, second;
  const std::int64_t other = split(node, first, second);
  if (level == 0) {
    root_ = add_node(false);
    append(root_, first, node);
  } else {
    set_feature(path_[at(level - 1)].node, path_[at(level - 1)].entry, first, node);
  }
  append(level == 0 ? root_ : path_[at(level - 1)].node, second, other);
}

// Leaves in the node what is nearer to one of the two features that are farthest apart; the rest
// goes to a new node, whose number is returned.
std::int64_t CfTree::split(std::int64_t node, Feature& first, Feature& second) {
  const std::int64_t n = n_entries_[at(node)];
  std::vector<double> distances(at(n * stride_)), row(at(stride_)), x(at(n_features_));
  std::int64_t one = 0, two = 0;
  double most = 0.0;
  for (std::int64_t i = 0; i < n; ++i) {
    read_mean(node, i, x.data());
    distances_from(x.data(), node, row);
    std::ranges::copy(row, distances.begin() + i * stride_);
    for (std::int64_t j = 0; j < n; ++j)
      if (row[at(j)] > most) {
        most = row[at(j)];
        one = i;
        two = j;
      }
  }
  const std::int64_t other = add_node(is_leaf_[at(node)] != 0);
  if (is_leaf_[at(node)]) {
    next_leaf_[at(other)] = next_leaf_[at(node)];
    next_leaf_[at(node)] = other;
  }
  n_entries_[at(node)] = 0;
  Feature moved{0.0, 0.0, std::vector<double>(at(n_features_))};
  for (std::int64_t e = 0; e < n; ++e) {  // entries only move to places before their own
    const std::size_t place = at(node * stride_ + e);
    moved.count = counts_[place];
    moved.scatter = scatters_[place];
    read_mean(node, e, moved.mean.data());
    // Where all are equal, the first is still with itself.
    const bool stays =
        e == one || distances[at(one * stride_ + e)] < distances[at(two * stride_ + e)];
    take_in(stays ? first : second, node, e);
    append(stays ? node : other, moved, children_[place]);
  }
  return other;
}

// sum += a feature of a node.
void CfTree::take_in(Feature& sum, std::int64_t node, std::int64_t entry) const {
  const std::size_t place = at(node * stride_ + entry);
  std::vector<double> mean(at(n_features_));
  read_mean(node, entry, mean.data());
  const double count = counts_[place];
  if (sum.count == 0.0) {
    sum = {count, scatters_[place], std::move(mean)};
    return;
  }
  double squared = 0.0;
  const double share = count / (sum.count + count);
  for (std::size_t k = 0; k < mean.size(); ++k) {
    const double step = mean[k] - sum.mean[k];
    squared += step * step;
    sum.mean[k] += share * step;
  }
  sum.scatter += scatters_[place] + between(sum.count, count, squared);
  sum.count += count;
}

CfArrays CfTree::arrays() const {
  CfArrays out{root_, n_entries_, next_leaf_, {}, {}, {}, {}};
  for (std::size_t node = 0; node < n_entries_.size(); ++node)
    for (std::int64_t e = 0; e < n_entries_[node]; ++e) {
      const std::size_t place = node * at(stride_) + at(e);
      out.counts.push_back(static_cast<std::int64_t>(counts_[place]));
      out.scatters.push_back(scatters_[place]);
      out.children.push_back(children_[place]);
      const std::size_t begin = out.means.size();
      out.means.resize(begin + at(n_features_));
      read_mean(static_cast<std::int64_t>(node), e, out.means.data() + begin);
    }
  return out;
}

#define GRAMIAN_INSTANTIATE(View) template void CfTree::insert(const View&, const Context&);
GRAMIAN_INSTANTIATE(MatrixView<const float>)
GRAMIAN_INSTANTIATE(MatrixView<const double>)
#undef GRAMIAN_INSTANTIATE
#define GRAMIAN_INSTANTIATE(T, Index) \
  template void CfTree::insert(const CsrView<T, Index>&, const Context&);
GRAMIAN_INSTANTIATE(float, std::int32_t)
GRAMIAN_INSTANTIATE(double, std::int32_t)
GRAMIAN_INSTANTIATE(float, std::int64_t)
GRAMIAN_INSTANTIATE(double, std::int64_t)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::cluster
