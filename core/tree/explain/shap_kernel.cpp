#include "tree/explain/shap_kernel.hpp"

#include <algorithm>

#include "simd/mask.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

using tree::ShapCondition;
using tree::ShapMove;
using tree::ShapProgram;
using tree::ShapSplit;
using tree::ShapStep;

constexpr int kLanes = VecD::kLanes;
constexpr std::uint8_t kAll = 0xff;

// What the eight rows do at a split: go left, and are still on the path as far as its feature goes.
struct Turns {
  std::uint8_t left;
  std::uint8_t on;
};

// Sums over leaves below a child, at the nodes of the rule; a leaf's are all equal.
struct Sums {
  const double* data;
  int stride;

  VecD at(int k) const { return VecD::load(data + k * stride); }
};

// kNodes = 0: the number of nodes is known at run time only.
template <int kNodes>
class Walk {
 public:
  Walk(const ShapProgram& program, const ShapCondition& condition, const tree::ShapRows& rows)
      : program_(program), condition_(condition), rows_(rows) {}

  void run() {
    for (int k = 0; k < n_nodes(); ++k)
      VecD::set1(program_.weight[k]).store(product(0) + kLanes * k);
    for (std::int64_t i = 0; i < program_.n_steps; ++i) {
      const ShapStep step = program_.steps[i];
      const ShapSplit& split = program_.splits[step.split];
      const Turns turns = turns_at(step.split, split);
      switch (step.move) {
        case ShapMove::leaves:
          close_leaves(split, turns);
          break;
        case ShapMove::to_left:
          open(split, turns);
          break;
        case ShapMove::to_right:
          turn(split, turns);
          break;
        case ShapMove::up:
          close(split, turns);
          break;
      }
    }
  }

 private:
  int n_nodes() const { return kNodes > 0 ? kNodes : program_.n_nodes; }
  double* slot(int depth, int kind) const {
    return rows_.workspace + (4 * static_cast<std::int64_t>(depth) + kind) * kLanes * n_nodes();
  }
  double* product(int depth) const { return slot(depth, 0); }  // P at a node of this depth
  double* factor(int depth) const { return slot(depth, 1); }   // R_L of the split at this depth
  double* sum(int depth, bool is_right) const { return slot(depth, is_right ? 3 : 2); }

  Turns turns_at(std::int32_t number, const ShapSplit& split) const {
    return {static_cast<std::uint8_t>(rows_.left[number] >> rows_.shift),
            split.above < 0 ? kAll : rows_.on[split.above]};
  }

  // R_L at eight nodes of the rule for rows on the path that go left, and right.
  void factors(const ShapSplit& split, int first, double* left, double* right) const {
    VecD cold = VecD::set1(split.left_fraction), hot = cold;
    if (split.feature != condition_.feature) {
      cold = VecD::load(program_.complement + first) * VecD::set1(split.fraction_left);
      hot = VecD::load(program_.node + first) + cold;
      if (split.above >= 0) {
        const VecD inverse = VecD::load(program_.inverses + split.inverse + first);
        cold = cold * inverse;
        hot = hot * inverse;
      }
    } else if (condition_.is_known) {
      cold = VecD::zero();
      hot = VecD::set1(1.0);
    }
    hot.store(left);
    cold.store(right);
  }

  // body(k, R_L) for each node k of the rule.
  template <class Body>
  void each_factor(const ShapSplit& split, Turns turns, Body&& body) const {
    alignas(64) double left[kLanes], right[kLanes];
    const LaneMask goes_left(turns.left), is_on(turns.on);
    const VecD off = VecD::set1(split.left_fraction);
    for (int first = 0; first < n_nodes(); first += kLanes) {
      factors(split, first, left, right);
      const int count = std::min(kLanes, n_nodes() - first);
      for (int i = 0; i < count; ++i) {
        VecD ratio = select(goes_left, VecD::set1(left[i]), VecD::set1(right[i]));
        if (turns.on != kAll) ratio = select(is_on, ratio, off);
        body(first + i, ratio);
      }
    }
  }

  // Down into the left child, or past it if it is a leaf.
  void open(const ShapSplit& split, Turns turns) const {
    const double* P = product(split.depth);
    double* R = factor(split.depth);
    double* below = product(split.depth + 1);
    rows_.on[split.depth] = static_cast<std::uint8_t>(turns.on & turns.left);
    each_factor(split, turns, [&](int k, VecD ratio) {
      ratio.store(R + kLanes * k);
      (VecD::load(P + kLanes * k) * ratio).store(below + kLanes * k);
    });
  }

  // Down into the right child.
  void turn(const ShapSplit& split, Turns turns) const {
    const double* P = product(split.depth);
    const double* R = factor(split.depth);
    double* below = product(split.depth + 1);
    rows_.on[split.depth] = static_cast<std::uint8_t>(turns.on & ~turns.left);
    if (split.left_leaf >= 0) {
      double* ratios = factor(split.depth);
      each_factor(split, turns, [&](int k, VecD ratio) { ratio.store(ratios + kLanes * k); });
    }
    for (int k = 0; k < n_nodes(); ++k) {
      const VecD above = VecD::load(P + kLanes * k);
      (above - above * VecD::load(R + kLanes * k)).store(below + kLanes * k);
    }
  }

  void close(const ShapSplit& split, Turns turns) const {
    alignas(64) double constant[2 * kLanes];
    const Sums left = sums(split.left_leaf, split.depth, false, constant);
    const Sums right = sums(split.right_leaf, split.depth, true, constant + kLanes);
    const double* R = factor(split.depth);
    const double* P = product(split.depth);
    double* S = sum(split.depth, split.is_right_child);
    VecD total = VecD::zero();
    for (int k = 0; k < n_nodes(); ++k) {
      const VecD below = right.at(k), difference = left.at(k) - below;
      fma(VecD::load(R + kLanes * k), difference, below).store(S + kLanes * k);
      total = fma(weighed(split, k, VecD::load(P + kLanes * k)), difference, total);
    }
    add_gain(split, turns, total);
  }

  void close_leaves(const ShapSplit& split, Turns turns) const {
    const VecD below = VecD::set1(rows_.values[split.right_leaf]);
    const VecD difference = VecD::set1(rows_.values[split.left_leaf]) - below;
    const double* P = product(split.depth);
    double* S = sum(split.depth, split.is_right_child);
    VecD total = VecD::zero();
    each_factor(split, turns, [&](int k, VecD ratio) {
      fma(ratio, difference, below).store(S + kLanes * k);
      total = total + weighed(split, k, VecD::load(P + kLanes * k));
    });
    add_gain(split, turns, total * difference);
  }

  Sums sums(std::int32_t leaf, int depth, bool is_right, double* constant) const {
    if (leaf < 0) return {sum(depth + 1, is_right), kLanes};
    VecD::set1(rows_.values[leaf]).store(constant);
    return {constant, 0};
  }

  // P / F_before^2 at node k.
  VecD weighed(const ShapSplit& split, int k, VecD P) const {
    if (split.above < 0) return P;
    const VecD inverse = VecD::set1(program_.inverses[split.inverse + k]);
    return P * (inverse * inverse);
  }

  void add_gain(const ShapSplit& split, Turns turns, VecD total) const {
    if (split.feature == condition_.feature) return;
    VecD gain =
        select(LaneMask(turns.left), VecD::set1(split.gain_left), VecD::set1(split.gain_right));
    gain = select(LaneMask(turns.on), gain, VecD::zero());
    double* phi = rows_.phi + kLanes * static_cast<std::int64_t>(split.feature);
    fma(gain, total, VecD::load(phi)).store(phi);
  }

  const ShapProgram& program_;
  const ShapCondition& condition_;
  const tree::ShapRows& rows_;
};

}  // namespace

void shap_walk(const ShapProgram& program, const ShapCondition& condition,
               const tree::ShapRows& rows) {
  switch (program.n_nodes) {
    case 1:
      return Walk<1>(program, condition, rows).run();
    case 2:
      return Walk<2>(program, condition, rows).run();
    case 3:
      return Walk<3>(program, condition, rows).run();
    case 4:
      return Walk<4>(program, condition, rows).run();
    case 5:
      return Walk<5>(program, condition, rows).run();
    case 6:
      return Walk<6>(program, condition, rows).run();
    case 7:
      return Walk<7>(program, condition, rows).run();
    case 8:
      return Walk<8>(program, condition, rows).run();
    default:
      return Walk<0>(program, condition, rows).run();
  }
}

std::uint64_t less_equal_bits(const double* x, double threshold) {
  const VecD limit = VecD::set1(threshold);
  std::uint64_t bits = 0;
  for (int i = 0; i < 64; i += kLanes)
    bits |= static_cast<std::uint64_t>(less_equal(VecD::load(x + i), limit)) << i;
  return bits;
}

}  // namespace gramian::GRAMIAN_ISA
