#include "distance/kernel_density.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "distance/kd_tree/walk.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::distance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = 0x1p-53;
constexpr double kFar = 300.0;  // exp(-300) is far above underflow, its inverse below overflow
constexpr std::int64_t kLanes = 8;

DensityKernel kernel_of(const DensityRule& rule, const Measure& measure) {
  const double h = rule.bandwidth;
  double rate = 0.0;
  if (rule.kernel == Kernel::gaussian) rate = 0.5 / (h * h);
  if (rule.kernel == Kernel::exponential) rate = 1.0 / h;
  return {rule.kernel, measure.metric, measure.power, h, rate};
}

// The sum of one query so far, divided by exp(-rate * shift).
class KernelSum {
 public:
  KernelSum(const DensityKernel& kernel, const DensityRule& rule, double total_weight)
      : kernel_(kernel), rule_(rule), total_weight_(total_weight) {}

  // Adds n rows at t, of which n_padded - n are padding of weight zero.
  void add(double* t, const double* weights, std::int64_t n, std::int64_t n_padded) {
    if (kernel_.rate > 0.0) choose_shift(t, weights, n);
    sum_ += GRAMIAN_DISPATCH(sum_of_kernels, kernel_, t, weights, n_padded);
  }

  // Whether rows between two places may be taken as one, and then takes them: errors of so much
  // per weight add up to no more than what is allowed.
  bool takes(double weight, double nearest, double farthest) {
    if (kernel_.rate > 0.0 && !is_shift_chosen_) return false;
    if (kernel_.rate * (kernel_.shift - nearest) > kFar) return false;  // would overflow
    const double t[kLanes] = {nearest, farthest};
    double k[kLanes];
    GRAMIAN_DISPATCH(kernels_at, kernel_, t, k);
    const double allowed = allowed_atol() + std::max(rule_.rtol, kRounding) * sum_;
    if (!(0.5 * (k[0] - k[1]) * total_weight_ <= allowed)) return false;
    sum_ += 0.5 * (k[0] + k[1]) * weight;
    return true;
  }

  double log_sum() const { return std::log(sum_) - kernel_.rate * kernel_.shift; }

  const DensityKernel& kernel() const { return kernel_; }

 private:
  double allowed_atol() const {
    return rule_.atol > 0.0 ? rule_.atol * std::exp(kernel_.rate * kernel_.shift) : 0.0;
  }

  // Moves the shift to the nearest row where all of them are far, or the new ones much nearer.
  void choose_shift(const double* t, const double* weights, std::int64_t n) {
    if (is_shift_chosen_ && kernel_.shift == 0.0) return;
    double least = kInfinity;
    for (std::int64_t i = 0; i < n; ++i)
      if (weights[i] > 0.0) least = std::min(least, t[i]);
    if (least == kInfinity) return;
    if (!is_shift_chosen_) {
      is_shift_chosen_ = true;
      if (kernel_.rate * least > kFar) kernel_.shift = least;
    } else if (kernel_.rate * (kernel_.shift - least) > kFar) {
      sum_ *= std::exp(-kernel_.rate * (kernel_.shift - least));
      kernel_.shift = least;
    }
  }

  DensityKernel kernel_;
  const DensityRule& rule_;
  double total_weight_;
  double sum_ = 0.0;
  bool is_shift_chosen_ = false;
};

// The weights in the order of the leaves, zero for padding, and their sums over nodes.
struct TreeWeights {
  Buffer<double> of_rows;
  std::vector<double> of_nodes;

  TreeWeights(const KdTree& tree, std::span<const double> weights)
      : of_rows(Buffer<double>::zeros(tree.shape.n_leaves() * tree.shape.leaf_stride())),
        of_nodes(at(2 * tree.shape.n_leaves()), 0.0) {
    const KdTreeShape& shape = tree.shape;
    const int depth = shape.depth();
    for (std::int64_t leaf = 0; leaf < shape.n_leaves(); ++leaf) {
      const std::int64_t begin = shape.begin(depth, leaf);
      for (std::int64_t i = begin; i < shape.begin(depth, leaf + 1); ++i) {
        const double weight = weights.empty() ? 1.0 : weights[at(tree.order[at(i)])];
        of_rows[leaf * shape.leaf_stride() + i - begin] = weight;
        of_nodes[at(shape.n_leaves() + leaf)] += weight;
      }
    }
    for (std::int64_t node = shape.n_leaves() - 1; node > 0; --node)
      of_nodes[at(node)] = of_nodes[at(2 * node)] + of_nodes[at(2 * node + 1)];
  }
};

// Sums over the nodes and leaves of a tree.
class TreeSum {
 public:
  TreeSum(const KdTree& tree, const TreeWeights& weights, const DensityKernel& kernel,
          const DensityRule& rule)
      : tree_(tree), weights_(weights), sum_(kernel, rule, weights.of_nodes[1]) {}

  bool takes(std::int64_t node, int, double least, double largest) {
    double t[kLanes] = {least, largest};
    GRAMIAN_DISPATCH(kernel_arguments, sum_.kernel(), t, kLanes);
    return sum_.takes(weights_.of_nodes[at(node)], t[0], t[1]);
  }

  void leaf(std::int64_t number, double* reduced) {
    const KdTreeShape& shape = tree_.shape;
    const std::int64_t n =
        shape.begin(shape.depth(), number + 1) - shape.begin(shape.depth(), number);
    GRAMIAN_DISPATCH(kernel_arguments, sum_.kernel(), reduced, shape.leaf_stride());
    sum_.add(reduced, weights_.of_rows.data() + number * shape.leaf_stride(), n,
             shape.leaf_stride());
  }

  double log_sum() const { return sum_.log_sum(); }

 private:
  const KdTree& tree_;
  const TreeWeights& weights_;
  KernelSum sum_;
};

// Numbers of rows by the first radius that is not below their distance.
class RadiusCounts {
 public:
  RadiusCounts(const KdTree& tree, std::span<const double> radii)
      : tree_(tree), radii_(radii), counts_(radii.size() + 1, 0) {}

  bool takes(std::int64_t node, int level, double least, double largest) {
    const std::int64_t bin = bin_of(from_reduced(tree_.measure, least) * (1.0 - kSlack));
    if (bin != bin_of(from_reduced(tree_.measure, largest) * (1.0 + kSlack))) return false;
    const std::int64_t number = node - (std::int64_t{1} << level);
    counts_[at(bin)] += tree_.shape.begin(level, number + 1) - tree_.shape.begin(level, number);
    return true;
  }

  void leaf(std::int64_t number, const double* reduced) {
    const int depth = tree_.shape.depth();
    const std::int64_t n = tree_.shape.begin(depth, number + 1) - tree_.shape.begin(depth, number);
    for (std::int64_t i = 0; i < n; ++i)
      ++counts_[at(bin_of(from_reduced(tree_.measure, reduced[i])))];
  }

  const std::vector<std::int64_t>& counts() const { return counts_; }

 private:
  static constexpr double kSlack = 1e-12;  // above the rounding of a root

  std::int64_t bin_of(double distance) const {
    return std::lower_bound(radii_.begin(), radii_.end(), distance) - radii_.begin();
  }

  const KdTree& tree_;
  std::span<const double> radii_;
  std::vector<std::int64_t> counts_;
};

double sum_cost_ns(std::int64_t n_rows, std::int64_t n_features) {
  return (1.0 + 0.1 * static_cast<double>(n_features)) * static_cast<double>(n_rows);
}

}  // namespace

template <class T>
void log_density_in_tree(MatrixView<const T> X, const KdTree& tree, std::span<const double> weights,
                         const DensityRule& rule, std::span<double> out, const Context& ctx) {
  const TreeWeights of_tree(tree, weights);
  const DensityKernel kernel = kernel_of(rule, tree.measure);
  const double cost_ns = sum_cost_ns(tree.shape.n_rows, tree.shape.n_features);
  for_each_query<KdTreeBoundsWalk>(X, tree, cost_ns, ctx,
                                   [&](KdTreeBoundsWalk& walk, std::int64_t i) {
                                     TreeSum sum(tree, of_tree, kernel, rule);
                                     walk.visit(sum, ctx);
                                     out[at(i)] = sum.log_sum();
                                   });
}

template <class T>
void log_density_of_distances(MatrixView<const T> distances, std::span<const double> weights,
                              const DensityRule& rule, std::span<double> out, const Context& ctx) {
  constexpr std::int64_t kBlock = 512;
  const std::int64_t n = distances.n_cols;
  Buffer<double> of_rows = Buffer<double>::zeros((n + kLanes - 1) / kLanes * kLanes);
  double total = 0.0;
  for (std::int64_t j = 0; j < n; ++j) total += of_rows[j] = weights.empty() ? 1.0 : weights[at(j)];
  const DensityKernel kernel = kernel_of(rule, {Metric::manhattan, 1.0});  // which takes no root
  parallel_for(ctx, distances.n_rows, sum_cost_ns(distances.n_rows * n, 0), [&](std::int64_t i) {
    KernelSum sum(kernel, rule, total);
    double t[kBlock];
    for (std::int64_t first = 0; first < n; first += kBlock) {
      const std::int64_t count = std::min(kBlock, n - first);
      const std::int64_t padded = (count + kLanes - 1) / kLanes * kLanes;
      for (std::int64_t j = 0; j < padded; ++j)
        t[j] = j < count ? static_cast<double>(distances(i, first + j)) : 0.0;
      GRAMIAN_DISPATCH(kernel_arguments, kernel, t, padded);
      sum.add(t, of_rows.data() + first, count, padded);
    }
    out[at(i)] = sum.log_sum();
  });
}

template <class T>
void count_pairs_in_tree(MatrixView<const T> X, const KdTree& tree, std::span<const double> radii,
                         std::span<std::int64_t> counts, const Context& ctx) {
  Buffer<std::int64_t> found =
      Buffer<std::int64_t>::zeros(X.n_rows * static_cast<std::int64_t>(radii.size()));
  const double cost_ns = sum_cost_ns(tree.shape.n_rows, tree.shape.n_features);
  const auto n_radii = static_cast<std::int64_t>(radii.size());
  for_each_query<KdTreeBoundsWalk>(X, tree, cost_ns, ctx,
                                   [&](KdTreeBoundsWalk& walk, std::int64_t i) {
                                     RadiusCounts of_query(tree, radii);
                                     walk.visit(of_query, ctx);
                                     for (std::int64_t r = 0; r < n_radii; ++r)
                                       found[i * n_radii + r] = of_query.counts()[at(r)];
                                   });
  std::int64_t total = 0;
  for (std::int64_t r = 0; r < n_radii; ++r) {
    for (std::int64_t i = 0; i < X.n_rows; ++i) total += found[i * n_radii + r];
    counts[at(r)] = total;
  }
}

#define GRAMIAN_INSTANTIATE(T)                                                                   \
  template void log_density_in_tree(MatrixView<const T>, const KdTree&, std::span<const double>, \
                                    const DensityRule&, std::span<double>, const Context&);      \
  template void log_density_of_distances(MatrixView<const T>, std::span<const double>,           \
                                         const DensityRule&, std::span<double>, const Context&); \
  template void count_pairs_in_tree(MatrixView<const T>, const KdTree&, std::span<const double>, \
                                    std::span<std::int64_t>, const Context&);
GRAMIAN_INSTANTIATE(float)
GRAMIAN_INSTANTIATE(double)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::distance
