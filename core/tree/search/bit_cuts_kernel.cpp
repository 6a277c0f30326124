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
BitCut cut(const T* values, const std::uint32_t* words, std::int64_t n, double place) {
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

template <class T>
void read_columns(const CutColumn<T>* columns, int n_columns, const std::uint32_t* words,
                  std::uint32_t mask, std::int64_t n, T* const* values) {
  static_assert(tree::kCutColumns == 4);
  const std::int64_t step = columns[0].step;
  const auto place = [&](std::int64_t i) {
    return static_cast<std::int64_t>(words[i] & mask) * step;
  };
  if (n_columns == 4) {
    const T *const from0 = columns[0].values, *const from1 = columns[1].values,
                   *const from2 = columns[2].values, *const from3 = columns[3].values;
    T *const to0 = values[0], *const to1 = values[1], *const to2 = values[2],
             *const to3 = values[3];
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t row = place(i);
      const T first = from0[row], second = from1[row], third = from2[row], fourth = from3[row];
      to0[i] = first;
      to1[i] = second;
      to2[i] = third;
      to3[i] = fourth;
    }
    return;
  }
  for (int k = 0; k < n_columns; ++k)
    for (std::int64_t i = 0; i < n; ++i) values[k][i] = columns[k].values[place(i)];
}

}  // namespace

std::int64_t count_second(const std::uint32_t* words, std::int64_t n) {
  return second_of(words, n);
}

void read_cut_columns(const CutColumn<float>* columns, int n_columns, const std::uint32_t* words,
                      std::uint32_t mask, std::int64_t n, float* const* values) {
  read_columns(columns, n_columns, words, mask, n, values);
}
void read_cut_columns(const CutColumn<double>* columns, int n_columns, const std::uint32_t* words,
                      std::uint32_t mask, std::int64_t n, double* const* values) {
  read_columns(columns, n_columns, words, mask, n, values);
}

BitCut cut_words(const float* values, const std::uint32_t* words, std::int64_t n, double place) {
  return cut(values, words, n, place);
}
BitCut cut_words(const double* values, const std::uint32_t* words, std::int64_t n, double place) {
  return cut(values, words, n, place);
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
