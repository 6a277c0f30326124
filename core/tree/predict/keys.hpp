// How a forest sees its columns: every value becomes a 32-bit key and every numeric split a
// threshold key, such that value <= threshold exactly if key <= threshold key.
//
// - A column of floats: the order of the floats (keys_kernel.hpp). Doubles are rounded to float
//   first; the threshold is that of the largest float that is not above it.
// - A column compared in double: 1 + the number of the forest's own thresholds below the value.
// - A column of levels: 1 + the level, or kNoLevel for a missing or unknown one.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "base/context.hpp"
#include "base/views.hpp"
#include "tree/format/trees.hpp"
#include "tree/predict/double_ranks.hpp"
#include "tree/predict/keys_kernel.hpp"
#include "tree/predict/rank_table.hpp"

namespace gramian::tree {

class KeySpace {
 public:
  // `trees` has passed its check.
  KeySpace(const TreesView& trees, const Context& ctx);
  KeySpace(KeySpace&&) = default;

  // Keys of a row: one for each slot. The last slot stands for no column; it holds kIdleKey.
  std::int64_t n_slots() const { return n_slots_; }
  std::int64_t slot_of(std::int64_t column) const {
    return slots_[static_cast<std::size_t>(column)];
  }
  std::int64_t idle_slot() const { return n_slots_ - 1; }
  bool has_levels() const { return !levels_.empty(); }
  // Most levels of a column that is used.
  std::int64_t max_levels() const {
    double most = 0.0;
    for (const Levels& levels : levels_) most = most < levels.n_levels ? levels.n_levels : most;
    return static_cast<std::int64_t>(most);
  }
  // Of each slot: what it holds.
  const std::vector<SlotKind>& slot_kinds() const { return slot_kinds_; }

  // Of each split of a tree of the format this was made from: the threshold key, or the set of
  // levels itself (SlotKind::few_levels), or where it begins. Not after forget_trees().
  void write_threshold_keys(const TreesView& trees, std::int64_t tree, std::uint32_t* keys) const;

  // Frees what only write_threshold_keys() needs.
  void forget_trees() { split_ranks_.reset(); }

  // keys[i * row_step + slot * slot_step] for the rows begin .. end; whether a number is missing.
  bool write(const AnyDense& X, std::int64_t begin, std::int64_t end, std::uint32_t* keys,
             std::int64_t row_step, std::int64_t slot_step) const;
  // The same in groups of rows, each slot by slot: keys[(group * n_slots + slot) * size + i].
  bool write_groups(const AnyDense& X, std::int64_t begin, std::int64_t end, std::int64_t size,
                    std::uint32_t* keys) const;
  // Of each slot the number of its different thresholds, if the threshold keys are 1 to that, or 0.
  std::vector<std::int64_t> n_ranks() const;

 private:
  struct Ranked {  // a column compared in double
    std::int64_t column;
    std::int64_t slot;
    DoubleTable thresholds;
  };
  struct Levels {
    std::int64_t column;
    std::int64_t slot;
    double n_levels;
  };

  void place_columns(const TreesView& trees, const std::vector<std::uint8_t>& is_used);
  void rank_thresholds(const TreesView& trees, const Context& ctx);
  template <class T>
  static bool write_ranked(const Ranked& ranked, MatrixView<const T> rows, std::uint32_t* keys,
                           std::int64_t row_step, std::int64_t slot_step);
  // All but what is ranked.
  template <class T>
  bool write_rest(MatrixView<const T> rows, std::uint32_t* keys, std::int64_t row_step,
                  std::int64_t slot_step) const;
  template <class T>
  bool write_groups_of(MatrixView<const T> rows, std::int64_t size, std::uint32_t* keys) const;
  template <class T>
  bool write_plain(MatrixView<const T> rows, std::uint32_t* keys, std::int64_t row_step,
                   std::int64_t slot_step) const;

  std::vector<std::int64_t> slots_;   // of each column; 0 for one that no split uses
  bool is_listed_ = false;            // else slot j is column j
  std::vector<std::int64_t> listed_;  // column of each slot
  std::int64_t n_slots_ = 0;
  std::vector<Ranked> ranked_;
  std::vector<Levels> levels_;
  std::vector<std::uint8_t> is_ranked_;       // of each column; empty if there is none
  std::unique_ptr<DoubleRanks> split_ranks_;  // of a forest that has any
  std::vector<SlotKind> slot_kinds_;
};

}  // namespace gramian::tree
