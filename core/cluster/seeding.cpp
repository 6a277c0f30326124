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

template <class T>
class Seeding {
 public:
  Seeding(MatrixView<const T> X, std::span<const double> weight, const Context& ctx)
      : X_(X),
        weight_(weight),
        ctx_(ctx),
        tiles_(Tiles::of_rows(X.n_rows, kTileRows)),
        closest_(X.n_rows),
        tile_sums_(at(tiles_.count())) {
    std::fill(closest_.begin(), closest_.end(), std::numeric_limits<double>::infinity());
  }

  // Row `centre` becomes a centre.
  void add(std::int64_t centre) {
    const std::int64_t one[1] = {centre};
    const Buffer<double> panel = panel_of(one);
    parallel_for(ctx_, tiles_.count(), cost_ns(), [&](std::int64_t tile) {
      tile_sums_[at(tile)] = visit(tile, panel, [&](std::int64_t i, const double* squared) {
        closest_[i] = std::min(closest_[i], squared[0]);
        return weight_of(weight_, i) * closest_[i];
      });
    });
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
  std::int64_t best_of(std::span<const std::int64_t> trials) const {
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
    return best;
  }

 private:
  double cost_ns() const { return static_cast<double>(X_.n_rows * (X_.n_cols + 8)); }

  Buffer<double> panel_of(std::span<const std::int64_t> rows) const {
    auto panel = Buffer<double>::zeros(X_.n_cols * kTrialLanes);
    for (std::size_t l = 0; l < rows.size(); ++l)
      for (std::int64_t k = 0; k < X_.n_cols; ++k)
        panel[k * kTrialLanes + static_cast<std::int64_t>(l)] = static_cast<double>(X_(rows[l], k));
    return panel;
  }

  // The sum of of_row(i, squared distances to the panel's rows) over a tile.
  template <class OfRow>
  double visit(std::int64_t tile, const Buffer<double>& panel, const OfRow& of_row) const {
    constexpr std::int64_t kAtOnce = 96;
    double squared[kAtOnce * kTrialLanes];
    double sum = 0.0;
    for (std::int64_t i = tiles_.begin(tile); i < tiles_.end(tile); i += kAtOnce) {
      const std::int64_t n = std::min(kAtOnce, tiles_.end(tile) - i);
      GRAMIAN_DISPATCH(trial_distances, X_.data + i * X_.row_stride, X_.row_stride, n, panel.data(),
                       X_.n_cols, squared);
      for (std::int64_t r = 0; r < n; ++r) sum += of_row(i + r, squared + r * kTrialLanes);
    }
    return sum;
  }

  Potentials potentials(std::span<const std::int64_t> trials) const {
    const Buffer<double> panel = panel_of(trials);
    return parallel_reduce(
        ctx_, tiles_, cost_ns(),
        [&](std::int64_t begin, std::int64_t) {
          Potentials left{};
          visit(begin / kTileRows, panel, [&](std::int64_t i, const double* squared) {
            const double w = weight_of(weight_, i), closest = closest_[i];
            for (std::size_t l = 0; l < kTrialLanes; ++l)
              left[l] += w * std::min(closest, squared[l]);
            return 0.0;
          });
          return left;
        },
        [](Potentials& left, const Potentials& right) { add_each(left, right); });
  }

  MatrixView<const T> X_;
  std::span<const double> weight_;
  const Context& ctx_;
  Tiles tiles_;
  Buffer<double> closest_;  // squared distance to the nearest centre
  std::vector<double> tile_sums_;
  double total_ = 0.0;
};

}  // namespace

template <class T>
void seed_centres(MatrixView<const T> X, std::span<const double> weight,
                  MatrixView<const double> draws, std::span<std::int64_t> chosen,
                  const Context& ctx) {
  Seeding<T> seeding(X, weight, ctx);
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
