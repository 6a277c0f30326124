#include "linkage/distances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "linkage/linkage_kernel.hpp"

namespace gramian::linkage {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_reducible(Method method) { return method != Method::centroid && method != Method::median; }

}  // namespace

Distances::Distances(Triangle& triangle, Method method, const Context& ctx)
    : triangle_(triangle),
      method_(method),
      is_squared_(method == Method::ward || !is_reducible(method)),
      slots_(triangle.n()),
      sizes_(at(triangle.n()), 1.0),
      nearest_(at(triangle.n()), kNoSlot),
      score_of_nearest_(at(triangle.n()), kInfinity),
      row_(at(triangle.n())),
      other_row_(at(triangle.n())) {
  triangle.nearest_of_all(nearest_, score_of_nearest_, ctx);
}

void Distances::read(std::int64_t place, double* out) const {
  triangle_.read_row(place, out);
  for (const std::int64_t unused : slots_.unused()) out[unused] = kInfinity;
  out[place] = kInfinity;
}

void Distances::find_nearest(std::int64_t place, const double* row) {
  double least = kInfinity;
  std::int64_t found = GRAMIAN_DISPATCH(least_entry, row, slots_.n_places(), &least);
  if (!(least < kInfinity))  // all are infinite
    for (found = 0; found == place || !slots_.is_active(slots_.slot_at(found));) ++found;
  nearest_[at(place)] = slots_.slot_at(found);
  score_of_nearest_[at(place)] = least;
}

Nearest Distances::nearest(std::int64_t slot, std::int64_t preferred, const Context&) {
  const std::int64_t place = slots_.place_of(slot);
  const std::int64_t known = nearest_[at(place)];
  if (known == kNoSlot || !slots_.is_active(known)) {
    read(place, row_.data());
    find_nearest(place, row_.data());
  }
  const Nearest found{nearest_[at(place)], score_of_nearest_[at(place)]};
  if (preferred == kNoSlot) return found;
  const double score = triangle_(place, slots_.place_of(preferred));
  return found.score < score ? found : Nearest{preferred, score};
}

void Distances::score_all(std::int64_t slot, std::span<double> out, const Context&) {
  read(slots_.place_of(slot), out.data());
}

// row_ becomes the row of the union of the clusters of row_ and other_row_.
void Distances::combine(double size, double other_size, double score) {
  const std::int64_t n = slots_.n_places();
  double* row = row_.data();
  const double* other = other_row_.data();
  const double total = size + other_size;
  switch (method_) {
    case Method::single:
      for (std::int64_t i = 0; i < n; ++i) row[i] = std::min(row[i], other[i]);
      break;
    case Method::complete:
      GRAMIAN_DISPATCH(larger_of_each, row, other, n);
      break;
    case Method::average:
      GRAMIAN_DISPATCH(mean_of_each, row, other, size, other_size, n);
      break;
    case Method::weighted:
      GRAMIAN_DISPATCH(mean_of_each, row, other, 1.0, 1.0, n);
      break;
    case Method::ward:
      for (std::int64_t i = 0; i < n; ++i) {
        const double third = sizes_[at(i)];
        row[i] = ((size + third) * row[i] + (other_size + third) * other[i] - third * score) /
                 (total + third);
      }
      break;
    case Method::centroid:
    case Method::median: {
      const double share = method_ == Method::median ? 0.5 : size / total;
      const double moved = share * (1.0 - share) * score;
      for (std::int64_t i = 0; i < n; ++i)
        row[i] = share * row[i] + (1.0 - share) * other[i] - moved;
    }
  }
}

void Distances::merge(std::int64_t first, std::int64_t second, double score, const Context& ctx) {
  const std::int64_t from = slots_.place_of(first), to = slots_.place_of(second);
  read(to, row_.data());
  read(from, other_row_.data());
  combine(sizes_[at(to)], sizes_[at(from)], score);
  sizes_[at(to)] += sizes_[at(from)];
  slots_.leave(first);
  if (slots_.n_active() == 1) return;
  row_[at(from)] = row_[at(to)] = kInfinity;
  triangle_.write_row(to, row_.data());
  find_nearest(to, row_.data());
  for (std::int64_t i = 0; i < slots_.n_places(); ++i) {
    const bool is_nearer = row_[at(i)] < score_of_nearest_[at(i)];
    const bool is_first = row_[at(i)] == score_of_nearest_[at(i)] && second < nearest_[at(i)];
    if (nearest_[at(i)] == second) nearest_[at(i)] = kNoSlot;
    if (!(is_nearer || is_first) || i == to) continue;
    nearest_[at(i)] = second;
    score_of_nearest_[at(i)] = row_[at(i)];
  }
  if (slots_.should_compact()) compact(ctx);
}

void Distances::compact(const Context& ctx) {
  const std::vector<std::int64_t> kept = slots_.compact();
  triangle_.keep(kept, ctx);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    sizes_[i] = sizes_[at(kept[i])];
    nearest_[i] = nearest_[at(kept[i])];
    score_of_nearest_[i] = score_of_nearest_[at(kept[i])];
  }
}

}  // namespace gramian::linkage
