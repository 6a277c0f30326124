#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "distance/kd_tree/tree_kernel.hpp"
#include "distance/kd_tree/walk.hpp"
#include "linkage/linkage.hpp"
#include "linkage/linkage_kernel.hpp"
#include "linkage/mutual_reachability.hpp"
#include "linkage/slots.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::linkage {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kBlock = 64;

// The rows that Prim's algorithm has not reached, and how near to the reached ones they are. Rows
// stand in blocks, feature k of row l at [k * kBlock + l].
class Unreached {
 public:
  template <class T>
  Unreached(MatrixView<const T> X, const distance::Measure& measure, const Reachability& reach)
      : measure_(measure),
        scale_(1.0 / reduced(reach.alpha)),
        p_(X.n_cols),
        slots_(X.n_rows),
        values_((X.n_rows + kBlock - 1) / kBlock * kBlock * p_),
        reach_((X.n_rows + kBlock - 1) / kBlock * kBlock),
        query_(at(p_)) {
    if (!reach.cores.empty()) {
      cores_ = Buffer<double>::zeros(reach_.size());
      sources_ = Buffer<std::int64_t>::zeros(reach_.size());
    }
    for (std::size_t i = 0; i < reach.cores.size(); ++i)
      cores_[static_cast<std::int64_t>(i)] = reduced(reach.cores[i]);
    for (std::int64_t i = 0; i < reach_.size(); ++i) {
      reach_[i] = kInfinity;
      for (std::int64_t k = 0; k < p_; ++k)
        *place(i, k) = i < X.n_rows ? static_cast<double>(X(i, k)) : kInfinity;
    }
  }

  const Slots& slots() const { return slots_; }

  void leave(std::int64_t row) {
    const std::int64_t i = slots_.place_of(row);
    for (std::int64_t k = 0; k < p_; ++k) {
      query_[at(k)] = *place(i, k);
      *place(i, k) = kInfinity;
    }
    reach_[i] = kInfinity;
    if (cores_.size() > 0) core_ = cores_[i];
    last_ = row;
    slots_.leave(row);
    if (slots_.should_compact()) compact();
  }

  // The reached row that one of these is nearest to; without cores the last one that was reached.
  std::int64_t source_of(std::int64_t row) const {
    return sources_.size() > 0 ? sources_[slots_.place_of(row)] : last_;
  }

  // The row nearest to all reached ones, the last of which is the query.
  Nearest next(const Context& ctx) {
    constexpr std::int64_t kBlocksOfTask = 128;
    const std::int64_t n_blocks = (slots_.n_places() + kBlock - 1) / kBlock;
    const std::int64_t n_tasks = (n_blocks + kBlocksOfTask - 1) / kBlocksOfTask;
    least_.resize(at(n_tasks));
    const double cost_ns = 0.3 * static_cast<double>(n_blocks * kBlock * (p_ + 2));
    parallel_for(ctx, n_tasks, cost_ns, [&](std::int64_t task) {
      const std::int64_t first = task * kBlocksOfTask;
      const std::int64_t last = std::min(n_blocks, first + kBlocksOfTask);
      for (std::int64_t block = first; block < last; ++block) update(block);
      double least = kInfinity;
      const std::int64_t place = GRAMIAN_DISPATCH(least_entry, reach_.data() + first * kBlock,
                                                  (last - first) * kBlock, &least);
      least_[at(task)] = {first * kBlock + place, least};
    });
    const auto best = std::ranges::min_element(least_, {}, &Nearest::score);
    if (best->score < kInfinity) return {slots_.slot_at(best->slot), best->score};
    return {slots_.first(), kInfinity};
  }

 private:
  double reduced(double distance) const {
    if (measure_.metric == distance::Metric::euclidean) return distance * distance;
    if (measure_.metric == distance::Metric::minkowski) return std::pow(distance, measure_.power);
    return distance;
  }

  double* place(std::int64_t i, std::int64_t k) {
    return values_.data() + (i / kBlock * p_ + k) * kBlock + i % kBlock;
  }

  void update(std::int64_t block) {
    alignas(kCacheLine) double distances[kBlock];
    GRAMIAN_DISPATCH(distances_to_leaf, measure_.metric, measure_.power, query_.data(),
                     values_.data() + block * kBlock * p_, p_, kBlock, distances);
    if (cores_.size() > 0) return update_sources(block, distances);
    GRAMIAN_DISPATCH(smaller_of_each, reach_.data() + block * kBlock, distances, kBlock);
  }

  void update_sources(std::int64_t block, const double* distances) {
    const double* cores = cores_.data() + block * kBlock;
    double* reach = reach_.data() + block * kBlock;
    for (std::int64_t i = 0; i < kBlock; ++i) {
      const double length = std::max(distances[i] * scale_, std::max(cores[i], core_));
      if (!(length < reach[i])) continue;
      reach[i] = length;
      sources_[block * kBlock + i] = last_;
    }
  }

  void compact() {
    const std::vector<std::int64_t> kept = slots_.compact();
    const auto n = static_cast<std::int64_t>(kept.size());
    const std::int64_t end = (n + kBlock - 1) / kBlock * kBlock;
    for (std::int64_t i = 0; i < end; ++i) {
      reach_[i] = i < n ? reach_[kept[at(i)]] : kInfinity;
      if (cores_.size() > 0) {
        cores_[i] = i < n ? cores_[kept[at(i)]] : 0.0;
        sources_[i] = i < n ? sources_[kept[at(i)]] : 0;
      }
      for (std::int64_t k = 0; k < p_; ++k)
        *place(i, k) = i < n ? *place(kept[at(i)], k) : kInfinity;
    }
  }

  distance::Measure measure_;
  double scale_, core_ = 0.0;
  std::int64_t p_;
  Slots slots_;
  Buffer<double> values_, reach_, cores_;  // the last two reduced distances
  Buffer<std::int64_t> sources_;           // with cores: the row that reach_ is from
  std::int64_t last_ = 0;
  std::vector<double> query_;
  std::vector<Nearest> least_;
};

template <class T>
std::vector<Merge> run(MatrixView<const T> X, const distance::Measure& measure,
                       const Reachability& reach, const Context& ctx) {
  std::vector<Merge> merges;
  if (X.n_rows < 2) return merges;
  Unreached rows(X, measure, reach);
  rows.leave(0);
  while (rows.slots().n_active() > 0) {
    ctx.check();
    const Nearest next = rows.next(ctx);
    const double length = distance::from_reduced(measure, next.score);
    merges.push_back({rows.source_of(next.slot), next.slot, length});
    rows.leave(next.slot);
  }
  return merges;
}

}  // namespace

template <class T>
std::vector<Merge> merge_nearest_rows(MatrixView<const T> X, const distance::Measure& measure,
                                      const Context& ctx) {
  return run(X, measure, {}, ctx);
}

template <class T>
std::vector<Merge> spanning_tree_of_rows(MatrixView<const T> X, const distance::Measure& measure,
                                         const Reachability& reach, const Context& ctx) {
  return run(X, measure, reach, ctx);
}

#define GRAMIAN_INSTANTIATE(T)                                                                     \
  template std::vector<Merge> merge_nearest_rows(MatrixView<const T>, const distance::Measure&,    \
                                                 const Context&);                                  \
  template std::vector<Merge> spanning_tree_of_rows(MatrixView<const T>, const distance::Measure&, \
                                                    const Reachability&, const Context&);
GRAMIAN_INSTANTIATE(float)
GRAMIAN_INSTANTIATE(double)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::linkage
