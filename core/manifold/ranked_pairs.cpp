#include "manifold/ranked_pairs.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/ordered_bits.hpp"
#include "metrics/radix_sort.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::manifold {
namespace {

constexpr std::int64_t kChunk = std::int64_t{1} << 14;  // of pairs, or ranks
constexpr double kNanosecondsOfPlace = 5.0;             // somewhere in a large matrix
constexpr double kRounding = 1e-15;                     // relative: of some roundings

struct Pair {
  std::uint64_t key;
  std::int64_t place;
};

// Pairs in the order of their places, so that a stable sort leaves ties in it.
Buffer<Pair> positive_pairs(MatrixView<const double> D, const Context& ctx) {
  std::int64_t n_pairs = 0;
  for (std::int64_t i = 0; i < D.n_rows; ++i)
    for (std::int64_t j = i + 1; j < D.n_cols; ++j) n_pairs += D(i, j) > 0.0 ? 1 : 0;
  Buffer<Pair> pairs(n_pairs);
  std::int64_t next = 0;
  for (std::int64_t i = 0; i < D.n_rows; ++i) {
    ctx.check();
    for (std::int64_t j = i + 1; j < D.n_cols; ++j)
      if (D(i, j) > 0.0) pairs[next++] = {ordered_bits(D(i, j)), i * D.n_cols + j};
  }
  return pairs;
}

void sort_pairs(Buffer<Pair>& pairs, const Context& ctx) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max(), most = 0;
  for (const Pair& pair : pairs) {
    least = std::min(least, pair.key);
    most = std::max(most, pair.key);
  }
  const auto key = [&](const Pair& pair) { return pair.key - least; };
  const metrics::RadixSort<Pair, decltype(key)> sort(key, ctx);
  Buffer<Pair> scratch(pairs.size());
  const auto n_bits = static_cast<int>(std::bit_width(most - least));
  sort(pairs.data(), scratch.data(), pairs.size(), n_bits);
}

}  // namespace

RankedPairs::RankedPairs(MatrixView<const double> dissimilarities, const Context& ctx)
    : n_points_(dissimilarities.n_rows) {
  Buffer<Pair> pairs = positive_pairs(dissimilarities, ctx);
  if (pairs.size() > 0) sort_pairs(pairs, ctx);
  places_.reserve(at(pairs.size()));
  starts_.reserve(at(pairs.size()) + 1);
  double first = 0.0;
  for (std::int64_t k = 0; k < pairs.size(); ++k) {
    if (k % kChunk == 0) ctx.check();
    const double value = from_ordered_bits(pairs[k].key);
    if (k == 0 || value - first > kRounding * first) {
      starts_.push_back(k);
      first = value;
    }
    places_.push_back(pairs[k].place);
  }
  starts_.push_back(pairs.size());
}

template <class Function>
void RankedPairs::for_each_rank(const Context& ctx, double ns_of_pair, const Function& fn) const {
  const Chunks chunks = Chunks::of_rows(n_ranks(), kChunk);
  const double cost_ns = ns_of_pair * static_cast<double>(places_.size());
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t chunk) {
    for (std::int64_t r = chunks.begin(chunk); r < chunks.end(chunk); ++r) {
      const std::span all(places_);
      const std::size_t begin = at(starts_[at(r)]), n_pairs = at(starts_[at(r + 1)]) - begin;
      if (n_pairs > at(kChunk)) ctx.check();
      fn(at(r), all.subspan(begin, n_pairs));
    }
  });
}

void RankedPairs::means(MatrixView<const double> values, std::span<double> means,
                        std::span<double> counts, const Context& ctx) const {
  for_each_rank(ctx, kNanosecondsOfPlace, [&](std::size_t r, std::span<const std::int64_t> places) {
    double sum = 0.0;
    for (const std::int64_t place : places) sum += values.data[place];
    counts[r] = static_cast<double>(places.size());
    means[r] = sum / counts[r];
  });
}

void RankedPairs::spread(std::span<const double> of_rank, double scale, MatrixView<double> out,
                         const Context& ctx) const {
  for_each_rank(ctx, 3.0 * kNanosecondsOfPlace,
                [&](std::size_t r, std::span<const std::int64_t> places) {
                  const double value = scale * of_rank[r];
                  for (const std::int64_t place : places) {
                    out.data[place] = value;
                    out.data[place % n_points_ * n_points_ + place / n_points_] = value;
                  }
                });
}

}  // namespace gramian::manifold
