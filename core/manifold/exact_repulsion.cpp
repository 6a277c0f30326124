// All pairs. In the plane the points are cut into runs, and each pair of runs is one task, which
// leaves its forces in a slot of its own; they are added in the order of the runs.
#include <algorithm>
#include <numeric>
#include <vector>

#include "base/index.hpp"
#include "manifold/forces_kernel.hpp"
#include "manifold/repulsion.hpp"
#include "parallel/tiles.hpp"

namespace gramian::manifold {
namespace {

constexpr std::int64_t kRun = 512;      // coordinates and forces of two runs: 16 kB
constexpr std::int64_t kMostRuns = 64;  // slots for each point
constexpr double kNanosecondsOfPair = 0.15;

PointPlanes view(const Planes& points) {
  return {points.data(), points.stride(), points.n_planes()};
}

class ExactRepulsion : public Repulsion {
 public:
  double operator()(const Planes& points, Planes& forces, const Context& ctx) override {
    const auto n = static_cast<double>(points.size());
    const double all =
        points.n_planes() == 2 ? of_pairs(points, forces, ctx) : of_rows(points, forces, ctx);
    return all - n;  // of each point with itself
  }

 private:
  double of_rows(const Planes& points, Planes& forces, const Context& ctx) {
    const PointRun all{view(points), 0, points.size()};
    const auto n = static_cast<double>(points.size());
    return parallel_reduce(
        ctx, Tiles::of_rows(points.size(), 32), 4.0 * kNanosecondsOfPair * n * n,
        [&](std::int64_t begin, std::int64_t end) {
          return GRAMIAN_DISPATCH(repel, {view(points), begin, end}, all, nullptr,
                                  {forces.data(), forces.stride()});
        },
        [](double& total, double next) { total += next; });
  }

  double of_pairs(const Planes& points, Planes& forces, const Context& ctx) {
    const std::int64_t n = points.size();
    run_ = kRun;
    while (run_ * kMostRuns < n) run_ *= 2;
    const std::int64_t n_runs = (n + run_ - 1) / run_;
    if (slots_.size() != n_runs * 2 * points.stride())
      slots_ = Buffer<float>(n_runs * 2 * points.stride());
    const std::int64_t n_tasks = n_runs * (n_runs + 1) / 2;
    sums_.assign(at(n_tasks), 0.0);
    const double cost_ns = kNanosecondsOfPair * static_cast<double>(n) * static_cast<double>(n);
    parallel_for(ctx, n_tasks, cost_ns, [&](std::int64_t task) {
      std::int64_t a = 0, b = task;  // pair number `task` in the order of (0, 0), (0, 1), ...
      for (; b >= n_runs - a; ++a) b -= n_runs - a;
      sums_[at(task)] = between(points, a, a + b);
    });
    add_slots(points, forces, n_runs, ctx);
    return std::accumulate(sums_.begin(), sums_.end(), 0.0);
  }

  PointRun run(const Planes& points, std::int64_t number) const {
    return {view(points), number * run_, std::min((number + 1) * run_, points.size())};
  }
  // The forces on all points of run number `by`.
  ForcePlanes slot(const Planes& points, std::int64_t by) {
    return {slots_.data() + by * 2 * points.stride(), points.stride()};
  }

  double between(const Planes& points, std::int64_t a, std::int64_t b) {
    const PointRun first = run(points, a), second = run(points, b);
    if (a == b) return GRAMIAN_DISPATCH(repel, first, first, nullptr, slot(points, a));
    return 2.0 *
           GRAMIAN_DISPATCH(repel_each_other, first, second, slot(points, b), slot(points, a));
  }

  void add_slots(const Planes& points, Planes& forces, std::int64_t n_runs, const Context& ctx) {
    const std::int64_t stride = points.stride();
    const double cost_ns = 0.5 * static_cast<double>(n_runs * stride);
    parallel_for(ctx, n_runs, cost_ns, [&](std::int64_t number) {
      const PointRun rows = run(points, number);
      for (int k = 0; k < 2; ++k) {
        float* sum = forces.plane(k);
        std::fill(sum + rows.first, sum + rows.end, 0.0f);
        for (std::int64_t by = 0; by < n_runs; ++by) {
          const float* part = slots_.data() + (by * 2 + k) * stride;
          for (std::int64_t i = rows.first; i < rows.end; ++i) sum[i] += part[i];
        }
      }
    });
  }

  std::int64_t run_ = kRun;
  Buffer<float> slots_;
  std::vector<double> sums_;
};

}  // namespace

std::unique_ptr<Repulsion> exact_repulsion() { return std::make_unique<ExactRepulsion>(); }

}  // namespace gramian::manifold
