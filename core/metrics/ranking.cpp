#include "metrics/ranking.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "metrics/order.hpp"
#include "metrics/radix_sort.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"

namespace gramian::metrics {
namespace {

constexpr std::int64_t kSplitChunk = std::int64_t{1} << 16;
constexpr std::int64_t kMergeChunk = std::int64_t{1} << 15;
constexpr double kMergeNs = 6.0;                    // per row, measured on random scores
constexpr std::int64_t kLongProblem = kSplitChunk;  // from here on, threads share one problem

template <class Key>
struct WeightedKey {
  Key key;
  double weight;
};

template <class Key>
Key key_of(Key key) {
  return key;
}
template <class Key>
Key key_of(const WeightedKey<Key>& value) {
  return value.key;
}

template <class Key>
double weight_of(Key) {
  return 1.0;
}
template <class Key>
double weight_of(const WeightedKey<Key>& value) {
  return value.weight;
}

// What one look at some rows tells about their keys, and how many there are of each class.
template <class Key>
struct Survey {
  Key lowest = std::numeric_limits<Key>::max();
  Key highest = 0;
  Key varying = 0;  // bits in which keys differ
  std::int64_t n_negative = 0;
  std::int64_t n_positive = 0;

  void add(const Survey& next) {
    lowest = std::min(lowest, next.lowest);
    highest = std::max(highest, next.highest);
    varying |= next.varying;
    n_negative += next.n_negative;
    n_positive += next.n_positive;
  }
};

// The rows of both classes in falling order of the score. Keys are stored as the distance from the
// smallest, without the low bits in which all agree: fewer digits to sort by.
template <class T, class Value>
class Ranked {
 public:
  using Key = typename Order<T>::Key;

  Ranked(const ScoredRows<T>& rows, const Context& ctx) : rows_(rows) {
    const Chunks chunks = Chunks::of_rows(rows.n, kSplitChunk);
    std::vector<Survey<Key>> surveys(static_cast<std::size_t>(chunks.count()));
    const double cost_ns = 2.0 * static_cast<double>(rows.n);
    parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t chunk) {
      surveys[static_cast<std::size_t>(chunk)] = look_at(chunks.begin(chunk), chunks.end(chunk));
    });
    Survey<Key> total;
    for (Survey<Key>& survey : surveys) {
      const Survey<Key> before = total;
      total.add(survey);
      survey.n_negative = before.n_negative;  // from here on: how many come before the chunk
      survey.n_positive = before.n_positive;
    }
    base_ = total.lowest;
    shift_ = total.varying ? std::countr_zero(total.varying) : 0;
    negatives_ = Buffer<Value>(total.n_negative);
    positives_ = Buffer<Value>(total.n_positive);
    parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t chunk) {
      split(chunks.begin(chunk), chunks.end(chunk), surveys[static_cast<std::size_t>(chunk)]);
    });
    if (total.n_negative + total.n_positive == 0) return;
    const auto n_bits =
        static_cast<int>(std::bit_width(static_cast<Key>((total.highest - base_) >> shift_)));
    const auto key = [](const Value& value) { return key_of(value); };
    const RadixSort<Value, decltype(key)> sort(key, ctx);
    Buffer<Value> scratch(std::max(total.n_negative, total.n_positive));
    sort(negatives_.data(), scratch.data(), total.n_negative, n_bits);
    sort(positives_.data(), scratch.data(), total.n_positive, n_bits);
  }

  const Buffer<Value>& negatives() const { return negatives_; }
  const Buffer<Value>& positives() const { return positives_; }
  T score(Key key) const { return Order<T>::score(static_cast<Key>((key << shift_) + base_)); }

 private:
  bool is_left_out(std::int64_t i) const {
    return !rows_.weight.empty() && rows_.weight[static_cast<std::size_t>(i)] == 0.0;
  }
  bool is_positive(std::int64_t i) const { return rows_.positive[i * rows_.positive_stride] != 0; }
  Key key(std::int64_t i) const { return Order<T>::key(rows_.score[i * rows_.score_stride]); }

  Survey<Key> look_at(std::int64_t begin, std::int64_t end) const {
    Survey<Key> survey;
    const Key first = key(0);
    for (std::int64_t i = begin; i < end; ++i) {
      if (is_left_out(i)) continue;
      const Key k = key(i);
      survey.lowest = std::min(survey.lowest, k);
      survey.highest = std::max(survey.highest, k);
      survey.varying |= k ^ first;
      survey.n_positive += is_positive(i);
      ++survey.n_negative;
    }
    survey.n_negative -= survey.n_positive;
    return survey;
  }

  // Writes the rows of a chunk behind those of the chunks before it.
  void split(std::int64_t begin, std::int64_t end, const Survey<Key>& before) {
    Value* const classes[2] = {negatives_.data() + before.n_negative,
                               positives_.data() + before.n_positive};
    std::int64_t n_written[2] = {0, 0};
    for (std::int64_t i = begin; i < end; ++i) {
      if (is_left_out(i)) continue;
      const std::size_t c = is_positive(i);
      const auto distance = static_cast<Key>(static_cast<Key>(key(i) - base_) >> shift_);
      if constexpr (std::is_same_v<Value, Key>)
        classes[c][n_written[c]++] = distance;
      else
        classes[c][n_written[c]++] = {distance, rows_.weight[static_cast<std::size_t>(i)]};
    }
  }

  ScoredRows<T> rows_;
  Key base_ = 0;
  int shift_ = 0;
  Buffer<Value> negatives_;
  Buffer<Value> positives_;
};

// A stretch of the merged classes, between two thresholds.
struct Stretch {
  std::int64_t negative, negative_end;
  std::int64_t positive, positive_end;
  double fps, tps;  // weight before it

  std::int64_t size() const { return negative_end - negative + positive_end - positive; }
};

template <class Value>
double sum_weights(const Buffer<Value>& values, std::int64_t begin, std::int64_t end) {
  if constexpr (std::is_integral_v<Value>) return static_cast<double>(end - begin);
  double sum = 0.0;
  for (std::int64_t i = begin; i < end; ++i) sum += weight_of(values[i]);
  return sum;
}

// Cuts the thresholds at every kMergeChunk-th row of the larger class. The last stretch is empty
// and holds the total weights.
template <class T, class Value>
std::vector<Stretch> cut(const Ranked<T, Value>& ranked, const Context& ctx) {
  const Buffer<Value>& negatives = ranked.negatives();
  const Buffer<Value>& positives = ranked.positives();
  const Buffer<Value>& larger = negatives.size() >= positives.size() ? negatives : positives;
  const auto first_from = [](const Buffer<Value>& values, auto key) {
    return std::lower_bound(values.data(), values.data() + values.size(), key,
                            [](const Value& v, auto k) { return key_of(v) < k; }) -
           values.data();
  };
  std::vector<Stretch> stretches;
  for (std::int64_t i = 0; i < larger.size(); i += kMergeChunk) {
    const auto key = i == 0 ? decltype(key_of(larger[0])){0} : key_of(larger[i]);
    stretches.push_back({first_from(negatives, key), 0, first_from(positives, key), 0, 0.0, 0.0});
  }
  stretches.push_back(
      {negatives.size(), negatives.size(), positives.size(), positives.size(), 0.0, 0.0});
  const auto n_stretches = static_cast<std::int64_t>(stretches.size()) - 1;
  std::vector<std::pair<double, double>> sums(static_cast<std::size_t>(n_stretches));
  const double cost_ns = static_cast<double>(negatives.size() + positives.size());
  parallel_for(ctx, n_stretches, cost_ns, [&](std::int64_t k) {
    Stretch& stretch = stretches[static_cast<std::size_t>(k)];
    const Stretch& next = stretches[static_cast<std::size_t>(k) + 1];
    stretch.negative_end = next.negative;
    stretch.positive_end = next.positive;
    sums[static_cast<std::size_t>(k)] = {
        sum_weights(negatives, stretch.negative, stretch.negative_end),
        sum_weights(positives, stretch.positive, stretch.positive_end)};
  });
  for (std::size_t k = 0; k < sums.size(); ++k) {
    stretches[k + 1].fps = stretches[k].fps + sums[k].first;
    stretches[k + 1].tps = stretches[k].tps + sums[k].second;
  }
  return stretches;
}

// Calls visit(key, fps, tps) after each distinct score of a stretch.
template <class T, class Value, class Visit>
void for_each_threshold(const Ranked<T, Value>& ranked, const Stretch& stretch, Visit&& visit) {
  const Value* negative = ranked.negatives().data() + stretch.negative;
  const Value* positive = ranked.positives().data() + stretch.positive;
  const Value* const negative_end = ranked.negatives().data() + stretch.negative_end;
  const Value* const positive_end = ranked.positives().data() + stretch.positive_end;
  double fps = stretch.fps;
  double tps = stretch.tps;
  while (negative != negative_end || positive != positive_end) {
    const bool is_negative = positive == positive_end ||
                             (negative != negative_end && key_of(*negative) <= key_of(*positive));
    const auto key = is_negative ? key_of(*negative) : key_of(*positive);
    for (; negative != negative_end && key_of(*negative) == key; ++negative)
      fps += weight_of(*negative);
    for (; positive != positive_end && key_of(*positive) == key; ++positive)
      tps += weight_of(*positive);
    visit(key, fps, tps);
  }
}

// sum_partial(stretch) of every stretch, added in their order.
template <class T, class Value, class SumPartial>
double sum_over_thresholds(const std::vector<Stretch>& stretches, const SumPartial& sum_partial,
                           const Context& ctx) {
  const auto n_stretches = static_cast<std::int64_t>(stretches.size()) - 1;
  std::int64_t n_rows = 0;
  for (const Stretch& stretch : stretches) n_rows += stretch.size();
  return parallel_reduce(
      ctx, Tiles::of_rows(n_stretches, 1), kMergeNs * static_cast<double>(n_rows),
      [&](std::int64_t begin, std::int64_t end) {
        return begin == end ? 0.0 : sum_partial(stretches[static_cast<std::size_t>(begin)]);
      },
      [](double& total, double next) { total += next; });
}

template <class T, class Value>
std::int64_t fill_counts(const ScoredRows<T>& rows, const ThresholdCounts<T>& out,
                         const Context& ctx) {
  const Ranked<T, Value> ranked(rows, ctx);
  const std::vector<Stretch> stretches = cut(ranked, ctx);
  const auto n_stretches = static_cast<std::int64_t>(stretches.size()) - 1;
  std::vector<std::int64_t> n_filled(static_cast<std::size_t>(n_stretches));
  // Every stretch writes where its rows begin; the gaps that ties leave are closed afterwards.
  const auto place_of = [&](std::int64_t k) {
    const Stretch& stretch = stretches[static_cast<std::size_t>(k)];
    return static_cast<std::size_t>(stretch.negative + stretch.positive);
  };
  parallel_for(ctx, n_stretches, kMergeNs * static_cast<double>(rows.n), [&](std::int64_t k) {
    std::size_t place = place_of(k);
    for_each_threshold(ranked, stretches[static_cast<std::size_t>(k)],
                       [&](auto key, double fps, double tps) {
                         out.thresholds[place] = ranked.score(key);
                         out.fps[place] = fps;
                         out.tps[place] = tps;
                         ++place;
                       });
    n_filled[static_cast<std::size_t>(k)] = static_cast<std::int64_t>(place - place_of(k));
  });
  std::int64_t n_thresholds = 0;
  for (std::int64_t k = 0; k < n_stretches; ++k) {
    const auto count = n_filled[static_cast<std::size_t>(k)];
    const auto close_gap = [&](auto values) {
      const auto from = values.begin() + static_cast<std::ptrdiff_t>(place_of(k));
      if (const auto to = values.begin() + n_thresholds; to != from)
        std::copy(from, from + count, to);
    };
    close_gap(out.thresholds);
    close_gap(out.fps);
    close_gap(out.tps);
    n_thresholds += count;
  }
  return n_thresholds;
}

template <class T, class Value>
double roc_area(const ScoredRows<T>& rows, double max_fpr, const Context& ctx) {
  const Ranked<T, Value> ranked(rows, ctx);
  const std::vector<Stretch> stretches = cut(ranked, ctx);
  const Stretch& total = stretches.back();
  if (!(total.fps > 0.0 && total.tps > 0.0)) return std::numeric_limits<double>::quiet_NaN();
  const double last_fps = max_fpr * total.fps;
  const auto sum_partial = [&](const Stretch& stretch) {
    double area = 0.0;
    double fps = stretch.fps;
    double tps = stretch.tps;
    for_each_threshold(ranked, stretch, [&](auto, double next_fps, double next_tps) {
      if (next_fps <= last_fps) {
        area += (next_fps - fps) * (tps + next_tps);
      } else if (fps < last_fps) {  // the segment that crosses max_fpr, up to there
        const double share = (last_fps - fps) / (next_fps - fps);
        area += (last_fps - fps) * (2.0 * tps + share * (next_tps - tps));
      }
      fps = next_fps;
      tps = next_tps;
    });
    return area;
  };
  return 0.5 * sum_over_thresholds<T, Value>(stretches, sum_partial, ctx) / total.fps / total.tps;
}

template <class T, class Value>
double average_precision(const ScoredRows<T>& rows, const Context& ctx) {
  const Ranked<T, Value> ranked(rows, ctx);
  const std::vector<Stretch> stretches = cut(ranked, ctx);
  const double total = stretches.back().tps;
  if (total == 0.0) return std::numeric_limits<double>::quiet_NaN();
  const auto sum_partial = [&](const Stretch& stretch) {
    double sum = 0.0;
    double tps = stretch.tps;
    for_each_threshold(ranked, stretch, [&](auto, double next_fps, double next_tps) {
      const double predicted = next_fps + next_tps;
      if (predicted != 0.0) sum += (next_tps - tps) * (next_tps / predicted);
      tps = next_tps;
    });
    return sum;
  };
  return sum_over_thresholds<T, Value>(stretches, sum_partial, ctx) / total;
}

// out[k] = metric(row k): one long problem after the other, each with all threads, or short ones
// side by side.
template <class T, class Metric>
void for_each_problem(MatrixView<const T> score, MatrixView<const std::uint8_t> positive,
                      std::span<const double> weight, std::span<double> out, const Metric& metric,
                      const Context& ctx) {
  const auto solve = [&](std::int64_t k) {
    out[static_cast<std::size_t>(k)] = metric(ScoredRows<T>{
        score.data + k * score.row_stride, score.col_stride,
        positive.data + k * positive.row_stride, positive.col_stride, score.n_cols, weight});
  };
  if (score.n_cols >= kLongProblem) {
    for (std::int64_t k = 0; k < score.n_rows; ++k) solve(k);
    return;
  }
  const double cost_ns = 20.0 * static_cast<double>(score.n_cols * score.n_rows);
  const Chunks chunks =
      Chunks::of_rows(score.n_rows, 1 + 4096 / std::max<std::int64_t>(score.n_cols, 1));
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t chunk) {
    for (std::int64_t k = chunks.begin(chunk); k < chunks.end(chunk); ++k) solve(k);
  });
}

}  // namespace

template <class T>
std::int64_t threshold_counts(const ScoredRows<T>& rows, const ThresholdCounts<T>& out,
                              const Context& ctx) {
  using Key = typename Order<T>::Key;
  return rows.weight.empty() ? fill_counts<T, Key>(rows, out, ctx)
                             : fill_counts<T, WeightedKey<Key>>(rows, out, ctx);
}

template <class T>
void roc_areas(MatrixView<const T> score, MatrixView<const std::uint8_t> positive,
               std::span<const double> weight, double max_fpr, std::span<double> out,
               const Context& ctx) {
  using Key = typename Order<T>::Key;
  const auto metric = [&](const ScoredRows<T>& rows) {
    return weight.empty() ? roc_area<T, Key>(rows, max_fpr, ctx)
                          : roc_area<T, WeightedKey<Key>>(rows, max_fpr, ctx);
  };
  for_each_problem(score, positive, weight, out, metric, ctx);
}

template <class T>
void average_precisions(MatrixView<const T> score, MatrixView<const std::uint8_t> positive,
                        std::span<const double> weight, std::span<double> out, const Context& ctx) {
  using Key = typename Order<T>::Key;
  const auto metric = [&](const ScoredRows<T>& rows) {
    return weight.empty() ? average_precision<T, Key>(rows, ctx)
                          : average_precision<T, WeightedKey<Key>>(rows, ctx);
  };
  for_each_problem(score, positive, weight, out, metric, ctx);
}

#define GRAMIAN_INSTANTIATE(T)                                                                 \
  template std::int64_t threshold_counts(const ScoredRows<T>&, const ThresholdCounts<T>&,      \
                                         const Context&);                                      \
  template void roc_areas(MatrixView<const T>, MatrixView<const std::uint8_t>,                 \
                          std::span<const double>, double, std::span<double>, const Context&); \
  template void average_precisions(MatrixView<const T>, MatrixView<const std::uint8_t>,        \
                                   std::span<const double>, std::span<double>, const Context&);

GRAMIAN_INSTANTIATE(double)
GRAMIAN_INSTANTIATE(float)
GRAMIAN_INSTANTIATE(std::int64_t)

#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::metrics
