// What scores say about two classes: the counts behind every threshold curve, and the areas under
// two of them. A row is predicted positive where its score reaches the threshold; each distinct
// score is one threshold, so that ties are grouped exactly.
//
// Both classes are sorted by score on their own, as order-preserving integers (radix_sort.hpp), and
// merged in chunks whose bounds depend on the scores only: any number of threads gives the same
// bits. O(n) time per digit of the keys; scratch of 16 bytes a row, 32 with weights.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::metrics {

// One problem: n rows with a stride, as they come from a row or a column of a matrix.
template <class T>
struct ScoredRows {
  const T* score;
  std::int64_t score_stride;
  const std::uint8_t* positive;  // not zero: the row is of the positive class
  std::int64_t positive_stride;
  std::int64_t n;
  std::span<const double> weight;  // empty means one for every row; weight zero leaves a row out
};

// Room for one entry per row; weights of the rows with at least this score, from the highest on.
template <class T>
struct ThresholdCounts {
  std::span<T> thresholds;
  std::span<double> fps;
  std::span<double> tps;
};

// Fills `out`; returns the number of thresholds.
template <class T>
std::int64_t threshold_counts(const ScoredRows<T>& rows, const ThresholdCounts<T>& out,
                              const Context& ctx);

// out[k] = area under the ROC curve of row k of `score`, as a share of the unit square, for false
// positive rates up to max_fpr; NaN where a class has no weight.
template <class T>
void roc_areas(MatrixView<const T> score, MatrixView<const std::uint8_t> positive,
               std::span<const double> weight, double max_fpr, std::span<double> out,
               const Context& ctx);

// out[k] = sum over the thresholds of (increase of recall) * precision; NaN without positives.
template <class T>
void average_precisions(MatrixView<const T> score, MatrixView<const std::uint8_t> positive,
                        std::span<const double> weight, std::span<double> out, const Context& ctx);

}  // namespace gramian::metrics
