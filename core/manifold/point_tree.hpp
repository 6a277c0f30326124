// A tree over points in the order of a space-filling curve: its nodes are runs of that order, its
// leaves the groups that share a list of what acts on them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/context.hpp"
#include "manifold/planes.hpp"

namespace gramian::manifold {

inline constexpr int kMostTreePlanes = 3;

struct PointNode {
  std::int32_t first;
  std::int32_t end;
  std::int32_t first_child;  // children are adjacent; none for a leaf
  std::int32_t n_children;
  float low[kMostTreePlanes];
  float high[kMostTreePlanes];
  float centre[kMostTreePlanes];  // the mean of its points
  float squared_extent;           // of the longest side of its box
};

class PointTree {
 public:
  PointTree(const Planes& points, const Context& ctx);

  const Planes& points() const { return points_; }                   // in the order of the curve
  const std::vector<std::int32_t>& order() const { return order_; }  // their numbers
  const std::vector<PointNode>& nodes() const { return nodes_; }     // the root is the first
  const std::vector<std::int32_t>& leaves() const { return leaves_; }

 private:
  void build(const std::vector<std::uint64_t>& codes, const Context& ctx);
  void split(std::int32_t node, const std::vector<std::uint64_t>& codes, int level);
  void measure();

  Planes points_;
  std::vector<std::int32_t> order_;
  std::vector<PointNode> nodes_;
  std::vector<std::int32_t> leaves_;
};

// What acts on the points of a box, written one after the other: points, and nodes that are far
// enough. Planes are `capacity` apart, and the last vector is filled up with points far away.
class ActingPoints {
 public:
  explicit ActingPoints(int n_planes) : n_planes_(n_planes) {}

  void gather(const PointTree& tree, const float* low, const float* high, double angle);

  const float* values() const { return values_.data(); }
  const float* masses() const { return masses_.data(); }
  std::int64_t size() const { return size_; }
  std::int64_t stride() const { return stride_; }

 private:
  void reserve(std::int64_t n);
  void add(const float* place, std::int64_t place_stride, std::int64_t n, float mass);

  int n_planes_;
  std::int64_t size_ = 0;
  std::int64_t stride_ = 0;
  std::vector<float> values_;
  std::vector<float> masses_;
  std::vector<std::int32_t> waiting_;
};

}  // namespace gramian::manifold
