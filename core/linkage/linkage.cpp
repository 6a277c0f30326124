#include "linkage/linkage.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>

#include "base/error.hpp"
#include "base/index.hpp"
#include "linkage/centroids.hpp"
#include "linkage/distances.hpp"
#include "linkage/linkage_kernel.hpp"

namespace gramian::linkage {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Each cluster of the chain is the nearest one to that before it, so distances fall along it until
// two are nearest to each other. They are merged, and for a reducible method the rest of the chain
// is still one.
template <class Clusters>
std::vector<Merge> follow_chains(Clusters& clusters, const Context& ctx) {
  std::vector<Merge> merges;
  merges.reserve(at(clusters.slots().n_active()));
  std::vector<std::int64_t> chain;
  while (clusters.slots().n_active() > 1) {
    if (chain.empty()) chain.push_back(clusters.slots().first());
    ctx.check();
    const std::int64_t last = chain.back();
    const std::int64_t before = chain.size() > 1 ? chain[chain.size() - 2] : kNoSlot;
    const Nearest found = clusters.nearest(last, before, ctx);
    if (found.slot != before) {
      chain.push_back(found.slot);
      continue;
    }
    chain.resize(chain.size() - 2);
    const auto [first, second] = std::minmax(last, before);
    merges.push_back({first, second, clusters.height(found.score)});
    clusters.merge(first, second, found.score, ctx);
  }
  return merges;
}

// The least of all nearest distances. A union may be nearer to a third cluster than its parts were,
// which is seen when its scores are computed; apart from that a distance to the nearest one that
// has merged since is a lower bound, and is renewed when it comes to the top.
template <class Clusters>
class LeastFirst {
 public:
  LeastFirst(Clusters& clusters, const Context& ctx)
      : clusters_(clusters),
        ctx_(ctx),
        n_(clusters.slots().n_active()),
        nearest_(at(n_)),
        scores_(at(n_)),
        merged_at_(at(n_)),
        found_at_(at(n_)),
        all_(at((n_ + 63) / 64 * 64)) {}

  std::vector<Merge> run() {
    std::vector<Merge> merges;
    if (n_ < 2) return merges;
    for (std::int64_t slot = 0; slot < n_; ++slot) renew(slot);
    while (clusters_.slots().n_active() > 1) {
      const auto [score, slot] = queue_.top();
      queue_.pop();
      if (!clusters_.slots().is_active(slot) || score != scores_[at(slot)]) continue;
      const std::int64_t other = nearest_[at(slot)];
      if (!clusters_.slots().is_active(other) || merged_at_[at(other)] > found_at_[at(slot)]) {
        renew(slot);
        continue;
      }
      merges.push_back(join(std::min(slot, other), std::max(slot, other), score));
    }
    return merges;
  }

 private:
  void put(std::int64_t slot, std::int64_t nearest, double score) {
    nearest_[at(slot)] = nearest;
    scores_[at(slot)] = score;
    found_at_[at(slot)] = time_;
    queue_.push({score, slot});
  }

  void renew(std::int64_t slot) {
    ctx_.check();
    const Nearest found = clusters_.nearest(slot, kNoSlot, ctx_);
    put(slot, found.slot, found.score);
  }

  Merge join(std::int64_t first, std::int64_t second, double score) {
    const Merge merge{first, second, clusters_.height(score)};
    clusters_.merge(first, second, score, ctx_);
    merged_at_[at(second)] = ++time_;
    const Slots& slots = clusters_.slots();
    if (slots.n_active() == 1) return merge;
    clusters_.score_all(second, all_, ctx_);
    std::int64_t nearest = kNoSlot;
    double least = kInfinity;
    for (std::int64_t place = 0; place < slots.n_places(); ++place) {
      const std::int64_t slot = slots.slot_at(place);
      if (slot == second || !slots.is_active(slot)) continue;
      const double value = all_[at(place)];
      if (nearest == kNoSlot || value < least) {
        least = value;
        nearest = slot;
      }
      if (value < scores_[at(slot)]) put(slot, second, value);
    }
    put(second, nearest, least);
    return merge;
  }

  using Entry = std::pair<double, std::int64_t>;

  Clusters& clusters_;
  const Context& ctx_;
  std::int64_t n_;
  std::int64_t time_ = 0;
  std::vector<std::int64_t> nearest_;
  std::vector<double> scores_;
  std::vector<std::int64_t> merged_at_, found_at_;
  std::vector<double> all_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

std::vector<Merge> spanning_tree(const Triangle& distances, const Context& ctx) {
  const std::int64_t n = distances.n();
  std::vector<double> reach(at(n), kInfinity), row(at(n));
  std::vector<std::uint8_t> is_reached(at(n), 0);
  std::vector<Merge> merges;
  std::int64_t last = 0;
  while (static_cast<std::int64_t>(merges.size()) + 1 < n) {
    ctx.check();
    is_reached[at(last)] = 1;
    distances.read_row(last, row.data());
    std::int64_t next = kNoSlot;
    for (std::int64_t i = 0; i < n; ++i) {
      if (is_reached[at(i)]) continue;
      reach[at(i)] = std::min(reach[at(i)], row[at(i)]);
      if (next == kNoSlot || reach[at(i)] < reach[at(next)]) next = i;
    }
    merges.push_back({last, next, reach[at(next)]});
    last = next;
  }
  return merges;
}

}  // namespace

std::vector<Merge> merge_triangle(Triangle& distances, Method method, const Context& ctx) {
  if (distances.n() < 2) return {};
  if (method == Method::single) return spanning_tree(distances, ctx);
  Distances clusters(distances, method, ctx);
  if (method == Method::centroid || method == Method::median)
    return LeastFirst(clusters, ctx).run();
  return follow_chains(clusters, ctx);
}

template <class T>
std::vector<Merge> merge_centroids(MatrixView<const T> X, Method method, const Context& ctx) {
  if (X.n_rows < 2) return {};
  if (method == Method::ward) {
    Centroids clusters(X, Centre::ward, ctx);
    return follow_chains(clusters, ctx);
  }
  const bool is_median = method == Method::median;
  if (!is_median && method != Method::centroid)
    throw InvalidArgument("this method is not one of centroids");
  Centroids clusters(X, is_median ? Centre::median : Centre::centroid, ctx);
  return LeastFirst(clusters, ctx).run();
}

template std::vector<Merge> merge_centroids(MatrixView<const float>, Method, const Context&);
template std::vector<Merge> merge_centroids(MatrixView<const double>, Method, const Context&);

}  // namespace gramian::linkage
