#include "tree/grow/multiway.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/arg_max.hpp"
#include "base/buffer.hpp"
#include "base/index.hpp"
#include "parallel/parallel_for.hpp"
#include "tree/criterion/criterion_counts.hpp"
#include "tree/criterion/entropy_table.hpp"
#include "tree/criterion/impurity_terms.hpp"
#include "tree/grow/multiway_search.hpp"
#include "tree/search/split.hpp"

namespace gramian::tree {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint32_t kAtRest = std::numeric_limits<std::uint32_t>::max();

// The best of the splits of a node, one for each column: the first of those that tie. By gain or,
// as in C4.5, by the gain ratio among those that gain at least what all do on average. None if no
// column has a split.
std::optional<std::int64_t> best_column(std::span<const MultiwaySplit> splits, bool use_ratio) {
  double sum = 0.0, n_found = 0.0;
  for (const MultiwaySplit& split : splits)
    if (std::isfinite(split.gain)) {
      sum += split.gain;
      n_found += 1.0;
    }
  const double mean = sum / std::max(n_found, 1.0);
  const auto score = [&](std::int64_t column) {
    const MultiwaySplit& split = splits[at(column)];
    if (!use_ratio || !std::isfinite(split.gain)) return split.gain;
    if (split.gain < mean - kGainNoise) return -std::numeric_limits<double>::infinity();
    return split.entropy > 0.0 ? split.gain / split.entropy : 0.0;
  };
  return first_near_max(std::ssize(splits), score, kGainNoise);
}

// `Code`: a type that holds the levels of all categories, and one for missing values.
template <class Code, bool is_weighted>
class MultiwayGrower {
 public:
  // Takes the sorted records out of the columns.
  MultiwayGrower(const MultiwayTask& task, Columns& columns, EntropyTerms terms, const Context& ctx)
      : task_(task),
        columns_(columns),
        ctx_(ctx),
        terms_(terms),
        n_classes_(task.target.n_classes[0]),
        items_(TermCriterion<EntropyTerms, is_weighted>::items(task.target, task.weight)),
        entries_(columns.n_rows()),
        codes_(at(columns.n_features())),
        sorted_(codes_.size()),
        child_of_row_(items_.size(), 0) {
    for (std::uint32_t row = 0; row < items_.size(); ++row) entries_[row] = {row, items_[row]};
    const double cost = 2.0 * static_cast<double>(columns.n_rows() * columns.n_features());
    parallel_for(ctx, columns.n_features(), cost, [&](std::int64_t f) {
      Buffer<Record> records = columns.take_sorted(f);
      if (columns[f].n_levels == 0) {
        sorted_[at(f)] = std::move(records);
        return;
      }
      codes_[at(f)] = Buffer<Code>(columns.n_rows());
      for (const Record& record : records)
        codes_[at(f)][record.row] = static_cast<Code>(record.code);
    });
  }

  MultiwayNodes grow() {
    add_node(-1, 0);
    add_rows(0, columns_.n_rows());
    std::vector<Open> open;
    if (may_be_split(0, 0)) open.push_back(open_node(0, 0));
    for (std::int64_t depth = 1; !open.empty(); ++depth) {
      const std::int64_t first = n_nodes();
      constexpr std::size_t kBatch = 4096;  // nodes whose splits by all columns are kept
      for (std::size_t begin = 0; begin < open.size(); begin += kBatch)
        split(std::span(open).subspan(begin, std::min(kBatch, open.size() - begin)));
      open = close_depth(first, depth);
    }
    return std::move(out_);
  }

 private:
  using Item = typename TermCriterion<EntropyTerms, is_weighted>::Item;

  // A row, in the order of the nodes.
  struct Entry {
    std::uint32_t row;
    Item item;
  };
  // A node that may be split, and its rows.
  struct Open {
    std::int64_t node;
    std::int64_t begin, end;
    double weight, score;
  };

  std::int64_t n_nodes() const { return static_cast<std::int64_t>(out_.parent.size()); }
  std::span<const double> counts_of(std::int64_t node) const {
    return std::span(out_.counts).subspan(at(node * n_classes_), at(n_classes_));
  }
  std::span<const Record> records_of(std::int64_t feature, const Open& open) const {
    return {sorted_[at(feature)].data() + open.begin, at(open.end - open.begin)};
  }

  std::uint32_t add_node(std::int64_t parent, std::int64_t branch) {
    out_.parent.push_back(parent);
    out_.branch.push_back(branch);
    out_.feature.push_back(-1);
    out_.threshold.push_back(kNan);
    out_.missing_branch.push_back(-1);
    out_.counts.resize(out_.counts.size() + at(n_classes_), 0.0);
    out_.n_node_samples.push_back(0);
    return static_cast<std::uint32_t>(n_nodes() - 1);
  }

  // Counts the rows of a node in the children they go to.
  void add_rows(std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Entry& entry = entries_[i];
      const std::uint32_t child = child_of_row_[entry.row];
      out_.counts[child * at(n_classes_) + at(entry.item.value)] += entry.item.weight;
      ++out_.n_node_samples[child];
    }
  }

  // Finds the splits of some nodes and adds their children.
  void split(std::span<const Open> nodes) {
    const std::int64_t p = columns_.n_features();
    std::vector<MultiwaySplit> splits(nodes.size() * at(p));  // node after node
    const double n_rows = static_cast<double>(nodes.back().end - nodes.front().begin);
    parallel_for(ctx_, p, 5.0 * n_rows * static_cast<double>(p), [&](std::int64_t f) {
      const auto found = [&](std::size_t k) -> MultiwaySplit& { return splits[k * at(p) + at(f)]; };
      if (columns_[f].n_levels > 0)
        search_levels(f, nodes, found);
      else
        search_thresholds(f, nodes, found);
    });
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      ctx_.check();
      const auto of_node = std::span<const MultiwaySplit>(splits).subspan(k * at(p), at(p));
      const auto best = best_column(of_node, task_.use_ratio);
      if (!best || !(of_node[at(*best)].gain >= task_.min_gain - kGainNoise)) {
        for (std::int64_t i = nodes[k].begin; i < nodes[k].end; ++i)
          child_of_row_[entries_[i].row] = kAtRest;
        continue;
      }
      out_.feature[at(nodes[k].node)] = *best;
      if (columns_[*best].n_levels > 0)
        branch_by_level(*best, nodes[k]);
      else
        branch_by_threshold(*best, nodes[k], of_node[at(*best)]);
      add_rows(nodes[k].begin, nodes[k].end);
    }
  }

  template <class Found>
  void search_levels(std::int64_t feature, std::span<const Open> nodes, const Found& found) const {
    const Code* codes = codes_[at(feature)].data();
    LevelCounts levels(columns_[feature].n_levels, n_classes_, terms_);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      ctx_.check();
      for (std::int64_t i = nodes[k].begin; i < nodes[k].end; ++i) {
        const Entry& entry = entries_[i];
        levels.add(codes[entry.row], entry.item.value, entry.item.weight);
      }
      found(k) = levels.split(nodes[k].weight, nodes[k].score);
    }
  }

  template <class Found>
  void search_thresholds(std::int64_t feature, std::span<const Open> nodes,
                         const Found& found) const {
    ThresholdSearch<is_weighted> search(items_.data(), n_classes_, terms_);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      ctx_.check();
      found(k) = search(records_of(feature, nodes[k]), columns_[feature].missing_code,
                        counts_of(nodes[k].node), nodes[k].weight, nodes[k].score);
    }
  }

  // Adds a child for every level that a node shows, missing values first.
  void branch_by_level(std::int64_t feature, const Open& open) {
    const Code* codes = codes_[at(feature)].data();
    const auto missing = static_cast<std::uint32_t>(columns_[feature].n_levels);
    if (child_of_code_.size() <= missing) child_of_code_.resize(at(missing) + 1, kAtRest);
    std::vector<std::uint32_t> shown;
    for (std::int64_t i = open.begin; i < open.end; ++i) {
      const std::uint32_t code = codes[entries_[i].row];
      if (std::exchange(child_of_code_[code], 0) == kAtRest) shown.push_back(code);
    }
    std::sort(shown.begin(), shown.end(), [&](std::uint32_t a, std::uint32_t b) {
      return a != b && (a == missing || (b != missing && a < b));
    });
    for (const std::uint32_t code : shown)
      child_of_code_[code] = add_node(open.node, code == missing ? -1 : std::int64_t{code});
    for (std::int64_t i = open.begin; i < open.end; ++i) {
      const std::uint32_t row = entries_[i].row;
      child_of_row_[row] = child_of_code_[codes[row]];
    }
    for (const std::uint32_t code : shown) child_of_code_[code] = kAtRest;
  }

  void branch_by_threshold(std::int64_t feature, const Open& open, const MultiwaySplit& split) {
    const std::span<const Record> records = records_of(feature, open);
    const std::uint32_t missing = columns_[feature].missing_code;
    const std::uint32_t left = add_node(open.node, 0), right = add_node(open.node, 1);
    for (std::size_t i = 0; i < records.size(); ++i) {
      const bool goes_left = records[i].code == missing ? split.missing_left : i < split.n_left;
      child_of_row_[records[i].row] = goes_left ? left : right;
    }
    out_.threshold[at(open.node)] =
        threshold_between(columns_.value(records[split.n_left - 1].row, feature),
                          columns_.value(records[split.n_left].row, feature));
    if (records.back().code == missing)
      out_.missing_branch[at(open.node)] = split.missing_left ? 0 : 1;
  }

  // The nodes from `first` on, all of a depth, that may be split; only their rows are kept.
  std::vector<Open> close_depth(std::int64_t first, std::int64_t depth) {
    std::vector<Open> open;
    std::vector<std::int64_t> places(at(n_nodes() - first), -1);  // of the rows of each node
    std::int64_t n_rows = 0;
    for (std::int64_t node = first; node < n_nodes(); ++node) {
      if (!may_be_split(node, depth)) continue;
      places[at(node - first)] = n_rows;
      open.push_back(open_node(node, n_rows));
      n_rows = open.back().end;
    }
    const auto regroup = [&](auto& values) {
      std::decay_t<decltype(values)> kept(n_rows);
      auto next = places;
      for (const auto& value : values) {
        const std::uint32_t child = child_of_row_[value.row];
        if (child == kAtRest) continue;
        std::int64_t& place = next[child - at(first)];
        if (place >= 0) kept[place++] = value;
      }
      values = std::move(kept);
    };
    const double cost = 2.0 * static_cast<double>(entries_.size() * (columns_.n_features() + 1));
    parallel_for(ctx_, columns_.n_features() + 1, cost, [&](std::int64_t f) {
      if (f == columns_.n_features())
        regroup(entries_);
      else if (columns_[f].n_levels == 0)
        regroup(sorted_[at(f)]);
    });
    return open;
  }

  Open open_node(std::int64_t node, std::int64_t begin) const {
    const auto counts = counts_of(node);
    const double weight = std::accumulate(counts.begin(), counts.end(), 0.0);
    const double score = CountTerms<EntropyTerms>{terms_}.of(counts, weight);
    return {node, begin, begin + out_.n_node_samples[at(node)], weight, std::min(score, 0.0)};
  }

  bool may_be_split(std::int64_t node, std::int64_t depth) const {
    const auto counts = counts_of(node);
    const auto n_present =
        std::count_if(counts.begin(), counts.end(), [](double c) { return c > 0.0; });
    return n_present > 1 && depth < task_.limits.max_depth &&
           out_.n_node_samples[at(node)] >= task_.limits.min_samples_split;
  }

  const MultiwayTask& task_;
  const Columns& columns_;
  const Context& ctx_;
  EntropyTerms terms_;
  std::int64_t n_classes_;
  std::vector<Item> items_;                   // by row
  Buffer<Entry> entries_;                     // node after node
  std::vector<Buffer<Code>> codes_;           // of categories, by row
  std::vector<Buffer<Record>> sorted_;        // of numbers, node after node
  std::vector<std::uint32_t> child_of_row_;   // the node at the next depth
  std::vector<std::uint32_t> child_of_code_;  // while a node is branched
  MultiwayNodes out_;
};

}  // namespace

MultiwayNodes grow_multiway(const MultiwayTask& task, const Context& ctx) {
  Columns columns(task.X, task.n_levels, Columns::Form::sorted, ctx, Columns::Precision::full);
  Sample sample;
  sample.rows.resize(at(columns.n_rows()));
  std::iota(sample.rows.begin(), sample.rows.end(), 0u);
  sample.weight = task.weight;
  sample.total_weight = task.weight.empty()
                            ? static_cast<double>(columns.n_rows())
                            : std::accumulate(task.weight.begin(), task.weight.end(), 0.0);
  const std::vector<double> table = entropy_table(sample);
  const EntropyTerms terms{table};
  const auto grow_with = [&]<class Code>(Code) {
    if (task.weight.empty()) return MultiwayGrower<Code, false>(task, columns, terms, ctx).grow();
    return MultiwayGrower<Code, true>(task, columns, terms, ctx).grow();
  };
  const std::int32_t most = *std::max_element(task.n_levels.begin(), task.n_levels.end());
  if (most <= std::numeric_limits<std::uint8_t>::max()) return grow_with(std::uint8_t{});
  return grow_with(std::uint32_t{});
}

}  // namespace gramian::tree
