#include "tree/explain/leaf_gains.hpp"

#include <algorithm>
#include <bit>

#include "base/index.hpp"

namespace gramian::tree {
namespace {

constexpr std::int64_t kMemoFeatures = 12;  // up to here gains are kept by pattern

// The features of word w of a pattern: all bits but for the last word.
std::uint64_t full_word(std::int64_t n_features, std::int64_t w) {
  const std::int64_t n_left = n_features - 64 * w;
  return n_left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n_left) - 1;
}

}  // namespace

LeafPatterns PatternCounter::count(const std::vector<std::uint64_t>& patterns, std::int64_t n_rows,
                                   std::int64_t n_features) {
  const std::int64_t n_words = (n_features + 63) / 64;
  LeafPatterns out{n_features, n_words, {}, {}, {}, 0.0};
  const bool is_shared = n_features <= kMemoFeatures;
  if (is_shared) place_.assign(std::size_t{1} << n_features, -1);
  for (std::int64_t row = 0; row < n_rows; ++row) {
    const auto pattern = patterns.begin() + row * n_words;
    const auto next = static_cast<std::int32_t>(out.counts.size());
    if (is_shared && n_words > 0) {
      std::int32_t& place = place_[*pattern];
      if (place >= 0) {
        out.counts[at(place)] += 1.0;
        continue;
      }
      place = next;
    }
    out.patterns.insert(out.patterns.end(), pattern, pattern + n_words);
    out.counts.push_back(1.0);
  }
  const std::size_t n_sets = (out.counts.size() + 63) / 64;
  out.sets.assign(at(n_features) * n_sets, 0);
  for (std::size_t i = 0; i < out.counts.size(); ++i) {
    bool is_inside = true;
    for (std::int64_t w = 0; w < n_words; ++w) {
      std::uint64_t bits = out.patterns[i * at(n_words) + at(w)];
      is_inside &= bits == full_word(n_features, w);
      for (; bits != 0; bits &= bits - 1)
        out.sets[at(64 * w + std::countr_zero(bits)) * n_sets + i / 64] |= std::uint64_t{1}
                                                                           << (i % 64);
    }
    if (is_inside) out.n_inside += out.counts[i];
  }
  return out;
}

void LeafGains::open(const LeafPatterns& others) {
  ++stamp_;
  gains_.clear();
  grow_weights(others.n_features);
  const auto n_patterns = static_cast<std::int64_t>(others.counts.size());
  task_ = {others.patterns.data(),
           others.counts.data(),
           others.sets.data(),
           n_patterns,
           others.n_features,
           others.n_words,
           (n_patterns + 63) / 64,
           weights_.data(),
           task_.stride};
  if (others.n_features <= kMemoFeatures && memo_.empty())
    memo_.resize(std::size_t{1} << kMemoFeatures);
}

const double* LeafGains::of(const std::uint64_t* pattern) {
  const auto d = at(task_.n_features);
  if (d == 0) return nullptr;
  if (d > at(kMemoFeatures)) {
    gains_.resize(d);
    const bool is_any = GRAMIAN_DISPATCH(leaf_gains, task_, pattern, gains_.data());
    return is_any ? gains_.data() : nullptr;
  }
  Memo& memo = memo_[*pattern];
  if (memo.stamp != stamp_) {
    const std::size_t place = gains_.size();
    gains_.resize(place + d);
    const bool is_any = GRAMIAN_DISPATCH(leaf_gains, task_, pattern, gains_.data() + place);
    memo = {stamp_, is_any ? static_cast<std::int64_t>(place) : -1};
  }
  return memo.place < 0 ? nullptr : gains_.data() + memo.place;
}

// The table of u! v! / (u + v + 1)! for u and v up to n_features: along a row by the ratio of
// neighbours.
void LeafGains::grow_weights(std::int64_t n_features) {
  if (task_.stride > n_features) return;
  task_.stride = std::max<std::int64_t>(n_features + 1, 2 * task_.stride);
  weights_.resize(at(task_.stride * task_.stride));
  for (std::int64_t v = 0; v < task_.stride; ++v) {
    double weight = 1.0 / static_cast<double>(v + 1);
    for (std::int64_t u = 0; u < task_.stride; ++u) {
      if (u > 0) weight *= static_cast<double>(u) / static_cast<double>(u + v + 1);
      weights_[at(v * task_.stride + u)] = weight;
    }
  }
}

}  // namespace gramian::tree
