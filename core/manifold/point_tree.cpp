#include "manifold/point_tree.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/index.hpp"
#include "metrics/radix_sort.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::manifold {
namespace {

constexpr std::int32_t kLeafPoints = 32;
constexpr int kBits = 20;  // of each coordinate

// The bits of x with two places between them (one in the plane).
std::uint64_t spread(std::uint32_t x, int n_planes) {
  std::uint64_t out = 0;
  for (int bit = 0; bit < kBits; ++bit)
    out |= static_cast<std::uint64_t>((x >> bit) & 1U) << (bit * n_planes);
  return out;
}

// spread for ten bits at a time.
class SpreadTable {
 public:
  explicit SpreadTable(int n_planes) : n_planes_(n_planes) {
    for (std::uint32_t x = 0; x < table_.size(); ++x) table_[x] = spread(x, n_planes);
  }
  std::uint64_t operator()(std::uint32_t x) const {
    return table_[x & 1023U] | table_[x >> 10] << (10 * n_planes_);
  }

 private:
  int n_planes_;
  std::array<std::uint64_t, 1024> table_;
};

using Coded = std::pair<std::uint64_t, std::int32_t>;

std::vector<Coded> coded(const Planes& points, const Context& ctx) {
  const std::int64_t n = points.size();
  const int n_planes = points.n_planes();
  std::array<float, kMostTreePlanes> low{}, scale{};
  float side = 0.0f;
  for (int k = 0; k < n_planes; ++k) {
    const auto [least, most] = std::minmax_element(points.plane(k), points.plane(k) + n);
    low[at(k)] = *least;
    side = std::max(side, *most - *least);
  }
  constexpr float kMost = static_cast<float>((1 << kBits) - 1);
  scale.fill(side > 0.0f ? kMost / side : 0.0f);
  const SpreadTable spread_bits(n_planes);
  std::vector<Coded> codes(at(n));
  const Chunks chunks = Chunks::of_rows(n, 4096);
  parallel_for(ctx, chunks.count(), 4.0 * static_cast<double>(n), [&](std::int64_t chunk) {
    for (std::int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
      std::uint64_t code = 0;
      for (int k = 0; k < n_planes; ++k) {
        const float place = (points.plane(k)[i] - low[at(k)]) * scale[at(k)];
        code |= spread_bits(static_cast<std::uint32_t>(std::clamp(place, 0.0f, kMost))) << k;
      }
      codes[at(i)] = {code, static_cast<std::int32_t>(i)};
    }
  });
  return codes;
}

}  // namespace

PointTree::PointTree(const Planes& points, const Context& ctx)
    : points_(points.size(), points.n_planes()), order_(at(points.size())) {
  std::vector<Coded> codes = coded(points, ctx), scratch(codes.size());
  const auto code_of = [](const Coded& pair) { return pair.first; };
  const metrics::RadixSort<Coded, decltype(code_of)> sort(code_of, ctx);
  sort(codes.data(), scratch.data(), points.size(), kBits * points.n_planes());
  std::vector<std::uint64_t> sorted(codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    sorted[i] = codes[i].first;
    order_[i] = codes[i].second;
    for (int k = 0; k < points.n_planes(); ++k)
      points_.plane(k)[i] = points.plane(k)[codes[i].second];
  }
  build(sorted, ctx);
}

void PointTree::build(const std::vector<std::uint64_t>& codes, const Context& ctx) {
  nodes_.push_back({0, static_cast<std::int32_t>(codes.size()), 0, 0, {}, {}, {}, 0.0f});
  std::vector<int> levels{0};
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    ctx.check();
    split(static_cast<std::int32_t>(node), codes, levels[node]);
    levels.resize(nodes_.size(), levels[node] + 1);
  }
  measure();
}

void PointTree::split(std::int32_t node, const std::vector<std::uint64_t>& codes, int level) {
  const PointNode parent = nodes_[at(node)];
  if (parent.end - parent.first <= kLeafPoints || level == kBits) {
    leaves_.push_back(node);
    return;
  }
  const int shift = (kBits - 1 - level) * points_.n_planes();
  nodes_[at(node)].first_child = static_cast<std::int32_t>(nodes_.size());
  std::int32_t first = parent.first;
  while (first < parent.end) {
    const std::uint64_t last_code = codes[at(first)] >> shift;
    const auto begin = codes.begin() + first, end = codes.begin() + parent.end;
    const auto beyond = std::partition_point(
        begin, end, [&](std::uint64_t code) { return code >> shift <= last_code; });
    const auto next = static_cast<std::int32_t>(beyond - codes.begin());
    nodes_.push_back({first, next, 0, 0, {}, {}, {}, 0.0f});
    ++nodes_[at(node)].n_children;
    first = next;
  }
}

// Boxes and means, children before their parents.
void PointTree::measure() {
  const int n_planes = points_.n_planes();
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
    float extent = 0.0f;
    for (int k = 0; k < n_planes; ++k) {
      float low = kFar, high = -kFar;
      double sum = 0.0;
      if (node->n_children == 0) {
        const float* plane = points_.plane(k);
        for (std::int32_t i = node->first; i < node->end; ++i) {
          low = std::min(low, plane[i]);
          high = std::max(high, plane[i]);
          sum += static_cast<double>(plane[i]);
        }
      }
      for (std::int32_t child = 0; child < node->n_children; ++child) {
        const PointNode& part = nodes_[at(node->first_child + child)];
        low = std::min(low, part.low[k]);
        high = std::max(high, part.high[k]);
        sum += static_cast<double>(part.centre[k]) * (part.end - part.first);
      }
      node->low[k] = low;
      node->high[k] = high;
      node->centre[k] = static_cast<float>(sum / (node->end - node->first));
      extent = std::max(extent, high - low);
    }
    node->squared_extent = extent * extent;
  }
}

void ActingPoints::reserve(std::int64_t n) {
  if (n <= stride_) return;
  const std::int64_t stride = whole_vectors(std::max(n, 2 * stride_));
  std::vector<float> values(at(stride * n_planes_));
  for (int k = 0; k < n_planes_; ++k)
    std::copy_n(values_.begin() + k * stride_, size_, values.begin() + k * stride);
  values_ = std::move(values);
  stride_ = stride;
  masses_.resize(at(stride));
}

void ActingPoints::add(const float* place, std::int64_t place_stride, std::int64_t n, float mass) {
  reserve(size_ + n + kLanes);
  for (int k = 0; k < n_planes_; ++k)
    std::copy_n(place + k * place_stride, n, values_.begin() + k * stride_ + size_);
  std::fill_n(masses_.begin() + size_, n, mass);
  size_ += n;
}

void ActingPoints::gather(const PointTree& tree, const float* low, const float* high,
                          double angle) {
  const auto squared_angle = static_cast<float>(angle * angle);
  size_ = 0;
  waiting_.assign(1, 0);
  while (!waiting_.empty()) {
    const PointNode& node = tree.nodes()[at(waiting_.back())];
    waiting_.pop_back();
    float squared = 0.0f;
    for (int k = 0; k < n_planes_; ++k) {
      const float beyond = std::max({low[k] - node.centre[k], node.centre[k] - high[k], 0.0f});
      squared += beyond * beyond;
    }
    if (node.squared_extent < squared_angle * squared) {
      add(node.centre, 1, 1, static_cast<float>(node.end - node.first));
    } else if (node.n_children == 0) {
      add(tree.points().data() + node.first, tree.points().stride(), node.end - node.first, 1.0f);
    } else {
      for (std::int32_t child = node.n_children; child-- > 0;)
        waiting_.push_back(node.first_child + child);
    }
  }
  reserve(whole_vectors(size_));
  for (std::int64_t i = size_; i < whole_vectors(size_); ++i) {
    for (int k = 0; k < n_planes_; ++k) values_[at(k * stride_ + i)] = kFar;
    masses_[at(i)] = 0.0f;
  }
}

}  // namespace gramian::manifold
