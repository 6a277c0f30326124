#include "linkage/centroids.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "linkage/linkage_kernel.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::linkage {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kGroup = 4;

std::int64_t blocks_for(std::int64_t n) {
  return (n + kGroup * kScanLanes - 1) / (kGroup * kScanLanes) * kGroup;
}

// The medians of the columns: near the bulk of the rows, so that differences between them keep
// their digits beside far ones.
template <class T>
std::vector<double> middle_of(MatrixView<const T> X, const Context& ctx) {
  std::vector<double> middle(at(X.n_cols)), column(at(X.n_rows));
  for (std::int64_t k = 0; k < X.n_cols; ++k) {
    ctx.check();
    for (std::int64_t i = 0; i < X.n_rows; ++i) column[at(i)] = static_cast<double>(X(i, k));
    const auto half = column.begin() + X.n_rows / 2;
    std::nth_element(column.begin(), half, column.end());
    middle[at(k)] = *half;
  }
  return middle;
}

// The power of two by which the longest row becomes at most 1.
template <class T>
double scale_of(MatrixView<const T> X, std::span<const double> middle) {
  double longest = 0.0;
  for (std::int64_t i = 0; i < X.n_rows; ++i) {
    double square = 0.0;
    for (std::int64_t k = 0; k < X.n_cols; ++k) {
      const double entry = static_cast<double>(X(i, k)) - middle[at(k)];
      square += entry * entry;
    }
    longest = std::max(longest, square);
  }
  if (!(longest > 0.0) || longest == kInfinity) return 1.0;
  return std::ldexp(1.0, std::clamp(-std::ilogb(std::sqrt(longest)) - 1, -1000, 1000));
}

}  // namespace

template <class T>
Centroids::Centroids(MatrixView<const T> X, Centre centre, const Context& ctx)
    : centre_(centre),
      p_(X.n_cols),
      n_blocks_(blocks_for(X.n_rows)),
      slots_(X.n_rows),
      wide_(n_blocks_ * kLanes * p_),
      narrow_(n_blocks_ * kLanes * p_),
      sizes_(n_blocks_ * kLanes),
      narrow_sizes_(n_blocks_ * kLanes),
      scores_(n_blocks_ * kLanes),
      found_(at(n_blocks_) + 1),
      query_(at(p_)),
      narrow_query_(at(p_)) {
  const std::vector<double> middle = middle_of(X, ctx);
  ctx.check();
  scale_ = scale_of(X, middle);
  for (std::int64_t i = 0; i < n_blocks_ * kLanes; ++i) {
    if (i % 4096 == 0) ctx.check();
    if (i >= X.n_rows) {
      clear(i);
      continue;
    }
    for (std::int64_t k = 0; k < p_; ++k)
      query_[at(k)] = static_cast<double>(X(i, k)) - middle[at(k)];
    set(i, query_.data(), 1.0);
  }
}

double Centroids::height(double score) const {
  return std::sqrt(centre_ == Centre::ward ? 2.0 * score : score);
}

void Centroids::set(std::int64_t place, const double* centre, double size) {
  for (std::int64_t k = 0; k < p_; ++k) {
    wide(place)[k * kLanes] = centre[k];
    narrow(place)[k * kLanes] = static_cast<float>(centre[k] * scale_);
  }
  sizes_[place] = size;
  narrow_sizes_[place] = static_cast<float>(size);
}

void Centroids::clear(std::int64_t place) {
  std::vector<double> nowhere(at(p_), kInfinity);
  set(place, nowhere.data(), 1.0);
}

void Centroids::take_query(std::int64_t place) {
  for (std::int64_t k = 0; k < p_; ++k) {
    query_[at(k)] = wide(place)[k * kLanes];
    narrow_query_[at(k)] = narrow(place)[k * kLanes];
  }
}

float Centroids::scan(double size, const Context& ctx) {
  const float* sizes = centre_ == Centre::ward ? narrow_sizes_.data() : nullptr;
  const auto scan_blocks = [&](std::int64_t first, std::int64_t n) {
    return GRAMIAN_DISPATCH(scan_narrow, narrow_query_.data(), static_cast<float>(size),
                            narrow_.data() + first * kLanes * p_,
                            sizes ? sizes + first * kLanes : nullptr, n, p_,
                            scores_.data() + first * kLanes);
  };
  constexpr std::int64_t kBlocksOfTask = 1024;
  if (n_blocks_ < 4 * kBlocksOfTask) return scan_blocks(0, n_blocks_);
  const std::int64_t n_tasks = (n_blocks_ + kBlocksOfTask - 1) / kBlocksOfTask;
  std::vector<float> least(at(n_tasks));
  const double cost_ns = 0.8 * static_cast<double>(n_blocks_ * (p_ + 4));
  parallel_for(ctx, n_tasks, cost_ns, [&](std::int64_t task) {
    const std::int64_t first = task * kBlocksOfTask;
    least[at(task)] = scan_blocks(first, std::min(kBlocksOfTask, n_blocks_ - first));
  });
  return *std::min_element(least.begin(), least.end());
}

float Centroids::limit_for(float least, double size) const {
  constexpr double kUnit = 0x1p-24;
  const double g = static_cast<double>(p_ + 8) * kUnit;
  const double h = 4.0 * kUnit * (centre_ == Centre::ward ? std::sqrt(size) : 1.0);
  const double bound = std::sqrt(static_cast<double>(least)) * (1.0 + g) + h;
  const double limit = (bound + h) / (1.0 - g);
  return std::nextafter(static_cast<float>(limit * limit), std::numeric_limits<float>::infinity());
}

Nearest Centroids::nearest(std::int64_t slot, std::int64_t preferred, const Context& ctx) {
  const std::int64_t place = slots_.place_of(slot);
  const double size = size_at(place);
  take_query(place);
  *wide(place) = kInfinity;  // a cluster is not its own neighbour
  *narrow(place) = std::numeric_limits<float>::infinity();
  const float limit = limit_for(scan(size, ctx), size);
  const std::int64_t n_found =
      GRAMIAN_DISPATCH(find_blocks, scores_.data(), n_blocks_, limit, found_.data());
  std::int64_t best = kNoSlot;
  double least = kInfinity;
  alignas(kCacheLine) double scores[kScanLanes];
  const auto score_block = [&](std::int64_t block) {
    GRAMIAN_DISPATCH(scan_wide, query_.data(), size, wide_.data() + block * kLanes * p_,
                     weights(block), p_, scores);
  };
  for (std::int64_t i = 0; i < n_found; ++i) {
    score_block(found_[at(i)]);
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      if (!(scores[lane] < least)) continue;
      least = scores[lane];
      best = found_[at(i)] * kLanes + lane;
    }
  }
  if (preferred != kNoSlot) {
    const std::int64_t other = slots_.place_of(preferred);
    score_block(other / kLanes);
    if (!(least < scores[other % kLanes])) {
      best = other;
      least = scores[other % kLanes];
    }
  }
  *wide(place) = query_[0];
  *narrow(place) = narrow_query_[0];
  if (best == kNoSlot)  // all distances overflow
    for (best = 0; best == place || !slots_.is_active(slots_.slot_at(best));) ++best;
  return {slots_.slot_at(best), least};
}

void Centroids::score_all(std::int64_t slot, std::span<double> out, const Context& ctx) {
  const std::int64_t place = slots_.place_of(slot);
  const double size = size_at(place);
  take_query(place);
  const Chunks chunks = Chunks::of_rows((slots_.n_places() + kLanes - 1) / kLanes, 1024);
  const double cost_ns = 2.0 * static_cast<double>(n_blocks_ * (p_ + 4));
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t task) {
    for (std::int64_t block = chunks.begin(task); block < chunks.end(task); ++block)
      GRAMIAN_DISPATCH(scan_wide, query_.data(), size, wide_.data() + block * kLanes * p_,
                       weights(block), p_, out.data() + block * kLanes);
  });
  out[at(place)] = kInfinity;
}

void Centroids::merge(std::int64_t first, std::int64_t second, double, const Context& ctx) {
  const std::int64_t from = slots_.place_of(first), to = slots_.place_of(second);
  const double total = size_at(from) + size_at(to);
  const double share = centre_ == Centre::median ? 0.5 : size_at(from) / total;
  for (std::int64_t k = 0; k < p_; ++k) {
    const double at_second = wide(to)[k * kLanes];
    query_[at(k)] = at_second + share * (wide(from)[k * kLanes] - at_second);
  }
  set(to, query_.data(), total);
  clear(from);
  slots_.leave(first);
  if (slots_.should_compact()) compact(ctx);
}

void Centroids::compact(const Context& ctx) {
  ctx.check();
  const std::vector<std::int64_t> kept = slots_.compact();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    take_query(kept[i]);
    set(static_cast<std::int64_t>(i), query_.data(), size_at(kept[i]));
  }
  const auto n = static_cast<std::int64_t>(kept.size());
  n_blocks_ = blocks_for(n);
  for (std::int64_t place = n; place < n_blocks_ * kLanes; ++place) clear(place);
}

template Centroids::Centroids(MatrixView<const float>, Centre, const Context&);
template Centroids::Centroids(MatrixView<const double>, Centre, const Context&);

}  // namespace gramian::linkage
