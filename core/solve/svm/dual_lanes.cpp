#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "random/philox.hpp"
#include "solve/sgd/sgd_rows.hpp"
#include "solve/svm/dual_descent.hpp"
#include "solve/svm/dual_lanes_kernel.hpp"
#include "solve/svm/dual_variable.hpp"

namespace gramian::solve {
namespace {

constexpr std::uint16_t kPurpose = 0x5e;
constexpr std::size_t kAhead = 4;  // rows that are fetched before their turn
constexpr std::size_t kLanes = static_cast<std::size_t>(kDualLanes);
constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline DoubleLanes32 lane_kernels(const DoubleLanes32*) {
  return GRAMIAN_DISPATCH(double_lanes_32);
}
inline DoubleLanes64 lane_kernels(const DoubleLanes64*) {
  return GRAMIAN_DISPATCH(double_lanes_64);
}
inline FloatLanes32 lane_kernels(const FloatLanes32*) { return GRAMIAN_DISPATCH(float_lanes_32); }
inline FloatLanes64 lane_kernels(const FloatLanes64*) { return GRAMIAN_DISPATCH(float_lanes_64); }

template <class T>
LaneRow<T, std::int32_t> lane_row(const DenseRow<T>& row) {
  return {row.values, nullptr, row.n};
}
template <class T, class Index>
LaneRow<T, Index> lane_row(const SparseRow<T, Index>& row) {
  return {row.row.values.data(), row.row.cols.data(), std::ssize(row.row.cols)};
}
template <class T>
LaneKernels<T, std::int32_t> kernels_for(const DenseRows<T>&) {
  return lane_kernels(static_cast<const LaneKernels<T, std::int32_t>*>(nullptr));
}
template <class T, class Index>
LaneKernels<T, Index> kernels_for(const SparseRows<T, Index>&) {
  return lane_kernels(static_cast<const LaneKernels<T, Index>*>(nullptr));
}

// How far one machine is.
struct Progress {
  DualResult result;
  double bound = kInfinity;     // slack beyond which a row is left out
  double worst = 0.0;           // violation in this epoch
  std::int64_t n_left_out = 0;  // rows
  bool is_done = false;
};

template <class Rows>
class LaneDescent {
 public:
  LaneDescent(const Rows& X, std::span<const DualLane> lanes, const DualOptions& options)
      : rows_(rows_of(X)),
        kernels_(kernels_for(rows_)),
        lanes_(lanes),
        scaling_(lanes[0].problem.intercept_scaling),
        options_(options),
        stream_(options.seed, options.stream, kPurpose),
        W_(Buffer<double>::zeros(rows_.n_cols() * kDualLanes)),
        progress_(lanes.size()) {
    const std::int64_t n = rows_.n_rows();
    variables_.reserve(at(n) * lanes.size());
    usable_.assign(at(n), 0);
    for (std::int64_t i = 0; i < n; ++i) {
      const double norm = rows_.row(i).squared_norm() + scaling_ * scaling_;
      for (std::size_t l = 0; l < lanes.size(); ++l) {
        variables_.push_back(dual_variable(lanes[l].problem, at(i), 0.0, norm));
        const bool is_usable = variables_.back().lower < variables_.back().upper;
        if (is_usable) usable_[at(i)] |= static_cast<std::uint8_t>(1u << l);
      }
      order_.push_back(i);
    }
    active_ = usable_;
  }

  std::vector<DualResult> run(const Context& ctx) {
    std::size_t n_active = order_.size();
    for (std::int64_t k = 0; k < options_.max_iter && !ctx.expired(); ++k) {
      epoch(n_active, ctx);
      bool is_renewed = false;
      for (std::size_t l = 0; l < lanes_.size(); ++l) is_renewed |= judge(l);
      if (is_renewed) n_active = order_.size();
      if (std::all_of(progress_.begin(), progress_.end(), [](auto& p) { return p.is_done; })) break;
    }
    std::vector<DualResult> results;
    for (std::size_t l = 0; l < lanes_.size(); ++l) results.push_back(store(l));
    return results;
  }

 private:
  // After an epoch: whether the machine is done, or has to look at all its rows again.
  bool judge(std::size_t l) {
    Progress& own = progress_[l];
    if (own.is_done) return false;
    ++own.result.n_iter;
    own.result.violation = own.worst;
    own.bound = own.worst > 0.0 ? own.worst : kInfinity;
    const bool is_small = own.worst <= options_.tol;
    own.worst = 0.0;
    if (!is_small) return false;
    own.is_done = own.result.converged = own.n_left_out == 0;
    own.n_left_out = 0;
    own.bound = kInfinity;
    const auto bit = static_cast<std::uint8_t>(1u << l);
    for (std::size_t i = 0; i < active_.size(); ++i)
      if (own.is_done)
        active_[i] &= static_cast<std::uint8_t>(~bit);
      else
        active_[i] |= static_cast<std::uint8_t>(usable_[i] & bit);
    return !own.is_done;
  }

  void epoch(std::size_t& n_active, const Context& ctx) {
    for (std::size_t k = 0; k + 1 < n_active; ++k)
      std::swap(order_[k], order_[k + stream_.below(n_active - k)]);
    for (std::size_t k = 0; k < n_active;) {
      ctx.check();
      if (k + kAhead < n_active) rows_.prefetch(order_[k + kAhead]);
      if (k + 1 < n_active) prefetch_columns(lane_row(rows_.row(order_[k + 1])));
      const std::int64_t i = order_[k];
      if (active_[at(i)] != 0) step(i);
      if (active_[at(i)] == 0)
        std::swap(order_[k], order_[--n_active]);
      else
        ++k;
    }
  }

  // The coefficients that a sparse row will need; those of a dense one are read in order.
  template <class T, class Index>
  GRAMIAN_PREFETCHES void prefetch_columns(const LaneRow<T, Index>& row) const {
    if (!row.cols) return;
    for (std::int64_t e = 0; e < row.n; ++e)
      __builtin_prefetch(W_.data() + kDualLanes * static_cast<std::int64_t>(row.cols[e]));
  }

  void step(std::int64_t i) {
    alignas(64) std::array<double, kLanes> scores, moves{};
    const auto row = lane_row(rows_.row(i));
    kernels_.times(row.values, row.cols, row.n, W_.data(), scores.data());
    bool has_moved = false;
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      if (!(active_[at(i)] >> l & 1u)) continue;
      moves[l] = move_of(i, l, scores[l] + scaling_ * intercepts_[l]);
      has_moved |= moves[l] != 0.0;
    }
    if (!has_moved) return;
    kernels_.add(row.values, row.cols, row.n, moves.data(), W_.data());
    for (std::size_t l = 0; l < lanes_.size(); ++l) intercepts_[l] += scaling_ * moves[l];
  }

  // By how much u of row i moves in machine l; a row that is left out stays.
  double move_of(std::int64_t i, std::size_t l, double score) {
    DualVariable& v = variables_[at(i) * lanes_.size() + l];
    Progress& own = progress_[l];
    const double dead_zone = lanes_[l].problem.dead_zone;
    const double g = score - v.y + v.curvature * v.u;
    const DualViolation violation = violation_of(v, g, dead_zone);
    if (violation.slack > own.bound) {
      active_[at(i)] &= static_cast<std::uint8_t>(~(1u << l));
      ++own.n_left_out;
      return 0.0;
    }
    own.worst = std::max(own.worst, violation.size);
    if (violation.size == 0.0) return 0.0;
    const double before = v.u;
    v.u = best_value(v, g, dead_zone);
    return v.u - before;
  }

  DualResult store(std::size_t l) const {
    const DualLane& lane = lanes_[l];
    for (std::size_t i = 0; i < lane.dual.size(); ++i)
      lane.dual[i] = variables_[i * lanes_.size() + l].u;
    for (std::int64_t j = 0; j < rows_.n_cols(); ++j)
      lane.params[at(j)] = W_[j * kDualLanes + static_cast<std::int64_t>(l)];
    lane.params.back() = scaling_ * intercepts_[l];
    return progress_[l].result;
  }

  decltype(rows_of(std::declval<const Rows&>())) rows_;
  decltype(kernels_for(rows_)) kernels_;
  std::span<const DualLane> lanes_;
  double scaling_;
  DualOptions options_;
  Stream stream_;
  Buffer<double> W_;  // the machines' coefficients of a column side by side
  std::array<double, kLanes> intercepts_{};
  std::vector<Progress> progress_;
  std::vector<DualVariable> variables_;        // the machines' variables of a row side by side
  std::vector<std::uint8_t> usable_, active_;  // a bit for each machine
  std::vector<std::int64_t> order_;
};

}  // namespace

std::vector<DualResult> dual_descent_in_lanes(const AnyMatrix& X, std::span<const DualLane> lanes,
                                              const DualOptions& options, const Context& ctx) {
  return std::visit(
      [&]<class Rows>(const Rows& rows) {
        return LaneDescent<Rows>(rows, lanes, options).run(ctx);
      },
      X);
}

}  // namespace gramian::solve
