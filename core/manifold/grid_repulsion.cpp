// Repulsion in the plane by a potential on a grid. The sum of 1 / (1 + d^2) over all pairs is taken
// in frequency, where it needs no transform back; the two fields are the convolution of the
// charges, which are 1 for each point, with (x, y) / (1 + d^2)^2.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "base/index.hpp"
#include "manifold/grid.hpp"
#include "manifold/repulsion.hpp"
#include "manifold/spline_kernel.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::manifold {
namespace {

constexpr double kSpacing = 0.4;       // the force is met to about 0.6 % on average
constexpr double kLeastNodes = 48.0;   // over the extent of points that are close together
constexpr double kMostNodes = 2048.0;  // of points that have gone astray
constexpr std::int64_t kPointsOfTask = 2048;
constexpr double kNanosecondsOfPoint = 15.0;

class GridRepulsion : public Repulsion {
 public:
  double operator()(const Planes& points, Planes& forces, const Context& ctx) override {
    lay_out(points, ctx);
    place(points, ctx);
    sort_by_rows(points.size());
    const auto fill = [&](std::int64_t block, float* values) { spread(block, values); };
    const double all = (*convolution_)(height_, fill, fields_, ctx);
    const std::int64_t block_size = convolution_->full_width() * kFftElement;
    for_points(points.size(), ctx, [&](std::int64_t begin, std::int64_t end) {
      GRAMIAN_DISPATCH(read_fields, begin, end, splines(0), splines(1), fields_.data(), block_size,
                       forces.plane(0), forces.plane(1));
    });
    return all - static_cast<double>(points.size());  // of each point with itself
  }

 private:
  // A spacing fine enough, halved as often as needed, and spectra for it if they are new.
  void lay_out(const Planes& points, const Context& ctx) {
    std::array<double, 2> extent{};
    for (int k = 0; k < 2; ++k) {
      const float* plane = points.plane(k);
      const auto [least, most] = std::minmax_element(plane, plane + points.size());
      low_[at(k)] = *least;
      extent[at(k)] = static_cast<double>(*most) - static_cast<double>(*least);
    }
    const double most = std::max(extent[0], extent[1]);
    double spacing = kSpacing;
    for (int halved = 0; halved < 60 && most < kLeastNodes * spacing; ++halved) spacing /= 2.0;
    while (most > kMostNodes * spacing) spacing *= 2.0;
    inverse_spacing_ = static_cast<float>(1.0 / spacing);
    const auto nodes = [&](double length) {
      return static_cast<std::int64_t>(length / spacing) + kSplineNodes + 1;
    };
    height_ = nodes(extent[1]);
    if (!convolution_ || !convolution_->suits(spacing, nodes(extent[0]), height_))
      convolution_ = std::make_unique<Convolution>(spacing, nodes(extent[0]), height_, ctx);
  }

  template <class Function>
  void for_points(std::int64_t n, const Context& ctx, const Function& function) const {
    const Chunks chunks = Chunks::of_rows(n, kPointsOfTask);
    const double cost_ns = kNanosecondsOfPoint * static_cast<double>(n);
    parallel_for(ctx, chunks.count(), cost_ns,
                 [&](std::int64_t chunk) { function(chunks.begin(chunk), chunks.end(chunk)); });
  }

  void place(const Planes& points, const Context& ctx) {
    for (std::size_t k = 0; k < 2; ++k) {
      first_[k].resize(at(points.size()));
      values_[k].resize(at(points.size() * kSplineNodes));
    }
    for_points(points.size(), ctx, [&](std::int64_t begin, std::int64_t end) {
      for (int k = 0; k < 2; ++k)
        GRAMIAN_DISPATCH(place_splines, points.plane(k) + begin, end - begin, low_[at(k)],
                         inverse_spacing_, first_[at(k)].data() + begin,
                         values_[at(k)].data() + begin * kSplineNodes);
    });
  }

  Splines splines(std::size_t k) const { return {first_[k].data(), values_[k].data()}; }

  // The numbers of the points by the block of rows in which their splines begin.
  void sort_by_rows(std::int64_t n) {
    const std::int64_t n_blocks = (height_ + kRowsOfBlock - 1) / kRowsOfBlock;
    const auto block_of = [&](std::int64_t i) { return first_[1][at(i)] / kRowsOfBlock; };
    starts_.assign(at(n_blocks + 2), 0);
    for (std::int64_t i = 0; i < n; ++i) ++starts_[at(block_of(i) + 2)];
    for (std::size_t b = 2; b < starts_.size(); ++b) starts_[b] += starts_[b - 1];
    order_.resize(at(n));
    for (std::int64_t i = 0; i < n; ++i)
      order_[at(starts_[at(block_of(i) + 1)]++)] = static_cast<std::int32_t>(i);
  }

  // The charges of a block's rows, of splines that begin there or in the block before.
  void spread(std::int64_t block, float* values) const {
    std::fill_n(values, convolution_->full_width() * kRowsOfBlock, 0.0f);
    const std::int64_t begin = starts_[at(std::max<std::int64_t>(block - 1, 0))];
    const std::int64_t end = starts_[at(block + 1)];
    GRAMIAN_DISPATCH(spread_charges, order_.data() + begin, end - begin, splines(0), splines(1),
                     block * kRowsOfBlock, values);
  }

  std::unique_ptr<Convolution> convolution_;
  std::array<float, 2> low_{};
  float inverse_spacing_ = 1.0f;
  std::int64_t height_ = 0;
  Buffer<float> fields_;
  std::vector<std::int64_t> starts_;
  std::vector<std::int32_t> order_;
  std::array<std::vector<std::int32_t>, 2> first_;
  std::array<std::vector<float>, 2> values_;
};

}  // namespace

std::unique_ptr<Repulsion> grid_repulsion() { return std::make_unique<GridRepulsion>(); }

}  // namespace gramian::manifold
