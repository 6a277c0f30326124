#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "linkage/linkage.hpp"

namespace gramian::linkage {
namespace {

// Sets of rows, each with the number of its node.
class Nodes {
 public:
  explicit Nodes(std::int64_t n) : above_(at(n)), node_(at(n)), sizes_(at(n), 1) {
    std::iota(above_.begin(), above_.end(), std::int64_t{0});
    std::iota(node_.begin(), node_.end(), std::int64_t{0});
  }

  std::int64_t find(std::int64_t row) {
    while (above_[at(row)] != row) {
      above_[at(row)] = above_[at(above_[at(row)])];
      row = above_[at(row)];
    }
    return row;
  }
  std::int64_t node_of(std::int64_t root) const { return node_[at(root)]; }

  // The number of rows of the union, which becomes a node.
  std::int64_t join(std::int64_t root, std::int64_t other, std::int64_t node) {
    if (sizes_[at(root)] < sizes_[at(other)]) std::swap(root, other);
    above_[at(other)] = root;
    node_[at(root)] = node;
    return sizes_[at(root)] += sizes_[at(other)];
  }

 private:
  std::vector<std::int64_t> above_, node_, sizes_;
};

// A heap with the largest on top, laid out as Python's heapq lays out the negative numbers: the
// labels follow its layout.
class NodeHeap {
 public:
  explicit NodeHeap(std::int64_t node) : nodes_{node} {}

  std::int64_t top() const { return nodes_.front(); }
  const std::vector<std::int64_t>& nodes() const { return nodes_; }

  void push(std::int64_t node) {
    nodes_.push_back(node);
    std::push_heap(nodes_.begin(), nodes_.end());
  }

  // Puts a node that may be larger in, and takes the largest out.
  void push_pop(std::int64_t node) {
    if (node > nodes_.front()) return;
    std::size_t i = 0;
    for (std::size_t child = 1; child < nodes_.size(); child = 2 * i + 1) {
      if (child + 1 < nodes_.size() && nodes_[child + 1] > nodes_[child]) ++child;
      if (nodes_[child] < node) break;
      nodes_[i] = nodes_[child];
      i = child;
    }
    nodes_[i] = node;
  }

 private:
  std::vector<std::int64_t> nodes_;
};

}  // namespace

void number_nodes(std::vector<Merge>& merges, bool is_sorted, ChildOrder order, const Tree& out,
                  const Context& ctx) {
  if (!is_sorted)
    std::stable_sort(merges.begin(), merges.end(),
                     [](const Merge& a, const Merge& b) { return a.height < b.height; });
  const auto n = static_cast<std::int64_t>(merges.size()) + 1;
  Nodes nodes(n);
  for (std::int64_t k = 0; k + 1 < n; ++k) {
    if (k % 4096 == 0) ctx.check();
    const Merge& merge = merges[at(k)];
    const std::int64_t roots[2] = {nodes.find(merge.first), nodes.find(merge.second)};
    std::int64_t first = nodes.node_of(roots[0]), second = nodes.node_of(roots[1]);
    if (order == ChildOrder::by_number && first > second) std::swap(first, second);
    out.children(k, 0) = first;
    out.children(k, 1) = second;
    out.heights[at(k)] = merge.height;
    const std::int64_t size = nodes.join(roots[0], roots[1], n + k);
    if (!out.sizes.empty()) out.sizes[at(k)] = size;
  }
}

void cut_tree(MatrixView<const std::int64_t> children, std::int64_t n_clusters,
              std::span<std::int64_t> labels) {
  const std::int64_t n_merges = children.n_rows, n = n_merges + 1;
  if (n_clusters < 1 || n_clusters > n) throw InvalidArgument("there are fewer rows than clusters");
  NodeHeap heap(n + n_merges - 1);
  for (std::int64_t i = 1; i < n_clusters; ++i) {
    const std::int64_t merge = heap.top() - n;
    heap.push(children(merge, 0));
    heap.push_pop(children(merge, 1));
  }
  std::vector<std::int64_t> label_of(at(n + n_merges), -1);
  for (std::size_t i = 0; i < heap.nodes().size(); ++i)
    label_of[at(heap.nodes()[i])] = static_cast<std::int64_t>(i);
  for (std::int64_t k = n_merges - 1; k >= 0; --k)
    if (const std::int64_t label = label_of[at(n + k)]; label >= 0)
      for (int side = 0; side < 2; ++side) label_of[at(children(k, side))] = label;
  std::copy_n(label_of.begin(), n, labels.begin());
}

}  // namespace gramian::linkage
