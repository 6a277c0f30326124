#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "distance/kd_tree/group_kernel.hpp"
#include "distance/kd_tree/select_rank.hpp"
#include "distance/kd_tree/tree.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::distance {
namespace {

constexpr std::int64_t kLanes = 8;

// The rows lie in the order of the nodes, copied to it level by level, so that each node reads
// adjacent memory.
template <class T>
class Builder {
 public:
  Builder(MatrixView<const T> Y, const KdTreeArrays& out, const Context& ctx)
      : Y_(Y),
        out_(out),
        shape_{Y.n_rows, Y.n_cols},
        ctx_(ctx),
        rows_(Y.n_rows * Y.n_cols),
        next_rows_(Y.n_rows * Y.n_cols),
        next_order_(Y.n_rows),
        keys_(Y.n_rows) {}

  void build() {
    const int depth = shape_.depth();
    const double cost_ns =
        (6.0 + static_cast<double>(shape_.n_features)) * static_cast<double>(shape_.n_rows);
    copy_rows(cost_ns);
    for (int level = 0; level <= depth; ++level) {
      const std::int64_t n_nodes = std::int64_t{1} << level;
      const Chunks chunks = Chunks::of_rows(n_nodes, std::max<std::int64_t>(n_nodes / 64, 1));
      parallel_for(ctx_, chunks.count(), cost_ns, [&](std::int64_t task) {
        for (std::int64_t number = chunks.begin(task); number < chunks.end(task); ++number) {
          if (level < depth)
            cut(level, number);
          else
            fill_leaf(number);
        }
      });
      if (level < depth) swap_copies(cost_ns);
    }
    join_boxes();
  }

 private:
  void copy_rows(double cost_ns) {
    const Chunks chunks = Chunks::of_rows(shape_.n_rows, kRowsOfTask);
    parallel_for(ctx_, chunks.count(), cost_ns, [&](std::int64_t task) {
      double* row = rows_.data() + chunks.begin(task) * shape_.n_features;
      for (std::int64_t i = chunks.begin(task); i < chunks.end(task); ++i) {
        out_.order[at(i)] = i;
        for (std::int64_t k = 0; k < shape_.n_features; ++k) *row++ = static_cast<double>(Y_(i, k));
      }
    });
  }

  void swap_copies(double cost_ns) {
    std::swap(rows_, next_rows_);
    const Chunks chunks = Chunks::of_rows(shape_.n_rows, 4 * kRowsOfTask);
    parallel_for(ctx_, chunks.count(), 0.1 * cost_ns, [&](std::int64_t task) {
      std::copy(next_order_.data() + chunks.begin(task), next_order_.data() + chunks.end(task),
                out_.order.data() + chunks.begin(task));
    });
  }

  // The feature whose values are spread the most, judged by rows at even distances.
  std::int64_t widest_feature(std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t kMostJudged = 64;
    const std::int64_t p = shape_.n_features;
    const std::int64_t n_judged = std::min(end - begin, kMostJudged);
    std::int64_t widest = 0;
    double largest = -1.0;
    for (std::int64_t k = 0; k < p; ++k) {
      double low = std::numeric_limits<double>::infinity(), high = -low;
      for (std::int64_t j = 0; j < n_judged; ++j) {
        const double value = rows_[(begin + j * (end - begin) / n_judged) * p + k];
        low = std::min(low, value);
        high = std::max(high, value);
      }
      if (high - low > largest) {
        largest = high - low;
        widest = k;
      }
    }
    return widest;
  }

  void cut(int level, std::int64_t number) {
    const std::int64_t p = shape_.n_features;
    const std::int64_t begin = shape_.begin(level, number), end = shape_.begin(level, number + 1);
    const std::int64_t feature = widest_feature(begin, end);
    const std::span<Keyed> keys{keys_.data() + begin, at(end - begin)};
    for (std::int64_t i = begin; i < end; ++i) keys[at(i - begin)] = {rows_[i * p + feature], i};
    const std::size_t middle = at(shape_.begin(level + 1, 2 * number + 1) - begin);
    select_rank(keys, middle, ctx_);
    double* split = out_.splits.data() + ((std::int64_t{1} << level) + number) * 2;
    split[0] = static_cast<double>(feature);
    split[1] = keys[middle].value;
    double* row = next_rows_.data() + begin * p;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t place = keys[at(i - begin)].place;
      next_order_[i] = out_.order[at(place)];
      for (std::int64_t k = 0; k < p; ++k) *row++ = rows_[place * p + k];
    }
  }

  void fill_leaf(std::int64_t number) {
    const int depth = shape_.depth();
    const std::int64_t p = shape_.n_features, stride = shape_.leaf_stride();
    const std::int64_t begin = shape_.begin(depth, number);
    const std::int64_t n = shape_.begin(depth, number + 1) - begin;
    std::pair<std::int64_t, const double*> rows[kMostLeafRows];
    for (std::int64_t i = 0; i < n; ++i)
      rows[i] = {out_.order[at(begin + i)], rows_.data() + (begin + i) * p};
    std::sort(rows, rows + n);
    double* leaf = out_.points.data() + number * stride * p;
    std::fill_n(leaf, stride * p, 0.0);
    for (std::int64_t i = 0; i < n; ++i) {
      out_.order[at(begin + i)] = rows[i].first;
      for (std::int64_t k = 0; k < p; ++k) leaf[k * stride + i] = rows[i].second[k];
    }
    double* box = out_.boxes.data() + (shape_.n_leaves() + number) * 2 * p;
    for (std::int64_t k = 0; k < p; ++k) {
      const auto [low, high] = std::minmax_element(leaf + k * stride, leaf + k * stride + n);
      box[k] = *low;
      box[p + k] = *high;
    }
  }

  // The box of a node from those of its children.
  void join_boxes() {
    const std::int64_t p = shape_.n_features;
    for (std::int64_t node = shape_.n_leaves() - 1; node > 0; --node) {
      double* box = out_.boxes.data() + node * 2 * p;
      const double* children = out_.boxes.data() + 2 * node * 2 * p;
      for (std::int64_t k = 0; k < p; ++k) {
        box[k] = std::min(children[k], children[2 * p + k]);
        box[p + k] = std::max(children[p + k], children[3 * p + k]);
      }
    }
  }

  static constexpr std::int64_t kRowsOfTask = 1 << 13;

  MatrixView<const T> Y_;
  KdTreeArrays out_;
  KdTreeShape shape_;
  const Context& ctx_;
  Buffer<double> rows_, next_rows_;
  Buffer<std::int64_t> next_order_;
  Buffer<Keyed> keys_;
};

}  // namespace

int KdTreeShape::depth() const {
  int depth = 0;
  while ((n_rows >> depth) >= kMostLeafRows) ++depth;
  return depth;
}

std::int64_t KdTreeShape::leaf_stride() const {
  const std::int64_t most = (n_rows + n_leaves() - 1) / n_leaves();
  return (most + kLanes - 1) / kLanes * kLanes;
}

template <class T>
void build_kd_tree(MatrixView<const T> Y, const KdTreeArrays& out, const Context& ctx) {
  Builder<T>(Y, out, ctx).build();
}

template void build_kd_tree(MatrixView<const float>, const KdTreeArrays&, const Context&);
template void build_kd_tree(MatrixView<const double>, const KdTreeArrays&, const Context&);

}  // namespace gramian::distance
