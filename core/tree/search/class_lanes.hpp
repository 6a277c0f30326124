// The search of random forests of three to seven classes by the Gini impurity, with whole weights
// and no missing values: see class_lanes_kernel.hpp. The trees are those of node_sorted.hpp.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tree/search/class_lanes_kernel.hpp"
#include "tree/search/packed.hpp"
#include "tree/search/search.hpp"
#include "tree/search/sort_keys.hpp"

namespace gramian::tree {

template <class Criterion>
class ClassLaneSearch : public SearchBase {
 public:
  struct Scratch {
    Criterion criterion;
    FeatureDraw draw;
    LaneNode node{};                     // the one entered last
    std::vector<std::uint64_t> bits;     // of its rows, word after word
    std::vector<std::uint64_t> varying;  // of each word, the bits that differ between rows
    std::vector<std::uint16_t> codes;    // of the column looked at
    // Of the best column of the node searched last: its children follow at once, most often.
    std::vector<std::uint16_t> best_codes;
    std::uint64_t path = 0;
    // Cells in bytes, pairs of bytes and more, and the code of each if they are not all there.
    std::vector<std::uint64_t> byte_cells;
    std::vector<std::uint16_t> pair_cells;
    std::vector<std::uint32_t> cells;
    std::vector<std::uint16_t> cell_codes;
    std::vector<std::uint32_t> keys;
    KeySorter<std::uint32_t> sort;
    std::vector<std::uint32_t> right;
  };

  // Whether the search does what is asked.
  static bool serves(const Columns& columns, const Target& target, const Sample& sample,
                     const Options& options) {
    constexpr double kMostWeight = 1 << 26;  // squares are exact
    const auto is_small = [&](std::uint32_t row) {
      const double w = sample.weight[row];
      return w <= kWordWeight && w == std::floor(w);
    };
    if (columns.row_codes().empty() || columns.n_rows() > kWordRow) return false;
    if (target.n_classes[0] >= kLanes || sample.total_weight >= kMostWeight) return false;
    if (!options.monotone.empty() || options.limits.min_weight_leaf > 0.0) return false;
    for (std::int64_t f = 0; f < columns.n_features(); ++f)
      if (!columns[f].is_whole()) return false;
    return sample.weight.empty() || std::all_of(sample.rows.begin(), sample.rows.end(), is_small);
  }

  ClassLaneSearch(const Columns& columns, const Target& target, Sample& sample,
                  const Options& options, std::uint64_t seed, const Context&)
      : SearchBase(columns, target, sample, options, seed) {
    for (std::uint32_t& word : rows_) {
      const double w = sample.weight.empty() ? 1.0 : sample.weight[word];
      word = class_word(word, static_cast<std::uint32_t>(target.labels[word]),
                        static_cast<std::uint32_t>(w));
    }
  }

  Scratch scratch(const Criterion& criterion) const {
    FeatureDraw draw(seed_, n_features(), options_.limits.max_features);
    Scratch made{criterion, std::move(draw), {}, {}, {}, {}, {}, 0, {}, {}, {}, {}, {}, {}, {}};
    made.varying.resize(static_cast<std::size_t>(columns_.row_codes().n_words()));
    return made;
  }

  double cost(std::int64_t n) const {
    return 3.0 * static_cast<double>(n * options_.limits.max_features);
  }

  void enter(const Node& node, Scratch& scratch) const {
    LaneNode& lanes = scratch.node;
    lanes.n = node.size();
    lanes.min_samples_leaf = options_.limits.min_samples_leaf;
    GRAMIAN_DISPATCH(sum_lanes, words_of(node), node.size(), lanes.lanes);
    scratch.criterion.enter(lanes.lanes + 1);
    lanes.weight = static_cast<std::uint32_t>(scratch.criterion.weight());
  }

  double impurity(const Node&, const Scratch&) const { return 0.0; }  // follows from the counts

  Split find(Node& node, Scratch& scratch, const Context&) const {
    make_room(node, scratch);
    read_all_bits(node, scratch);
    scratch.path = node.path;
    const double perfect = scratch.criterion.perfect_score(node.size());
    Split best;
    scratch.draw.template visit<StreamOf<2>>(node.path, [&](std::int64_t f) {
      const RowCodes::Place& place = columns_.row_codes().place(f);
      const bool varies = place.is_bit ? look_at_bit(node, f, place.index, scratch, best)
                                       : look_at_codes(node, f, scratch, best);
      if (best.is_found() && best.score >= perfect) return Seen::enough;
      return varies ? Seen::varying : Seen::constant;
    });
    if (!best.is_found()) return best;
    best.is_perfect = best.score >= perfect;
    best.set_threshold(columns_.code_value(best.left_handle, best.feature),
                       columns_.code_value(best.right_handle, best.feature));
    return best;
  }

  void apply(const Node& node, Split& split, Scratch& scratch, const Context&) {
    std::uint32_t* words = rows_.data() + node.begin;
    const RowCodes::Place& place = columns_.row_codes().place(split.feature);
    if (scratch.path != node.path) {
      make_room(node, scratch);
      if (place.is_bit)
        read_all_bits(node, scratch);
      else
        read(node, split.feature, scratch.best_codes.data());
    }
    scratch.path = 0;
    std::uint32_t* right = scratch.right.data();
    split.n_left = place.is_bit ? GRAMIAN_DISPATCH(part_by_bit, bits_of(node, place.index, scratch),
                                                   static_cast<int>(place.index % 64), words,
                                                   node.size(), right)
                                : GRAMIAN_DISPATCH(part_by_codes, scratch.best_codes.data(),
                                                   split.last_left, words, node.size(), right);
  }

  std::vector<std::uint32_t> take_rows() {
    for (std::uint32_t& word : rows_) word &= kWordRow;
    return std::move(rows_);
  }

 private:
  const std::uint32_t* words_of(const Node& node) const { return rows_.data() + node.begin; }

  static const std::uint64_t* bits_of(const Node& node, std::int64_t bit, const Scratch& scratch) {
    return scratch.bits.data() + bit / 64 * node.size();
  }

  void make_room(const Node& node, Scratch& scratch) const {
    const auto n = static_cast<std::size_t>(node.size());
    constexpr std::size_t kRoom = 32;  // of a vector
    if (scratch.codes.size() >= n + kRoom) return;
    scratch.bits.resize(n * static_cast<std::size_t>(columns_.row_codes().n_words()));
    scratch.codes.resize(n + kRoom);
    scratch.best_codes.resize(n + kRoom);
    scratch.cell_codes.resize(n);
    scratch.keys.resize(n);
    scratch.right.resize(n + kRoom);
  }

  void read_all_bits(const Node& node, Scratch& scratch) const {
    const RowCodes& codes = columns_.row_codes();
    for (std::int64_t word = 0; word < codes.n_words(); ++word) {
      const auto [from, step] = codes.words(word, node.size());
      const BitRange range = GRAMIAN_DISPATCH(read_bits, from, step, words_of(node), node.size(),
                                              scratch.bits.data() + word * node.size());
      scratch.varying[static_cast<std::size_t>(word)] = range.any & ~range.all;
    }
  }

  // Reads a column's codes; whether they differ. Of many rows the codes of a column are read, of
  // few those of the rows: see row_codes.hpp.
  bool read(const Node& node, std::int64_t feature, std::uint16_t* codes) const {
    constexpr std::int64_t kLine = 64 / sizeof(std::uint16_t);
    const RowCodes& rows = columns_.row_codes();
    const std::uint32_t* words = words_of(node);
    if (node.size() * kLine < columns_.n_rows())
      return GRAMIAN_DISPATCH(read_codes, rows.data() + rows.place(feature).index, rows.stride(),
                              words, node.size(), codes);
    const Codes& column = columns_.codes(feature);
    if (const auto* bytes = std::get_if<Buffer<std::uint8_t>>(&column))
      return GRAMIAN_DISPATCH(read_codes, bytes->data(), 1, words, node.size(), codes);
    return GRAMIAN_DISPATCH(read_codes, std::get<Buffer<std::uint16_t>>(column).data(), 1, words,
                            node.size(), codes);
  }

  bool look_at_bit(const Node& node, std::int64_t feature, std::int64_t bit, Scratch& scratch,
                   Split& best) const {
    if ((scratch.varying[static_cast<std::size_t>(bit / 64)] >> bit % 64 & 1) == 0) return false;
    std::uint32_t cells[kLanes];  // of the rows without the bit; the others are the second cell
    GRAMIAN_DISPATCH(sum_lanes_without, bits_of(node, bit, scratch), static_cast<int>(bit % 64),
                     words_of(node), node.size(), cells);
    const CellCut cut = GRAMIAN_DISPATCH(best_cell_cut, cells, 1, scratch.node, best.score);
    if (cut.last >= 0) keep(cut, feature, 0, 1, best);
    return true;
  }

  bool look_at_codes(const Node& node, std::int64_t feature, Scratch& scratch, Split& best) const {
    if (!read(node, feature, scratch.codes.data())) return false;
    const bool improves = scratch.node.weight <= kMostOfBytes
                              ? look_at_few(node, feature, scratch, best)
                          : scratch.node.weight <= kMostOfPairs
                              ? look_at_many(feature, scratch.pair_cells, node, scratch, best)
                              : look_at_many(feature, scratch.cells, node, scratch, best);
    if (improves) std::swap(scratch.codes, scratch.best_codes);
    return true;
  }

  // A cell for every code of the column from the lowest to the highest in the node.
  static constexpr std::int64_t kDense = 2;  // codes to a row, for which that is fastest

  bool look_at_few(const Node& node, std::int64_t feature, Scratch& scratch, Split& best) const {
    const std::int64_t n = node.size();
    auto& cells = scratch.byte_cells;
    if (cells.size() < static_cast<std::size_t>(n + kSpareCells))
      cells.resize(static_cast<std::size_t>(n + kSpareCells));
    GRAMIAN_DISPATCH(rank_cells, scratch.codes.data(), words_of(node), n, cells.data(),
                     scratch.cell_codes.data());
    const CellCut cut = GRAMIAN_DISPATCH(best_cell_cut, cells.data(), n, scratch.node, best.score);
    if (cut.last < 0) return false;
    std::int64_t next = cut.last + 1;
    while (cells[static_cast<std::size_t>(next)] == 0) ++next;
    keep(cut, feature, scratch.cell_codes[static_cast<std::size_t>(cut.last)],
         scratch.cell_codes[static_cast<std::size_t>(next)], best);
    return true;
  }

  template <class Count>
  bool look_at_many(std::int64_t feature, std::vector<Count>& cells, const Node& node,
                    Scratch& scratch, Split& best) const {
    const std::int64_t n = node.size();
    const std::uint16_t* codes = scratch.codes.data();
    const auto [lowest, highest] = GRAMIAN_DISPATCH(range_of_codes, codes, n);
    const std::int64_t n_codes = highest - lowest + 1;
    const bool is_dense = n_codes <= kDense * n;
    const std::int64_t n_cells = is_dense ? count_cells(node, lowest, n_codes, codes, cells)
                                          : sort_cells(node, lowest, n_codes, scratch, cells);
    const CellCut cut =
        GRAMIAN_DISPATCH(best_cell_cut, cells.data(), n_cells, scratch.node, best.score);
    if (cut.last < 0) return false;
    std::int64_t next = cut.last + 1;
    while (cells[static_cast<std::size_t>(kLanes * next)] == 0) ++next;
    const auto code_of = [&](std::int64_t cell) {
      return is_dense ? static_cast<std::uint32_t>(lowest + cell)
                      : scratch.cell_codes[static_cast<std::size_t>(cell)];
    };
    keep(cut, feature, code_of(cut.last), code_of(next), best);
    return true;
  }

  template <class Count>
  static void add_to_cell(std::uint32_t word, Count* cell) {
    cell[0] = static_cast<Count>(cell[0] + 1);
    Count& weight = cell[word >> 29];
    weight = static_cast<Count>(weight + (word >> kWordRowBits & kWordWeight));
  }

  template <class Count>
  std::int64_t count_cells(const Node& node, std::int64_t lowest, std::int64_t n_codes,
                           const std::uint16_t* codes, std::vector<Count>& cells) const {
    const std::uint32_t* words = words_of(node);
    cells.assign(static_cast<std::size_t>(kLanes * (n_codes + kSpareCells)), Count{0});
    Count* first = cells.data();
    for (std::int64_t i = 0; i < node.size(); ++i)
      add_to_cell(words[i], first + kLanes * (codes[i] - lowest));
    return n_codes;
  }

  template <class Count>
  std::int64_t sort_cells(const Node& node, std::int64_t lowest, std::int64_t n_codes,
                          Scratch& scratch, std::vector<Count>& cells) const {
    constexpr int kBits = 32 - kWordRowBits;  // of a key, below the code
    const std::int64_t n = node.size();
    const std::span<std::uint32_t> keys(scratch.keys.data(), static_cast<std::size_t>(n));
    const auto key_of = [words = words_of(node), codes = scratch.codes.data(),
                         low = static_cast<std::uint32_t>(lowest)](std::size_t i) {
      return (codes[i] - low) << kBits | words[i] >> kWordRowBits;
    };
    const auto code_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n_codes)));
    scratch.sort(keys, kBits, kBits + code_bits, key_of, kSortFewPacked);
    cells.assign(static_cast<std::size_t>(kLanes * (n + kSpareCells)), Count{0});
    std::int64_t n_cells = 0;
    std::uint32_t last = keys[0] >> kBits;
    for (const std::uint32_t key : keys) {
      n_cells += key >> kBits != last;
      last = key >> kBits;
      add_to_cell(key << kWordRowBits, cells.data() + kLanes * n_cells);
      scratch.cell_codes[static_cast<std::size_t>(n_cells)] =
          static_cast<std::uint16_t>(lowest + last);
    }
    return n_cells + 1;
  }

  static void keep(const CellCut& cut, std::int64_t feature, std::uint32_t left_code,
                   std::uint32_t right_code, Split& best) {
    best.score = cut.score;
    best.feature = feature;
    best.last_left = best.left_handle = left_code;
    best.right_handle = right_code;
    best.has_right = true;
    best.missing_left = cut.is_left_heavier;
  }
};

}  // namespace gramian::tree
