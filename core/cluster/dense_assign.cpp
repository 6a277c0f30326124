#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/index.hpp"
#include "cluster/assign.hpp"
#include "cluster/centroid_kernel.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::cluster {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUp = 1.0 + 0x1p-48;  // rounding of a bound's few operations
constexpr double kDown = 1.0 - 0x1p-48;
constexpr std::int64_t kPanelsAtOnce = 48;
constexpr std::int64_t kMostCompared = 4096;  // centres, whose distances from each other pay

std::int64_t n_panels_of(std::int64_t n_rows) { return (n_rows + kRowLanes - 1) / kRowLanes; }

}  // namespace

template <class T>
DenseAssigner<T>::DenseAssigner(MatrixView<const T> X, MatrixView<const T> near, const Context& ctx)
    : DenseAssigner(X, distance::FilterRows<T>::frame_of(near, ctx), ctx) {}

template <class T>
DenseAssigner<T>::DenseAssigner(MatrixView<const T> X, distance::Frame frame, const Context& ctx)
    : X_(X),
      frame_(std::move(frame)),
      panels_(n_panels_of(X.n_rows) * kRowLanes * X.n_cols),
      norms_(n_panels_of(X.n_rows) * kRowLanes),
      upper_(X.n_rows),
      lower_(X.n_rows) {
  const Chunks chunks = Chunks::of_rows(n_panels_of(X.n_rows), 64);
  const double cost_ns = static_cast<double>(X.n_rows * X.n_cols);
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t task) {
    for (std::int64_t v = chunks.begin(task); v < chunks.end(task); ++v) pack_panel(v);
  });
}

template <class T>
void DenseAssigner<T>::pack_panel(std::int64_t panel) {
  float* out = panels_.data() + panel * kRowLanes * X_.n_cols;
  const std::int64_t first = panel * kRowLanes;
  const T* rows[kRowLanes];  // past the last one that row again, which nobody reads
  for (std::int64_t l = 0; l < kRowLanes; ++l)
    rows[l] = X_.data + std::min(first + l, X_.n_rows - 1) * X_.row_stride;
  double squares[kRowLanes] = {};
  for (std::int64_t k = 0; k < X_.n_cols; ++k) {
    const double shift = frame_.shift[at(k)];
    for (std::int64_t l = 0; l < kRowLanes; ++l) {
      const double value = (static_cast<double>(rows[l][k]) - shift) * frame_.scale;
      out[k * kRowLanes + l] = static_cast<float>(value);
      squares[l] += value * value;
    }
  }
  std::copy_n(squares, kRowLanes, norms_.data() + first);
}

template <class T>
void DenseAssigner<T>::set_centres(MatrixView<const T> centres,
                                   const std::vector<double>* squared_moves, const Context& ctx) {
  given_ = centres;
  centres_.clear();
  centres_.emplace_back(centres, frame_, ctx);
  has_bounds_ = squared_moves != nullptr && centres_.front().is_usable();
  if (has_bounds_) find_moves(*squared_moves, ctx);
}

template <class T>
void DenseAssigner<T>::find_moves(const std::vector<double>& squared_moves, const Context& ctx) {
  const std::int64_t n_centres = given_.n_rows;
  moves_.assign(at(n_centres), {});
  double most = 0.0, next_most = 0.0;
  std::int64_t farthest = -1;
  for (std::int64_t c = 0; c < n_centres; ++c) {
    const double moved = std::sqrt(squared_moves[at(c)]) * frame_.scale * kUp;
    moves_[at(c)].moved = moved;
    next_most = std::max(next_most, std::min(moved, most));
    if (moved > most) farthest = c;
    most = std::max(most, moved);
  }
  for (std::int64_t c = 0; c < n_centres; ++c)
    moves_[at(c)].others_moved = c == farthest ? next_most : most;
  if (n_centres > kMostCompared || 4 * n_centres > X_.n_rows) return;
  const distance::RowsOf<T> rows{given_.data, given_.row_stride, given_.n_cols};
  const double cost_ns = 0.5 * static_cast<double>(n_centres * n_centres * given_.n_cols);
  parallel_for(ctx, n_centres, cost_ns, [&](std::int64_t c) {
    std::vector<double> x(at(given_.n_cols)), squares(at(n_centres));
    for (std::int64_t k = 0; k < given_.n_cols; ++k) x[at(k)] = static_cast<double>(given_(c, k));
    GRAMIAN_DISPATCH(squared_distances, x.data(), rows, static_cast<std::int32_t*>(nullptr), 0,
                     n_centres, squares.data());
    squares[at(c)] = kInfinity;
    const double least = *std::min_element(squares.begin(), squares.end());
    moves_[at(c)].half_apart = 0.5 * std::sqrt(least) * frame_.scale * kDown;
  });
}

template <class T>
std::int64_t DenseAssigner<T>::assign(std::int64_t begin, std::int64_t end,
                                      std::span<std::int32_t> labels) const {
  TileRoom room;
  find_active(begin, end, labels, room);
  const auto n_active = static_cast<std::int64_t>(room.active.size());
  // Most of the rows: all of them, as they are packed, are quicker than the active ones gathered.
  if (4 * n_active > 3 * (end - begin)) {
    room.active.resize(at(end - begin));
    for (std::int64_t i = begin; i < end; ++i)
      room.active[at(i - begin)] = static_cast<std::int32_t>(i - begin);
  }
  score(begin, end, room);
  std::int64_t n_changed = 0;
  for (std::size_t place = 0; place < room.active.size(); ++place) {
    const std::int64_t row = begin + room.active[place];
    const std::int32_t label = settle(row, static_cast<std::int64_t>(place), room);
    n_changed += label != labels[at(row)] ? 1 : 0;
    labels[at(row)] = label;
  }
  return n_changed;
}

// Moves the bounds with the centres, and lists the rows that they leave open.
template <class T>
void DenseAssigner<T>::find_active(std::int64_t begin, std::int64_t end,
                                   std::span<const std::int32_t> labels, TileRoom& room) const {
  room.active.resize(at(end - begin));
  if (!has_bounds_) {
    std::iota(room.active.begin(), room.active.end(), 0);
    return;
  }
  const CentreMove* moves = moves_.data();
  double *upper = upper_.data() + begin, *lower = lower_.data() + begin;
  std::int32_t* active = room.active.data();
  std::size_t n = 0;
  for (std::int64_t i = 0; i < end - begin; ++i) {
    const CentreMove& own = moves[labels[at(begin + i)]];
    const double above = (upper[i] + own.moved) * kUp, before = lower[i];
    const double below = (before - own.others_moved) * (before > own.others_moved ? kDown : kUp);
    upper[i] = above;
    lower[i] = below;
    active[n] = static_cast<std::int32_t>(i);
    n += above < std::max(below, own.half_apart) ? 0 : 1;
  }
  room.active.resize(n);
}

// The nearest two centres of the active rows, place by place.
template <class T>
void DenseAssigner<T>::score(std::int64_t begin, std::int64_t end, TileRoom& room) const {
  const auto n_active = static_cast<std::int64_t>(room.active.size());
  const std::int64_t n_panels = n_panels_of(n_active), p = X_.n_cols;
  room.best = Buffer<float>(n_panels * kRowLanes);
  room.second = Buffer<float>(n_panels * kRowLanes);
  room.centre = Buffer<float>(n_panels * kRowLanes);
  const distance::FilterRows<T>& centres = centres_.front();
  if (!centres.is_usable()) return;
  const bool is_whole = n_active == end - begin;
  const float* packed = panels_.data() + begin * p;
  if (!is_whole) room.panels = Buffer<float>::zeros(kPanelsAtOnce * kRowLanes * p);
  for (std::int64_t first = 0; first < n_panels; first += kPanelsAtOnce) {
    const std::int64_t count = std::min(kPanelsAtOnce, n_panels - first);
    const std::int64_t offset = first * kRowLanes;
    for (std::int64_t i = 0; !is_whole && i < std::min(count * kRowLanes, n_active - offset); ++i) {
      const std::int64_t row = room.active[at(offset + i)];
      const float* from = packed + row / kRowLanes * kRowLanes * p + row % kRowLanes;
      float* to = room.panels.data() + i / kRowLanes * kRowLanes * p + i % kRowLanes;
      for (std::int64_t k = 0; k < p; ++k) to[k * kRowLanes] = from[k * kRowLanes];
    }
    const float* x = is_whole ? packed + offset * p : room.panels.data();
    const CentreScores scores{x, centres.panels(), centres.half_norms(), count, p, given_.n_rows};
    GRAMIAN_DISPATCH(nearest_two, scores,
                     NearestTwo{room.best.data() + offset, room.second.data() + offset,
                                room.centre.data() + offset});
  }
}

// The centre that the scores prove, or the one that float64 finds; sets the bounds.
template <class T>
std::int32_t DenseAssigner<T>::settle(std::int64_t row, std::int64_t place, TileRoom& room) const {
  const distance::FilterRows<T>& centres = centres_.front();
  constexpr double kLargestSquare = 0x1p80;
  if (!centres.is_usable() || !(norms_[row] <= kLargestSquare)) return settle_exactly(row, room);
  const double best = static_cast<double>(room.best[place]);
  const double second = static_cast<double>(room.second[place]);
  const auto centre = static_cast<std::int32_t>(room.centre[place]);
  const double lost = 0.5 * centres.beta() * norms_[row] + centres.tiny_loss();
  const double above = best + centres.slack(centre) + lost;
  if (!(above < second - lost)) return settle_exactly(row, room);
  const double half = 0.5 * norms_[row];
  upper_[row] = std::sqrt(std::max(2.0 * (half + above), 0.0)) * kUp + 0x1p-500;
  lower_[row] = std::sqrt(std::max(2.0 * (half + second - lost) * kDown, 0.0)) * kDown;
  return centre;
}

template <class T>
std::int32_t DenseAssigner<T>::settle_exactly(std::int64_t row, TileRoom& room) const {
  const std::int64_t n_centres = given_.n_rows, p = X_.n_cols;
  room.distances.resize(at(n_centres + p));
  double* x = room.distances.data() + n_centres;
  for (std::int64_t k = 0; k < p; ++k) x[k] = static_cast<double>(X_(row, k));
  const distance::RowsOf<T> rows{given_.data, given_.row_stride, p};
  GRAMIAN_DISPATCH(squared_distances, x, rows, static_cast<std::int32_t*>(nullptr), 0, n_centres,
                   room.distances.data());
  double best = kInfinity, second = kInfinity;
  std::int32_t nearest = 0;
  for (std::int64_t c = 0; c < n_centres; ++c) {
    const double squared = room.distances[at(c)];
    second = std::min(second, std::max(best, squared));
    if (squared < best) nearest = static_cast<std::int32_t>(c);
    best = std::min(best, squared);
  }
  const double rounding = static_cast<double>(p + 4) * 0x1p-52;
  upper_[row] = std::sqrt(best) * frame_.scale * (1.0 + rounding) + 0x1p-500;
  lower_[row] = std::sqrt(second) * frame_.scale * (1.0 - rounding);
  return nearest;
}

template <class T>
double DenseAssigner<T>::squared_distance(std::int64_t i, std::int64_t centre) const {
  return GRAMIAN_DISPATCH(squared_apart, X_.data + i * X_.row_stride,
                          given_.data + centre * given_.row_stride, X_.n_cols);
}

template <class T>
double DenseAssigner<T>::step_cost_ns() const {
  const auto entries = static_cast<double>(X_.n_rows * X_.n_cols);
  return entries * (0.5 + 0.02 * static_cast<double>(given_.n_rows)) +
         10.0 * static_cast<double>(X_.n_rows);
}

template class DenseAssigner<float>;
template class DenseAssigner<double>;

}  // namespace gramian::cluster
