#include "manifold/attraction.hpp"

#include "base/index.hpp"
#include "parallel/tiles.hpp"

namespace gramian::manifold {
namespace {

constexpr std::int64_t kTileRows = 128;
constexpr double kNanosecondsOfPair = 1.0;

PointPlanes view(const Planes& points) {
  return {points.data(), points.stride(), points.n_planes()};
}

template <class OfRow>
double sum_over_rows(const Affinities& affinities, const OfRow& of_row, const Context& ctx) {
  const double cost_ns = 3.0 * kNanosecondsOfPair * static_cast<double>(affinities.n_pairs());
  return parallel_reduce(
      ctx, Tiles::of_rows(affinities.n_rows(), kTileRows), cost_ns,
      [&](std::int64_t begin, std::int64_t end) {
        double sum = 0.0;
        for (std::int64_t i = begin; i < end; ++i) sum += of_row(i);
        return sum;
      },
      [](double& total, double next) { total += next; });
}

}  // namespace

AffinityRow Affinities::row(std::int64_t i) const {
  if (all.data != nullptr) return {all.row(i).data(), nullptr, all.n_cols};
  const std::size_t begin = at(starts[at(i)]);
  return {values.data() + begin, places.data() + begin, starts[at(i + 1)] - starts[at(i)]};
}

std::int64_t Affinities::n_rows() const {
  return all.data != nullptr ? all.n_rows : static_cast<std::int64_t>(starts.size()) - 1;
}

std::int64_t Affinities::n_pairs() const {
  return all.data != nullptr ? all.n_rows * all.n_cols : starts.back();
}

void attract_points(const Affinities& affinities, const Planes& points, Planes& forces,
                    const Context& ctx) {
  const Chunks chunks = Chunks::of_rows(points.size(), kTileRows);
  const double cost_ns = kNanosecondsOfPair * static_cast<double>(affinities.n_pairs());
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t chunk) {
    for (std::int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i)
      GRAMIAN_DISPATCH(attract, view(points), i, affinities.row(i),
                       {forces.data(), forces.stride()});
  });
}

double negative_entropy_of(const Affinities& affinities, const Context& ctx) {
  const auto of_row = [&](std::int64_t i) {
    const AffinityRow row = affinities.row(i);
    return GRAMIAN_DISPATCH(negative_entropy, row.values, row.size);
  };
  return sum_over_rows(affinities, of_row, ctx);
}

double energy_of(const Affinities& affinities, const Planes& points, const Context& ctx) {
  const auto of_row = [&](std::int64_t i) {
    return GRAMIAN_DISPATCH(attraction_energy, view(points), i, affinities.row(i));
  };
  return sum_over_rows(affinities, of_row, ctx);
}

}  // namespace gramian::manifold
