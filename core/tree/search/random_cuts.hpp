// The search of extra-trees (Geurts, Ernst and Wehenkel, 2006): one random cut for each column, the
// best of which is taken. Works on the values themselves; nothing is sorted.
//
// A node that looks at most columns reads them all at a time, row by row (row_cuts.hpp), if the
// criterion is additive and no value is missing; otherwise one column after the other. The trees
// are the same.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "tree/search/column_cuts_kernel.hpp"
#include "tree/search/local_search.hpp"
#include "tree/search/node_values.hpp"
#include "tree/search/numbers_kernel.hpp"
#include "tree/search/row_cuts.hpp"

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
    std::vector<typename Criterion::Item> items;
    std::vector<std::uint32_t> order, right;
    // The values of one column, of either type.
    std::tuple<std::vector<float>, std::vector<double>> values;
    Addends addends;  // of an additive criterion
    // All columns of a node, if they are read row by row, and the cuts drawn.
    std::tuple<std::optional<RowCuts<float>>, std::optional<RowCuts<double>>> row_cuts;
    std::vector<std::int64_t> drawn;
  };

  RandomCutSearch(const Columns& columns, const Target& target, Sample& sample,
                  const Options& options, std::uint64_t seed, const Context& ctx)
      : Base(columns, target, sample, options, seed),
        values_(columns, Criterion::is_additive, options.limits.max_features, ctx) {
    this->make_items(sample);
  }

  Scratch scratch(const Criterion& criterion) const {
    FeatureDraw draw(seed_, n_features(), options_.limits.max_features);
    Scratch made{criterion, std::move(draw), {}, {}, {}, {}, {}, {}, {}};
    if (values_.reads_rows())
      columns_.is_single() ? make_row_cuts<float>(made) : make_row_cuts<double>(made);
    return made;
  }

  double cost(std::int64_t n) const {
    return 5.0 * static_cast<double>(n * options_.limits.max_features);
  }

  Split find(Node& node, Scratch& scratch, const Context&) const {
    if constexpr (Criterion::is_additive) {
      scratch.addends.enter(rows_of(node), scratch.criterion, this->has_weights_);
      auto& [singles, doubles] = scratch.row_cuts;
      if (singles) return find_by_rows(node, *singles, scratch);
      if (doubles) return find_by_rows(node, *doubles, scratch);
    }
    Split best;
    Stream stream(seed_, node.path, kCutPurpose);
    const double perfect = this->highest_score(node.size(), scratch.criterion);
    scratch.draw.visit(node.path, [&](std::int64_t f) {
      const bool varies = columns_.is_single() ? look<float>(node, f, stream, scratch, best)
                                               : look<double>(node, f, stream, scratch, best);
      if (best.is_found() && best.score >= perfect) return Seen::enough;
      return varies ? Seen::varying : Seen::constant;
    });
    return best;
  }

  void apply(const Node& node, Split& split, Scratch& scratch, const Context&) {
    values_.part(split, rows_of(node), scratch.right);
  }

 private:
  template <class T>
  void make_row_cuts(Scratch& scratch) const {
    std::get<std::optional<RowCuts<T>>>(scratch.row_cuts).emplace(values_.template table<T>());
  }

  // The cuts of all columns are drawn first, as one by one, and then made together.
  template <class T>
  Split find_by_rows(const Node& node, RowCuts<T>& cuts, Scratch& scratch) const {
    // Two rows can be parted in one way only.
    if (node.size() == 2 && options_.monotone.empty()) return find_of_two<T>(node, scratch);
    cuts.enter(scratch.addends.rows());
    scratch.drawn.clear();
    ManyNumbers stream(seed_, node.path, kCutPurpose);
    scratch.draw.template visit<ManyNumbers>(node.path, [&](std::int64_t f) {
      if (!(cuts.lowest(f) < cuts.highest(f))) return Seen::constant;
      cuts.set_place(f, stream.uniform());
      scratch.drawn.push_back(f);
      return Seen::varying;
    });
    if (scratch.drawn.empty()) return {};
    cuts.add_left();
    if constexpr (Criterion::is_squared_error)
      if (is_free()) return best_scored(node, cuts, scratch);
    return best_drawn(node, cuts, scratch);
  }

  // Whether cuts keep to no rules but the number of rows.
  bool is_free() const {
    return options_.monotone.empty() && options_.limits.min_weight_leaf <= 0.0;
  }

  // The first of the best cuts, all of which are scored together.
  template <class T>
  Split best_scored(const Node& node, RowCuts<T>& cuts, const Scratch& scratch) const {
    const double weight = scratch.criterion.weight();
    Split best;
    best.score = cuts.score(
        MomentNode{node.size(), weight, scratch.criterion.sum(), options_.limits.min_samples_leaf});
    const auto first = std::find_if(scratch.drawn.begin(), scratch.drawn.end(),
                                    [&](std::int64_t f) { return cuts.score(f) == best.score; });
    if (!(best.score > -std::numeric_limits<double>::infinity()) || first == scratch.drawn.end())
      return {};
    best.feature = *first;
    best.threshold = cuts.threshold(best.feature);
    best.n_left = cuts.count(best.feature);
    best.missing_left = cuts.weight(best.feature) > weight - cuts.weight(best.feature);
    return best;
  }

  // Of two rows, cut by the first column in which they differ.
  template <class T>
  Split find_of_two(const Node& node, Scratch& scratch) const {
    const RowTable<T>& table = values_.template table<T>();
    const auto rows = rows_of(node);
    const T* first = table.values + rows[0] * table.row_stride;
    const T* second = table.values + rows[1] * table.row_stride;
    Split split;
    Stream stream(seed_, node.path, kCutPurpose);
    scratch.draw.visit(node.path, [&](std::int64_t f) {
      if (first[f] == second[f]) return Seen::constant;
      const std::uint32_t lower = first[f] < second[f] ? 0 : 1;
      const auto [lowest, highest] = std::minmax(first[f], second[f]);
      const auto walk = scratch.criterion.walk_to(scratch.criterion.weight_of(lower),
                                                  scratch.criterion.addend(lower));
      split.threshold = drawn_threshold(lowest, highest, stream.uniform());
      split.n_left = 1;
      split.feature = f;
      if (!is_better(node, walk, split.score, split)) split = {};
      return Seen::enough;
    });
    return split;
  }

  // The best of the cuts that were drawn and made.
  template <class T>
  Split best_drawn(const Node& node, const RowCuts<T>& cuts, const Scratch& scratch) const {
    Split best, split;
    const std::int64_t n = node.size(), min_samples_leaf = options_.limits.min_samples_leaf;
    for (const std::int64_t f : scratch.drawn) {
      split.feature = f;
      split.n_left = cuts.count(f);
      const auto walk = scratch.criterion.walk_to(cuts.weight(f), cuts.sum(f));
      if (is_free()) {  // few cuts get as far as the rules
        if (std::min(split.n_left, n - split.n_left) < min_samples_leaf) continue;
        if (!walk.improves(best.score, split.score)) continue;
        split.missing_left = walk.left_weight() > walk.right_weight();
      } else if (!is_better(node, walk, best.score, split)) {
        continue;
      }
      split.threshold = cuts.threshold(f);
      best = split;
    }
    return best;
  }

  template <class T>
  bool look(const Node& node, std::int64_t feature, Stream& stream, Scratch& scratch,
            Split& best) const {
    const auto rows = rows_of(node);
    auto& own = std::get<std::vector<T>>(scratch.values);
    if (own.size() < rows.size()) own.resize(rows.size());
    values_.read(rows, feature, own.data());
    const std::span<const T> present{own.data(), rows.size()};
    const auto [lowest, highest] = GRAMIAN_DISPATCH(column_range, own.data(), node.size());
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
    split.threshold = drawn_threshold(lowest, highest, stream.uniform());
  }

  // Whether the drawn cut keeps to the rules and is better than `best`; sets its score if so.
  template <class T>
  bool evaluate(const Node& node, std::span<const T> values, Scratch& scratch, double best,
                Split& split) const {
    if constexpr (Criterion::needs_order) {
      return evaluate_in_order(values, scratch, best, rules_of(node, split.feature), split);
    } else {
      if constexpr (Criterion::is_additive)  // sums of whole weights are exact
        if (this->counts_weights_ && !split.is_categorical() && !split.saw_missing) {
          const LeftSum left = GRAMIAN_DISPATCH(column_sum, values.data(), scratch.addends.rows(),
                                                not_above(split.threshold, T{}));
          split.n_left = left.count;
          return is_better(node, scratch.criterion.walk_to(left.weight, left.sum), best, split);
        }
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
      return is_better(node, walk, best, split);
    }
  }

  // The same, given the walk that has moved what goes left.
  template <class Walk>
  bool is_better(const Node& node, const Walk& walk, double best, Split& split) const {
    const CutRules rules = rules_of(node, split.feature);
    if (std::min(split.n_left, node.size() - split.n_left) < rules.min_samples_leaf) return false;
    if (!is_heavy_enough(walk, rules) || !is_monotone(walk, rules)) return false;
    if (!walk.improves(best, split.score)) return false;
    if (!split.saw_missing) split.missing_left = walk.left_weight() > walk.right_weight();
    if (rules.monotone != 0) split.middle = walk.middle();
    return true;
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

  NodeValues values_;
};

}  // namespace gramian::tree
