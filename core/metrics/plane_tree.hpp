// Points in the plane, arranged so that near ones are found quickly: a balanced k-d tree for the
// distance max(|dx|, |dy|).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gramian::metrics {

struct Point {
  double x;
  double y;
};

class PlaneTree {
 public:
  explicit PlaneTree(std::vector<Point> points);

  // The points, in the order of the tree: neighbours in it are near in the plane.
  std::span<const Point> points() const { return points_; }

  // Distance of point `query` (its place in points()) to its k-th nearest other point, k being the
  // length of `nearest`, which is scratch. Needs at least k other points.
  double kth_distance(std::int64_t query, std::span<double> nearest) const;

 private:
  struct Box {
    Point low;
    Point high;
  };

  void build(std::size_t node, std::int64_t begin, std::int64_t end);
  void search(std::size_t node, std::int64_t begin, std::int64_t end, std::int64_t query,
              std::span<double> nearest) const;

  std::vector<Point> points_;
  std::vector<Box> boxes_;  // of the node 0, its children 1 and 2, theirs 3 to 6, ...
};

}  // namespace gramian::metrics
