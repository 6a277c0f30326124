// The problem restricted to a few columns, solved through their Gram matrix or, where that would be
// too large, through the residuals.
#pragma once

#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "random/philox.hpp"
#include "solve/descent/columns.hpp"
#include "solve/descent/extrapolation.hpp"
#include "solve/descent/penalty.hpp"

namespace gramian::solve {

// Coefficients of all columns and what belongs to them, target-major.
struct Iterate {
  std::vector<double> coef;   // t x p
  std::vector<double> slope;  // t x p: <x_j, r_c>
  double rr = 0.0;
};

struct Limits {
  double goal;              // stop when the duality gap of the restricted problem is this small
  std::int64_t max_epochs;  // visits of all columns
  bool random_order;
};

class WorkingSet {
 public:
  WorkingSet(const Columns& columns, const ColumnSums& sums);

  const std::vector<std::int64_t>& cols() const { return cols_; }
  bool contains(std::int64_t j) const { return is_member_[static_cast<std::size_t>(j)] != 0; }
  void add(std::span<const std::int64_t> cols);

  // Minimises over the columns of the set; those outside are zero. The slopes of columns outside
  // are out of date afterwards. Returns the number of epochs.
  std::int64_t descend(const Penalty& penalty, const Limits& limits, Iterate& iterate,
                       Stream& stream, const Context& ctx);

 private:
  bool uses_gram() const { return size() <= columns_.max_gram_size(); }
  std::int64_t size() const { return static_cast<std::int64_t>(cols_.size()); }
  std::int64_t n_targets() const { return columns_.n_targets(); }
  void form_gram(const Context& ctx);
  void load(const Iterate& iterate);
  void store(Iterate& iterate) const;
  void shuffle(Stream& stream);
  Bounds bounds_of(const Penalty& penalty, double rr) const;
  double residual_square() const;
  double objective(const Penalty& penalty) const;
  void extrapolate(const Penalty& penalty);
  bool newton_step(const Penalty& penalty, const Context& ctx);
  int solve_on_support(const Penalty& penalty, const Context& ctx);
  std::vector<std::int64_t> support() const;
  std::int64_t descend_by_gram(const Penalty& penalty, const Limits& limits, Stream& stream,
                               const Context& ctx);
  std::int64_t descend_by_residuals(const Penalty& penalty, const Limits& limits, Stream& stream,
                                    const Context& ctx);
  double visit(const Penalty& penalty, ResidualSpace& space, std::int64_t k);
  void measure_slopes(const ResidualSpace& space);

  const Columns& columns_;
  const ColumnSums& sums_;
  std::vector<std::int64_t> cols_;
  std::vector<char> is_member_;
  std::int64_t n_formed_ = 0;  // columns in the Gram matrix
  std::int64_t ld_ = 0;
  Buffer<double> gram_;
  // Target-major with stride ld_: now, and at the start of a descent.
  std::vector<double> coef_, slope_, first_coef_, first_slope_, cross_;
  double first_rr_ = 0.0;
  std::vector<std::int64_t> order_;
  Extrapolation history_;
};

}  // namespace gramian::solve
