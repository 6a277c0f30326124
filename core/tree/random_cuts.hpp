// The search of extra-trees (Geurts, Ernst and Wehenkel, 2006): one random cut for each column, the
// best of which is taken. Works on the values themselves; nothing is sorted.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tree/node_sorted.hpp"
#include "tree/search.hpp"

namespace gramian::tree {

template <class Criterion>
class RandomCutSearch : public SearchBase {
 public:
  struct Scratch {
    Criterion criterion;
    FeatureDraw draw;
    LocalPayload local;
    std::vector<std::uint32_t> left, right;
  };

  RandomCutSearch(const Columns& columns, const Target& target, const Sample& sample,
                  const Options& options, std::uint64_t seed, const Context&)
      : SearchBase(columns, target, sample, options, seed) {}

  Scratch scratch(const Criterion& criterion) const {
    return {criterion, FeatureDraw(seed_, n_features(), options_.limits.max_features), {}, {}, {}};
  }

  double cost(std::int64_t n) const {
    return 5.0 * static_cast<double>(n * options_.limits.max_features);
  }

  void enter(const Node& node, Scratch& scratch) const {
    scratch.local.gather(by_row(), rows_of(node), target_.n_outputs);
    scratch.criterion.enter(scratch.local.view(), node.size(), own_number);
  }

  double impurity(const Node& node, const Scratch& scratch) const {
    return scratch.criterion.impurity(node.size(), own_number);
  }

  Split find(Node& node, Scratch& scratch, const Context&) const {
    Split best;
    Stream stream(seed_, node.path, kCutPurpose);
    scratch.draw.visit(node.path, [&](std::int64_t f) {
      return with_values(f,
                         [&](auto values) { return look(node, f, values, stream, scratch, best); });
    });
    return best;
  }

  void apply(const Node& node, Split& split, Scratch& scratch, const Context&) {
    std::uint32_t* rows = rows_.data() + node.begin;
    const auto n = static_cast<std::size_t>(node.size());
    if (scratch.right.size() < n) scratch.right.resize(n);
    with_values(split.feature, [&](auto values) {
      std::size_t n_left = 0, n_right = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t row = rows[i];
        const bool goes_left = value_goes_left(split, values[row]);
        rows[n_left] = row;
        scratch.right[n_right] = row;
        n_left += goes_left;
        n_right += !goes_left;
      }
      std::copy_n(scratch.right.data(), n_right, rows + n_left);
      return true;
    });
  }

 private:
  static constexpr auto own_number = [](std::int64_t i) { return static_cast<std::uint32_t>(i); };

  std::span<const std::uint32_t> rows_of(const Node& node) const {
    return std::span(rows_).subspan(static_cast<std::size_t>(node.begin),
                                    static_cast<std::size_t>(node.size()));
  }

  template <class Function>
  bool with_values(std::int64_t feature, const Function& function) const {
    return columns_.is_single() ? function(columns_.singles(feature))
                                : function(columns_.doubles(feature));
  }

  template <class T>
  static bool value_goes_left(const Split& split, T value) {
    if (std::isnan(value)) return split.missing_left;
    if (split.is_categorical()) {
      const auto level = static_cast<std::size_t>(value);
      return (split.levels[level / 64] >> (level % 64) & 1) != 0;
    }
    return static_cast<double>(value) <= split.threshold;
  }

  template <class T>
  bool look(const Node& node, std::int64_t feature, std::span<const T> values, Stream& stream,
            Scratch& scratch, Split& best) const {
    const auto rows = rows_of(node);
    T lowest = std::numeric_limits<T>::infinity(), highest = -lowest;
    for (const std::uint32_t row : rows) {  // NaN compares false with either
      lowest = values[row] < lowest ? values[row] : lowest;
      highest = values[row] > highest ? values[row] : highest;
    }
    const bool has_missing = columns_[feature].has_missing &&
                             std::any_of(rows.begin(), rows.end(), [&](std::uint32_t row) {
                               return std::isnan(values[row]);
                             });
    if (lowest > highest || (lowest == highest && !has_missing)) return false;
    Split split;
    split.feature = feature;
    split.saw_missing = has_missing;
    draw_cut(feature, lowest, highest, stream, split);
    if (has_missing) split.missing_left = stream.below(2) == 1;
    evaluate(node, values, scratch, split);
    if (split.score > best.score) best = std::move(split);
    return true;
  }

  template <class T>
  void draw_cut(std::int64_t feature, T lowest, T highest, Stream& stream, Split& split) const {
    const std::int32_t n_levels = columns_[feature].n_levels;
    if (n_levels > 0) {  // a random half of the levels
      split.levels.resize((static_cast<std::size_t>(n_levels) + 63) / 64);
      for (std::uint64_t& word : split.levels) word = stream.next_u64();
      return;
    }
    const double low = static_cast<double>(lowest), high = static_cast<double>(highest);
    split.threshold = low + stream.uniform() * (high - low);
    if (!(split.threshold < high)) split.threshold = low;
  }

  // Moves the rows of the left side; a cut that breaks a rule keeps its score of minus infinity.
  template <class T>
  void evaluate(const Node& node, std::span<const T> values, Scratch& scratch, Split& split) const {
    const auto rows = rows_of(node);
    Criterion& criterion = scratch.criterion;
    auto& order = scratch.left;
    if (order.size() < rows.size()) order.resize(rows.size());
    std::size_t n_left = 0, place = rows.size();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool goes_left = value_goes_left(split, values[rows[i]]);
      order[goes_left ? n_left : place - 1] = static_cast<std::uint32_t>(i);
      n_left += goes_left;
      place -= !goes_left;
    }
    split.n_left = static_cast<std::int64_t>(n_left);
    const auto handle_at = [&](std::int64_t i) { return order[static_cast<std::size_t>(i)]; };
    const Cut cut = best_cut(
        criterion, node.size(), handle_at, [&](std::int64_t i) { return i == split.n_left; },
        split.n_left, split.n_left, rules_of(node, split.feature));
    if (cut.n_left == 0) return;
    split.score = cut.score;
    split.middle = cut.middle;
    if (!split.saw_missing) split.missing_left = 2 * split.n_left > node.size();
  }
};

}  // namespace gramian::tree
