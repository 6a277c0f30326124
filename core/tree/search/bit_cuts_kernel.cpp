#include "tree/search/bit_cuts_kernel.hpp"

#include "tree/search/not_above.hpp"
#include "tree/search/word_lanes.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

using tree::BitCut;
using tree::CutColumn;

struct Counts {
  std::int64_t all = 0, second = 0;
};

#if GRAMIAN_WORD_LANES

template <class T>
Counts counts_of(const T* values, const std::uint32_t* words, std::int64_t n, T threshold) {
  using L = Lanes<T>;
  const auto thresholds = L::all(threshold);
  Counts counts;
  for (std::int64_t i = 0; i < n; i += L::kCount) {
    const auto rows = rows_of<T>(n - i);
    const auto left = L::not_above(rows, L::load(rows, T{}, values + i), thresholds);
    const auto second = L::second(L::load(rows, words + i));
    counts.all += __builtin_popcount(left);
    counts.second += __builtin_popcount(left & second);
  }
  return counts;
}

std::int64_t second_of(const std::uint32_t* words, std::int64_t n) {
  using L = Lanes<float>;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < n; i += L::kCount)
    count += __builtin_popcount(L::second(L::load(rows_of<float>(n - i), words + i)));
  return count;
}

#else

// Sums of bits: no branch, which nothing could predict.
template <class T>
Counts counts_of(const T* values, const std::uint32_t* words, std::int64_t n, T threshold) {
  Counts counts;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint32_t is_left = values[i] <= threshold ? 1U : 0U;
    counts.all += is_left;
    counts.second += is_left & words[i] >> 31;
  }
  return counts;
}

std::int64_t second_of(const std::uint32_t* words, std::int64_t n) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < n; ++i) count += words[i] >> 31;
  return count;
}

#endif

template <class T>
BitCut cut(const CutColumn<T>& column, const std::uint32_t* words, std::int64_t n, double place,
           T* values) {
  read_values(column, words, tree::kRowNumber, n, values);
  const Bounds<T> bounds = bounds_of(values, n);
  BitCut cut;
  cut.varies = bounds.lowest < bounds.highest;
  if (!cut.varies) return cut;
  cut.threshold = tree::drawn_threshold(bounds.lowest, bounds.highest, place);
  const Counts left = counts_of(values, words, n, tree::not_above(cut.threshold, T{}));
  cut.n_left = left.all;
  cut.n_second = left.second;
  return cut;
}

}  // namespace

std::int64_t count_second(const std::uint32_t* words, std::int64_t n) {
  return second_of(words, n);
}

BitCut cut_words(const CutColumn<float>& column, const std::uint32_t* words, std::int64_t n,
                 double place, float* values) {
  return cut(column, words, n, place, values);
}
BitCut cut_words(const CutColumn<double>& column, const std::uint32_t* words, std::int64_t n,
                 double place, double* values) {
  return cut(column, words, n, place, values);
}

void part_words(const float* values, double threshold, std::uint32_t* words, std::int64_t n,
                std::uint32_t* right) {
  part(values, tree::not_above(threshold, 0.0f), words, n, right);
}
void part_words(const double* values, double threshold, std::uint32_t* words, std::int64_t n,
                std::uint32_t* right) {
  part(values, threshold, words, n, right);
}

}  // namespace gramian::GRAMIAN_ISA
