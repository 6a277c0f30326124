// Barnes and Hut's approximation for groups: the points of a leaf share the list of what acts on
// them, chosen for the nearest place of their box, so that no point's list is coarser than alone.
#include <algorithm>

#include "base/index.hpp"
#include "manifold/forces_kernel.hpp"
#include "manifold/point_tree.hpp"
#include "manifold/repulsion.hpp"
#include "parallel/tiles.hpp"

namespace gramian::manifold {
namespace {

constexpr std::int64_t kLeavesOfTask = 8;
constexpr double kNanosecondsOfPoint = 400.0;

class TreeRepulsion : public Repulsion {
 public:
  explicit TreeRepulsion(double angle) : angle_(angle) {}

  double operator()(const Planes& points, Planes& forces, const Context& ctx) override {
    const PointTree tree(points, ctx);
    const auto n = static_cast<double>(points.size());
    Planes in_order(points.size(), points.n_planes());
    const auto n_leaves = static_cast<std::int64_t>(tree.leaves().size());
    const double all = parallel_reduce(
        ctx, Tiles::of_rows(n_leaves, kLeavesOfTask), kNanosecondsOfPoint * n,
        [&](std::int64_t begin, std::int64_t end) {
          ActingPoints acting(points.n_planes());
          double sum = 0.0;
          for (std::int64_t leaf = begin; leaf < end; ++leaf)
            sum += on_leaf(tree, tree.leaves()[at(leaf)], acting, in_order);
          return sum;
        },
        [](double& total, double next) { total += next; });
    for (int k = 0; k < points.n_planes(); ++k)
      for (std::int64_t i = 0; i < points.size(); ++i)
        forces.plane(k)[tree.order()[at(i)]] = in_order.plane(k)[i];
    return all - n;  // of each point with itself
  }

 private:
  double on_leaf(const PointTree& tree, std::int32_t number, ActingPoints& acting,
                 Planes& forces) const {
    const PointNode& leaf = tree.nodes()[at(number)];
    const Planes& points = tree.points();
    acting.gather(tree, leaf.low, leaf.high, angle_);
    const PointRun targets{
        {points.data(), points.stride(), points.n_planes()}, leaf.first, leaf.end};
    const PointRun sources{{acting.values(), acting.stride(), points.n_planes()}, 0, acting.size()};
    return GRAMIAN_DISPATCH(repel, targets, sources, acting.masses(),
                            {forces.data(), forces.stride()});
  }

  double angle_;
};

}  // namespace

std::unique_ptr<Repulsion> tree_repulsion(double angle) {
  return std::make_unique<TreeRepulsion>(angle);
}

}  // namespace gramian::manifold
