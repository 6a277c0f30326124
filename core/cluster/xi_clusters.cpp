#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "cluster/optics.hpp"

namespace gramian::cluster {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A steep downward area, and the highest place between its end and now.
struct DownArea {
  Span span;
  double between = 0.0;
};

enum class Slope { down, up };

class XiClusters {
 public:
  XiClusters(std::span<const double> plot, std::span<const std::int64_t> reached_from,
             const Steepness& rule)
      : reached_from_(reached_from), rule_(rule), keeps_(1.0 - rule.xi) {
    plot_.assign(plot.begin(), plot.end());
    plot_.push_back(kInfinity);  // the last cluster ends where the rows do
  }

  std::vector<Span> run(const Context& ctx) {
    std::int64_t index = 0;
    double between = 0.0;
    for (std::int64_t i = 0; i < n(); ++i) {
      ctx.check();
      if (!is_steep(i, Slope::down) && !is_steep(i, Slope::up)) continue;
      if (i < index) continue;
      between = std::max(between, *std::max_element(plot_.begin() + index, plot_.begin() + i + 1));
      forget_shallow(between);
      const Slope slope = is_steep(i, Slope::down) ? Slope::down : Slope::up;
      const Span area{i, end_of_area(i, slope)};
      if (slope == Slope::down)
        down_areas_.push_back({area});
      else
        close_clusters(area);
      index = area.last + 1;
      between = plot_[at(index)];
    }
    return std::move(clusters_);
  }

 private:
  std::int64_t n() const { return static_cast<std::int64_t>(plot_.size()) - 1; }
  double ratio(std::int64_t i) const { return plot_[at(i)] / plot_[at(i + 1)]; }

  // Definition 9, of the step from place i to the next one.
  bool is_steep(std::int64_t i, Slope slope) const {
    return slope == Slope::down ? ratio(i) >= 1.0 / keeps_ : ratio(i) <= keeps_;
  }
  static Slope opposite(Slope slope) { return slope == Slope::down ? Slope::up : Slope::down; }
  bool goes(std::int64_t i, Slope slope) const {
    return slope == Slope::down ? ratio(i) > 1.0 : ratio(i) < 1.0;
  }

  // Definition 10: steep places, and at most min_samples between them that are level or less steep.
  std::int64_t end_of_area(std::int64_t first, Slope slope) const {
    std::int64_t end = first, n_not_steep = 0;
    for (std::int64_t i = first; i < n(); ++i) {
      if (is_steep(i, slope)) {
        n_not_steep = 0;
        end = i;
      } else if (goes(i, opposite(slope)) || ++n_not_steep > rule_.min_samples) {
        break;
      }
    }
    return end;
  }

  // Areas that begin lower than a place since then cannot begin a cluster any more.
  void forget_shallow(double between) {
    if (std::isinf(between)) return down_areas_.clear();
    std::erase_if(down_areas_, [&](const DownArea& area) {
      return !(between <= plot_[at(area.span.first)] * keeps_);
    });
    for (DownArea& area : down_areas_) area.between = std::max(area.between, between);
  }

  // The clusters that end in an upward area, the smallest first.
  void close_clusters(const Span& up) {
    const double end = plot_[at(up.last + 1)];
    for (auto area = down_areas_.rbegin(); area != down_areas_.rend(); ++area) {
      if (end * keeps_ < area->between) continue;
      Span cluster{area->span.first, up.last};
      level_ends(cluster, area->span, up);
      if (rule_.corrects_predecessors && !take_off_strangers(cluster)) continue;
      const bool is_large = cluster.last - cluster.first + 1 >= rule_.min_cluster_size;
      if (is_large && cluster.first <= area->span.last && cluster.last >= up.first)
        clusters_.push_back(cluster);
    }
  }

  // Definition 11.4: of two ends of different height the higher one moves in.
  void level_ends(Span& cluster, const Span& down, const Span& up) const {
    const double start = plot_[at(down.first)], end = plot_[at(up.last + 1)];
    if (start * keeps_ >= end) {
      while (cluster.first < down.last && plot_[at(cluster.first + 1)] > end) ++cluster.first;
    } else if (end * keeps_ >= start) {
      while (cluster.last > up.first && plot_[at(cluster.last - 1)] > start) --cluster.last;
    }
  }

  // Schubert and Gertz, Improving the Cluster Structure Extracted from OPTICS Plots, 2018.
  bool take_off_strangers(Span& cluster) const {
    for (; cluster.first < cluster.last; --cluster.last) {
      if (plot_[at(cluster.first)] > plot_[at(cluster.last)]) return true;
      const std::int64_t from = reached_from_[at(cluster.last)];
      if (from >= cluster.first && from < cluster.last) return true;
    }
    return false;
  }

  std::vector<double> plot_;
  std::span<const std::int64_t> reached_from_;
  Steepness rule_;
  double keeps_;
  std::vector<DownArea> down_areas_;
  std::vector<Span> clusters_;
};

}  // namespace

std::vector<Span> xi_clusters(std::span<const double> plot,
                              std::span<const std::int64_t> reached_from, const Steepness& rule,
                              const Context& ctx) {
  return XiClusters(plot, reached_from, rule).run(ctx);
}

}  // namespace gramian::cluster
