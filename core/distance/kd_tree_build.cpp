#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "distance/kd_tree.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::distance {
namespace {

constexpr std::int64_t kMostRowsOfLeaf = 48;
constexpr std::int64_t kLanes = 8;

// Asks for a stop about once in a millisecond of a loop over single rows.
class RowChecks {
 public:
  explicit RowChecks(const Context& ctx) : ctx_(ctx) {}
  void step() {
    if ((++n_ & (kEvery - 1)) == 0) ctx_.check();
  }

 private:
  static constexpr std::uint32_t kEvery = 1 << 14;
  const Context& ctx_;
  std::uint32_t n_ = 0;
};

template <class T>
class Builder {
 public:
  Builder(MatrixView<const T> Y, const KdTreeArrays& out, const Context& ctx)
      : Y_(Y), out_(out), shape_{Y.n_rows, Y.n_cols}, ctx_(ctx) {}

  void build() {
    std::iota(out_.order.begin(), out_.order.end(), std::int64_t{0});
    const int depth = shape_.depth();
    for (int level = 0; level <= depth; ++level) {
      const std::int64_t n_nodes = std::int64_t{1} << level;
      const double cost_ns = 15.0 * static_cast<double>(shape_.n_rows);
      parallel_for(ctx_, n_nodes, cost_ns, [&](std::int64_t number) {
        const std::int64_t widest = measure_box(level, number);
        if (level < depth)
          cut(level, number, widest);
        else
          fill_leaf(number);
      });
    }
  }

 private:
  // Sets the box of a node; the feature of its longest side.
  std::int64_t measure_box(int level, std::int64_t number) {
    const std::int64_t p = shape_.n_features;
    double* low = out_.boxes.data() + ((std::int64_t{1} << level) + number) * 2 * p;
    double* high = low + p;
    std::fill(low, high, std::numeric_limits<double>::infinity());
    std::fill(high, high + p, -std::numeric_limits<double>::infinity());
    RowChecks checks(ctx_);
    for (std::int64_t i = shape_.begin(level, number); i < shape_.begin(level, number + 1); ++i) {
      checks.step();
      for (std::int64_t k = 0; k < p; ++k) {
        const double value = entry(i, k);
        low[k] = std::min(low[k], value);
        high[k] = std::max(high[k], value);
      }
    }
    std::int64_t widest = 0;
    for (std::int64_t k = 1; k < p; ++k)
      if (high[k] - low[k] > high[widest] - low[widest]) widest = k;
    return widest;
  }

  void cut(int level, std::int64_t number, std::int64_t feature) {
    const std::int64_t begin = shape_.begin(level, number), end = shape_.begin(level, number + 1);
    std::vector<std::pair<double, std::int64_t>> rows(at(end - begin));
    RowChecks checks(ctx_);
    for (std::int64_t i = begin; i < end; ++i) {
      checks.step();
      rows[at(i - begin)] = {entry(i, feature), out_.order[at(i)]};
    }
    const auto middle = rows.begin() + (shape_.begin(level + 1, 2 * number + 1) - begin);
    std::nth_element(rows.begin(), middle, rows.end(), [&](const auto& a, const auto& b) {
      checks.step();
      return a < b;
    });
    for (std::int64_t i = begin; i < end; ++i) out_.order[at(i)] = rows[at(i - begin)].second;
    double* split = out_.splits.data() + ((std::int64_t{1} << level) + number) * 2;
    split[0] = static_cast<double>(feature);
    split[1] = middle->first;
  }

  void fill_leaf(std::int64_t number) {
    const int depth = shape_.depth();
    const std::int64_t begin = shape_.begin(depth, number), stride = shape_.leaf_stride();
    const std::int64_t n = shape_.begin(depth, number + 1) - begin;
    std::sort(out_.order.begin() + begin, out_.order.begin() + begin + n);
    double* leaf = out_.points.data() + number * stride * shape_.n_features;
    for (std::int64_t k = 0; k < shape_.n_features; ++k)
      for (std::int64_t i = 0; i < stride; ++i)
        leaf[k * stride + i] = i < n ? entry(begin + i, k) : 0.0;
  }

  double entry(std::int64_t place, std::int64_t feature) const {
    return static_cast<double>(Y_(out_.order[at(place)], feature));
  }

  MatrixView<const T> Y_;
  KdTreeArrays out_;
  KdTreeShape shape_;
  const Context& ctx_;
};

}  // namespace

int KdTreeShape::depth() const {
  int depth = 0;
  while ((n_rows >> depth) >= kMostRowsOfLeaf) ++depth;
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
