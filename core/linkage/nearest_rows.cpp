#include <algorithm>
#include <limits>
#include <vector>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "distance/kd_tree_kernel.hpp"
#include "distance/kd_tree_walk.hpp"
#include "linkage/linkage.hpp"
#include "linkage/linkage_kernel.hpp"
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
  Unreached(MatrixView<const T> X, const distance::Measure& measure)
      : measure_(measure),
        p_(X.n_cols),
        slots_(X.n_rows),
        values_((X.n_rows + kBlock - 1) / kBlock * kBlock * p_),
        reach_((X.n_rows + kBlock - 1) / kBlock * kBlock),
        query_(at(p_)) {
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
    slots_.leave(row);
    if (slots_.should_compact()) compact();
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
  double* place(std::int64_t i, std::int64_t k) {
    return values_.data() + (i / kBlock * p_ + k) * kBlock + i % kBlock;
  }

  void update(std::int64_t block) {
    alignas(kCacheLine) double distances[kBlock];
    GRAMIAN_DISPATCH(distances_to_leaf, measure_.metric, measure_.power, query_.data(),
                     values_.data() + block * kBlock * p_, p_, kBlock, distances);
    GRAMIAN_DISPATCH(smaller_of_each, reach_.data() + block * kBlock, distances, kBlock);
  }

  void compact() {
    const std::vector<std::int64_t> kept = slots_.compact();
    const auto n = static_cast<std::int64_t>(kept.size());
    const std::int64_t end = (n + kBlock - 1) / kBlock * kBlock;
    for (std::int64_t i = 0; i < end; ++i) {
      reach_[i] = i < n ? reach_[kept[at(i)]] : kInfinity;
      for (std::int64_t k = 0; k < p_; ++k)
        *place(i, k) = i < n ? *place(kept[at(i)], k) : kInfinity;
    }
  }

  distance::Measure measure_;
  std::int64_t p_;
  Slots slots_;
  Buffer<double> values_, reach_;
  std::vector<double> query_;
  std::vector<Nearest> least_;
};

}  // namespace

template <class T>
std::vector<Merge> merge_nearest_rows(MatrixView<const T> X, const distance::Measure& measure,
                                      const Context& ctx) {
  std::vector<Merge> merges;
  if (X.n_rows < 2) return merges;
  Unreached rows(X, measure);
  std::int64_t last = 0;
  rows.leave(last);
  while (rows.slots().n_active() > 0) {
    ctx.check();
    const Nearest next = rows.next(ctx);
    merges.push_back({last, next.slot, distance::from_reduced(measure, next.score)});
    last = next.slot;
    rows.leave(last);
  }
  return merges;
}

template std::vector<Merge> merge_nearest_rows(MatrixView<const float>, const distance::Measure&,
                                               const Context&);
template std::vector<Merge> merge_nearest_rows(MatrixView<const double>, const distance::Measure&,
                                               const Context&);

}  // namespace gramian::linkage
