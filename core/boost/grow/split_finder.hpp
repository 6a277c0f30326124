// The best split of a node from its histogram.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "boost/bins/bins.hpp"
#include "boost/grow/options.hpp"
#include "boost/grow/pairs.hpp"
#include "boost/grow/scan_kernel.hpp"
#include "tree/format/bounds.hpp"

namespace gramian::boost {

using tree::Bounds;

struct NodeSplit {
  double gain = 0.0;
  std::int64_t feature = -1;  // -1: none
  std::int32_t last_bin = 0;  // numeric: the last bin on the left
  bool missing_left = false;
  bool saw_missing = false;
  Pair left = 0;                       // sums of the left side
  std::array<bool, kMaxCodes> bins{};  // which bins go left, that of missing values included

  bool is_found() const { return feature >= 0; }
};

// The codes of the split column's track that go left.
CodeSet codes_left(const Feature& feature, const NodeSplit& split);

// The best value of a leaf with these sums, before the learning rate, where no column is
// constrained.
double newton_step(double gradient, double hessian, const TreeOptions& options);

// What a search knows of a node.
struct NodeView {
  const Pair* cells;  // its histogram
  Pair total;
  std::span<const std::uint32_t> rows;
  Bounds bounds;
};

class SplitFinder {
 public:
  // `row_weight`: how often each row counts, by row number; empty: once.
  SplitFinder(const Bins& bins, const TreeOptions& options, const Units& units,
              std::span<const double> row_weight);

  // Equal gains: the earlier column and the lower cut win.
  NodeSplit find(const NodeView& node, std::span<const std::int32_t> features,
                 const Context& ctx) const;

  // One split for all nodes, of the largest sum of gains over those nodes that may be split by it;
  // returned for each node, with its own sums. Empty if there is no gain.
  std::vector<NodeSplit> find_common(std::span<const NodeView> nodes,
                                     std::span<const std::int32_t> features,
                                     const Context& ctx) const;

  // The best value of a leaf, before the learning rate.
  double leaf_value(double gradient, double hessian, const Bounds& bounds) const;
  double value_of(Pair sum, const Bounds& bounds) const {
    return leaf_value(static_cast<double>(gradient_of(sum)) * units_.gradient,
                      static_cast<double>(hessian_of(sum)) * units_.hessian, bounds);
  }

 private:
  static constexpr double kScanCost = 0.6;  // nanoseconds for a cell

  // The cuts of one column: missing values on the right, on the left, or one bin alone.
  enum class Way { missing_right, missing_left, alone };
  static constexpr std::array kWays{Way::missing_right, Way::missing_left, Way::alone};
  static constexpr std::size_t index(Way way) { return static_cast<std::size_t>(way); }
  struct Cut {
    double score = -1.0;
    Way way = Way::missing_right;
    std::int32_t place = -1;  // last place on the left, or the bin that is alone
    bool is_idle = false;     // whether it leaves all rows of each node on one side
  };
  // The cells of a column in the order in which they are cut.
  struct Sequence {
    std::array<Pair, kMaxCodes> cells;
    std::array<std::int32_t, kMaxCodes> bin;  // at each place
    std::int32_t n = 0;
    Pair missing = 0;  // apart from the sequence: of numbers, or the levels of too few rows
    bool has_rare = false;
    bool is_one_hot = false;
    double extra_l2 = 0.0;
    bool is_ordered = false;    // levels, by their gradients
    double least_group = 0.0;   // hessian of `level_group` rows
    std::int32_t n_absent = 0;  // levels without rows that have a place in the order
  };
  // Scores of all cuts of one sequence.
  struct Scores {
    std::array<std::array<double, kMaxCodes>, 3> of;  // by way and place
    double best = -1.0;
  };

  std::vector<double> screen(const NodeView& node) const;
  double bound_of(const NodeView& node, std::int32_t feature) const;
  NodeSplit find_in(const NodeView& node, std::int32_t feature, double base,
                    double least_gain) const;
  void read(const Feature& feature, const NodeView& node, Sequence& out) const;
  void read_bundled(const Feature& feature, const Pair* cells, Pair total, Sequence& out) const;
  void order_levels(const Feature& feature, const NodeView& node, Sequence& out) const;
  double hessian_of_rows(const NodeView& node, double n_rows) const;
  void set_levels_apart(const Feature& feature, Sequence& out) const;
  void score(const NodeView& node, std::int32_t feature, const Sequence& cells, Scores& out) const;
  double score_way(const NodeView& node, int sign, const Sequence& cells, Way way,
                   double* scores) const;
  static std::int32_t n_cuts(const Sequence& cells, Way way);
  static std::int32_t first_cut(const Sequence& cells, Way way);
  double leave_allowed(const NodeView& node, const Sequence& cells, Way way, double* scores) const;
  void allow_from_end(const NodeView& node, const Sequence& cells, Way way, bool from_right,
                      bool* is_allowed) const;
  bool is_rest_left(const Sequence& cells, const Cut& cut, bool is_left_heavier) const;
  Pair left_of(const Sequence& cells, const Cut& cut) const;
  Cut first_best(const Sequence& cells, const Scores& scores) const;
  Cut best_counted(const NodeView& node, const Feature& feature, const Sequence& cells,
                   const Scores& scores) const;
  bool has_enough_rows(Pair left, Pair total) const;
  bool counts_enough_rows(const NodeView& node, const Feature& feature,
                          const NodeSplit& split) const;
  NodeSplit make_split(const NodeView& node, std::int32_t feature, const Sequence& cells,
                       const Cut& cut, double gain) const;
  Cut find_common_in(std::span<const NodeView> nodes, std::int32_t feature) const;
  // Of all cuts of one way: gradients times values, and squares of the values by hessian.
  struct CosineSums {
    std::array<double, kMaxCodes> along, length;
    std::array<bool, kMaxCodes> has_left, has_right;
    std::array<bool, kMaxCodes> is_cut;  // some node has rows on both sides
  };
  void add_cosines(const NodeView& node, const Sequence& cells, Way way, CosineSums& sums) const;
  Cut find_cosine_in(std::span<const NodeView> nodes, std::int32_t feature) const;
  void add_noise(std::span<Cut> cuts, std::size_t n_nodes) const;
  NodeSplit make_common(const NodeView& node, std::int32_t feature, const Cut& cut) const;
  void unify(std::span<NodeSplit> splits, const Feature& feature) const;
  // The score of the node as a leaf, and what a cut of this score gains over it.
  double unsplit_score(const NodeView& node) const;
  double gain_of(double score, double base) const { return score * gain_unit_ - base; }
  double bounded_score(Pair left, Pair right, int sign, const Bounds& bounds, double l2) const;
  double objective(Pair sum, double value, double l2) const;

  const Bins& bins_;
  const TreeOptions& options_;
  const Units& units_;
  std::span<const double> row_weight_;
  CutRules rules_;
  std::vector<std::int64_t> screened_;         // cell of each feature whose score screen() finds
  std::vector<std::int32_t> screened_tracks_;  // that have such features
  double gain_unit_;  // a score in the whole numbers of the pairs times this is a gain
};

}  // namespace gramian::boost
