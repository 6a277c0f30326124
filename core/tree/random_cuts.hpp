// The search of extra-trees (Geurts, Ernst and Wehenkel, 2006): one random cut for each column, the
// best of which is taken. Works on the values themselves; nothing is sorted.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include "tree/local_search.hpp"

namespace gramian::tree {

template <class Criterion>
class RandomCutSearch : public LocalSearch<Criterion> {
  using Base = LocalSearch<Criterion>;
  using Base::columns_;
  using Base::options_;
  using Base::own_number;
  using Base::rows_of;
  using Base::rules_of;
  using Base::seed_;

 public:
  using Base::n_features;

  struct Scratch {
    Criterion criterion;
    FeatureDraw draw;
    std::vector<double> value;  // of a leaf
    std::vector<typename Criterion::Item> items;
    std::vector<std::uint32_t> order, right;
    // The values of one column, of either type.
    std::tuple<std::vector<float>, std::vector<double>> values;
  };

  RandomCutSearch(const Columns& columns, const Target& target, const Sample& sample,
                  const Options& options, std::uint64_t seed, const Context&)
      : Base(columns, target, sample, options, seed) {}

  Scratch scratch(const Criterion& criterion) const {
    return {
        criterion, FeatureDraw(seed_, n_features(), options_.limits.max_features), {}, {}, {}, {},
        {}};
  }

  double cost(std::int64_t n) const {
    return 5.0 * static_cast<double>(n * options_.limits.max_features);
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
    with_values(split.feature, [&](auto values) {
      part_stably(
          rows_of(node), [&](std::uint32_t row) { return !value_goes_left(split, values[row]); },
          scratch.right);
      return true;
    });
  }

 private:
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
    auto& own = std::get<std::vector<T>>(scratch.values);
    if (own.size() < rows.size()) own.resize(rows.size());
    T lowest = std::numeric_limits<T>::infinity(), highest = -lowest;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const T value = values[rows[i]];
      own[i] = value;  // NaN compares false with either
      lowest = value < lowest ? value : lowest;
      highest = value > highest ? value : highest;
    }
    const std::span<const T> present{own.data(), rows.size()};
    const bool has_missing =
        columns_[feature].has_missing &&
        std::any_of(present.begin(), present.end(), [](T value) { return std::isnan(value); });
    if (lowest > highest || (lowest == highest && !has_missing)) return false;
    Split split;
    split.feature = feature;
    split.saw_missing = has_missing;
    draw_cut(feature, lowest, highest, stream, split);
    if (has_missing) split.missing_left = stream.below(2) == 1;
    if (!evaluate(node, present, scratch, best.score, split)) return true;
    best = std::move(split);
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

  // Whether the drawn cut keeps to the rules and is better than `best`; sets its score if so.
  template <class T>
  bool evaluate(const Node& node, std::span<const T> values, Scratch& scratch, double best,
                Split& split) const {
    const CutRules rules = rules_of(node, split.feature);
    if constexpr (Criterion::needs_order) {
      return evaluate_in_order(values, scratch, best, rules, split);
    } else {
      auto walk = scratch.criterion.walk(node.size(), own_number);
      std::int64_t n_left = 0;
      const auto move_left = [&](const auto& goes_left) {
        for (std::size_t i = 0; i < values.size(); ++i) {
          const bool left = goes_left(values[i]);
          walk.move_if(static_cast<std::uint32_t>(i), left);
          n_left += left;
        }
      };
      if (split.is_categorical() || split.saw_missing) {
        move_left([&](T value) { return value_goes_left(split, value); });
      } else {
        move_left([threshold = split.threshold](T value) {
          return static_cast<double>(value) <= threshold;
        });
      }
      split.n_left = n_left;
      if (std::min(n_left, node.size() - n_left) < rules.min_samples_leaf) return false;
      if (!is_heavy_enough(walk, rules) || !is_monotone(walk, rules)) return false;
      if (!walk.improves(best, split.score)) return false;
      if (!split.saw_missing) split.missing_left = walk.left_weight() > walk.right_weight();
      if (rules.monotone != 0) split.middle = walk.middle();
      return true;
    }
  }

  // For criteria that must see the rows of either side one after the other.
  template <class T>
  bool evaluate_in_order(std::span<const T> values, Scratch& scratch, double best,
                         const CutRules& rules, Split& split) const {
    auto& order = scratch.order;
    order.clear();
    for (const bool wants_left : {true, false}) {
      for (std::size_t i = 0; i < values.size(); ++i)
        if (value_goes_left(split, values[i]) == wants_left)
          order.push_back(static_cast<std::uint32_t>(i));
      if (wants_left) split.n_left = static_cast<std::int64_t>(order.size());
    }
    const Cut cut = best_cut(
        scratch.criterion, static_cast<std::int64_t>(order.size()),
        [&](std::int64_t i) { return order[static_cast<std::size_t>(i)]; },
        [&](std::int64_t i) { return i == split.n_left; }, split.n_left, split.n_left, rules);
    if (cut.n_left == 0 || !(cut.score > best)) return false;
    split.score = cut.score;
    split.middle = cut.middle;
    if (!split.saw_missing) split.missing_left = cut.is_left_heavier;
    return true;
  }
};

}  // namespace gramian::tree
