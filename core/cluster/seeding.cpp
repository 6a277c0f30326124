#include "cluster/seeding.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "cluster/centroid_kernel.hpp"
#include "cluster/rows.hpp"
#include "parallel/tiles.hpp"

namespace gramian::cluster {
namespace {

constexpr std::int64_t kTileRows = 1024;
using Potentials = std::array<double, kTrialLanes>;
using Trials = std::span<const std::int64_t>;

// A row at distance r from its nearest centre c is no nearer to a trial t with |c - t| >= 2 r, so
// that it is looked at only where 4 r^2 is larger than the least |c - t|^2 of the trials. Sums of
// squares are right to far more digits than this.
constexpr double kSurely = 1.0 - 1e-6;

template <class T>
class Seeding {
 public:
  Seeding(MatrixView<const T> X, std::span<const double> weight, std::int64_t n_trials,
          const Context& ctx)
      : X_(X),
        weight_(weight),
        ctx_(ctx),
        tiles_(Tiles::of_rows(X.n_rows, kTileRows)),
        closest_(X.n_rows),
        nearest_(Buffer<std::int32_t>::zeros(X.n_rows)),
        near_(X.n_rows),
        n_near_(at(tiles_.count())),
        tile_sums_(at(tiles_.count())) {
    std::fill(closest_.begin(), closest_.end(), std::numeric_limits<double>::infinity());
    // Distances to the trials are kept where they take no more memory than the rows, or little.
    constexpr std::int64_t kFewRows = 1 << 16;
    if (n_trials <= kTrialLanes && (X.n_cols >= kTrialLanes || X.n_rows <= kFewRows))
      distances_ = Buffer<double>(X.n_rows * kTrialLanes);
  }

  // Row `centre` becomes a centre. It may be one of the trials seen last.
  void add(std::int64_t centre) {
    const auto seen = std::ranges::find(trials_, centre);
    const bool is_known = distances_.size() > 0 && seen != trials_.end();
    const std::int64_t lane = is_known ? seen - trials_.begin() : 0;
    const std::int64_t one[1] = {centre};
    const Panel panel = is_known ? Panel{} : panel_of(one);
    parallel_for(ctx_, tiles_.count(), cost_ns(), [&](std::int64_t tile) {
      std::vector<double> room;
      const double* squared = is_known ? distances_.data() + tiles_.begin(tile) * kTrialLanes
                                       : distances(tile, panel, room);
      take(tile, squared + lane);
    });
    centres_.push_back(centre);
    trials_.clear();
    total_ = 0.0;
    for (const double sum : tile_sums_) total_ += sum;
  }

  // The first row up to which the share `draw` of the squared distances lies.
  std::int64_t row_at(double draw) const {
    const double target = draw * total_;
    double before = 0.0;
    std::int64_t tile = 0;
    while (tile + 1 < tiles_.count() && before + tile_sums_[at(tile)] < target)
      before += tile_sums_[at(tile++)];
    std::int64_t i = tiles_.begin(tile);
    for (; i + 1 < tiles_.end(tile); ++i) {
      before += weight_of(weight_, i) * closest_[i];
      if (before >= target) break;
    }
    return i;
  }

  // The trial that leaves the least sum of squared distances, the first of several.
  std::int64_t best_of(Trials trials) {
    std::int64_t best = trials.front();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t first = 0; first < trials.size(); first += kTrialLanes) {
      const auto some =
          trials.subspan(first, std::min<std::size_t>(kTrialLanes, trials.size() - first));
      const Potentials left = potentials(some);
      for (std::size_t l = 0; l < some.size(); ++l)
        if (left[l] < least) {
          least = left[l];
          best = some[l];
        }
    }
    trials_.assign(trials.begin(), trials.end());
    return best;
  }

 private:
  // Trials, or a centre, side by side.
  struct Panel {
    Buffer<double> entries;
    std::vector<double>
        near;  // for each centre: the squared distances up to which rows are left out
  };

  double cost_ns() const { return static_cast<double>(X_.n_rows * (X_.n_cols + 8)); }

  Panel panel_of(Trials rows) const {
    Panel panel{Buffer<double>::zeros(X_.n_cols * kTrialLanes),
                std::vector<double>(centres_.size())};
    for (std::size_t l = 0; l < rows.size(); ++l)
      for (std::int64_t k = 0; k < X_.n_cols; ++k)
        panel.entries[k * kTrialLanes + static_cast<std::int64_t>(l)] =
            static_cast<double>(X_(rows[l], k));
    constexpr std::int32_t kItself[1] = {0};
    for (std::size_t c = 0; c < centres_.size(); ++c) {
      double squared[kTrialLanes];
      GRAMIAN_DISPATCH(trial_distances, X_.data + centres_[c] * X_.row_stride, X_.row_stride,
                       kItself, 1, panel.entries.data(), X_.n_cols, squared);
      panel.near[c] = 0.25 * kSurely * *std::min_element(squared, squared + rows.size());
    }
    return panel;
  }

  // Lists the rows of a tile that may be nearer to the panel's rows than to all centres, and
  // returns their squared distances to these, in the order of the list.
  const double* distances(std::int64_t tile, const Panel& panel, std::vector<double>& room) {
    const std::int64_t begin = tiles_.begin(tile), n = tiles_.end(tile) - begin;
    std::int32_t* near = near_.data() + begin;
    std::int64_t n_near = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      near[n_near] = static_cast<std::int32_t>(i);
      const bool is_far =
          !centres_.empty() && closest_[begin + i] <= panel.near[at(nearest_[begin + i])];
      n_near += is_far ? 0 : 1;
    }
    n_near_[at(tile)] = n_near;
    if (distances_.size() == 0) room.resize(at(n * kTrialLanes));
    double* out = distances_.size() > 0 ? distances_.data() + begin * kTrialLanes : room.data();
    GRAMIAN_DISPATCH(trial_distances, X_.data + begin * X_.row_stride, X_.row_stride, near, n_near,
                     panel.entries.data(), X_.n_cols, out);
    return out;
  }

  // A new centre, at these squared distances from the listed rows of a tile.
  void take(std::int64_t tile, const double* squared) {
    const std::int64_t begin = tiles_.begin(tile);
    const auto centre = static_cast<std::int32_t>(centres_.size());
    for (std::int64_t j = 0; j < n_near_[at(tile)]; ++j) {
      const std::int64_t i = begin + near_[begin + j];
      if (!(squared[j * kTrialLanes] < closest_[i])) continue;
      closest_[i] = squared[j * kTrialLanes];
      nearest_[i] = centre;
    }
    double sum = 0.0;
    for (std::int64_t i = begin; i < tiles_.end(tile); ++i)
      sum += weight_of(weight_, i) * closest_[i];
    tile_sums_[at(tile)] = sum;
  }

  // The sums of squared distances that each trial would leave.
  Potentials potentials(Trials trials) {
    const Panel panel = panel_of(trials);
    return parallel_reduce(
        ctx_, tiles_, cost_ns(),
        [&](std::int64_t begin, std::int64_t end) {
          const std::int64_t tile = begin / kTileRows;
          std::vector<double> room;
          const double* squared = distances(tile, panel, room);
          const std::int32_t *near = near_.data() + begin, *last = near + n_near_[at(tile)];
          Potentials left{};
          for (std::int64_t i = begin; i < end; ++i) {
            const double w = weight_of(weight_, i), closest = closest_[i];
            if (near == last || begin + *near != i) {
              for (double& sum : left) sum += w * closest;
              continue;
            }
            for (std::size_t l = 0; l < kTrialLanes; ++l)
              left[l] += w * std::min(closest, squared[l]);
            ++near;
            squared += kTrialLanes;
          }
          return left;
        },
        [](Potentials& left, const Potentials& right) { add_each(left, right); });
  }

  MatrixView<const T> X_;
  std::span<const double> weight_;
  const Context& ctx_;
  Tiles tiles_;
  std::vector<std::int64_t> centres_{}, trials_{};  // rows; the trials seen last
  Buffer<double> closest_;                          // squared distance to the nearest centre
  Buffer<std::int32_t> nearest_;                    // which one it is
  Buffer<std::int32_t> near_;                       // in each tile, the rows that trials may win
  std::vector<std::int64_t> n_near_;                // of each tile
  Buffer<double> distances_{};                      // of these to the trials, or nothing
  std::vector<double> tile_sums_;
  double total_ = 0.0;
};

}  // namespace

template <class T>
void seed_centres(MatrixView<const T> X, std::span<const double> weight,
                  MatrixView<const double> draws, std::span<std::int64_t> chosen,
                  const Context& ctx) {
  Seeding<T> seeding(X, weight, draws.n_cols, ctx);
  std::vector<std::int64_t> trials(at(draws.n_cols));
  seeding.add(chosen[0]);
  for (std::size_t c = 1; c < chosen.size(); ++c) {
    for (std::int64_t t = 0; t < draws.n_cols; ++t)
      trials[at(t)] = seeding.row_at(draws(static_cast<std::int64_t>(c) - 1, t));
    chosen[c] = seeding.best_of(trials);
    seeding.add(chosen[c]);
  }
}

template void seed_centres(MatrixView<const float>, std::span<const double>,
                           MatrixView<const double>, std::span<std::int64_t>, const Context&);
template void seed_centres(MatrixView<const double>, std::span<const double>,
                           MatrixView<const double>, std::span<std::int64_t>, const Context&);

}  // namespace gramian::cluster
