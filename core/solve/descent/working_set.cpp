// Coordinate descent in Gram space: a coordinate costs one row of the working set's Gram matrix,
// and nothing if it does not move, so that the gap can be looked at after every epoch. Anderson
// extrapolation speeds up the tail; once the support is settled, one Newton step solves for it.
#include "solve/descent/working_set.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "base/index.hpp"
#include "linalg/cholesky.hpp"
#include "solve/descent/coordinate_descent_kernel.hpp"

namespace gramian::solve {
namespace {

// Steps that take less than this share of |y|^2 off the objective are rounding.
constexpr double kRounding = 1e-30;
constexpr std::int64_t kPatience = 20;  // epochs after which a settled support is not waited for
constexpr std::int64_t kSmall = 256;    // a support this small is factorised for little
constexpr int kMaxDrops = 32;           // coefficients that Newton steps may set to zero in a row
constexpr double kRidge = 1e-9;         // makes a singular Gram matrix definite

}  // namespace

WorkingSet::WorkingSet(const Columns& columns, const ColumnSums& sums)
    : columns_(columns), sums_(sums), is_member_(at(columns.n_features()), 0) {}

void WorkingSet::add(std::span<const std::int64_t> cols) {
  for (const std::int64_t j : cols) {
    cols_.push_back(j);
    is_member_[at(j)] = 1;
  }
}

void WorkingSet::form_gram(const Context& ctx) {
  if (n_formed_ == size()) return;
  const std::int64_t needed = n_panels(size()) * kLanes;
  if (needed > ld_) {
    const std::int64_t room =
        std::max(needed, std::min(2 * ld_, columns_.max_gram_size() + kLanes));
    const std::int64_t ld = n_panels(room) * kLanes;
    auto grown = Buffer<double>::zeros(ld * ld);
    for (std::int64_t k = 0; k < n_formed_; ++k)
      std::copy_n(gram_.data() + k * ld_, n_formed_, grown.data() + k * ld);
    gram_ = std::move(grown);
    ld_ = ld;
  }
  columns_.extend_gram(cols_, n_formed_, gram_.data(), ld_, ctx);
  n_formed_ = size();
}

void WorkingSet::load(const Iterate& iterate) {
  const std::int64_t p = columns_.n_features();
  for (auto* array : {&coef_, &slope_, &cross_}) array->assign(at(n_targets() * ld_), 0.0);
  for (std::int64_t c = 0; c < n_targets(); ++c)
    for (std::int64_t k = 0; k < size(); ++k) {
      const std::int64_t j = c * p + cols_[at(k)];
      coef_[at(c * ld_ + k)] = iterate.coef[at(j)];
      slope_[at(c * ld_ + k)] = iterate.slope[at(j)];
      cross_[at(c * ld_ + k)] = sums_.cross[at(j)];
    }
  first_coef_ = coef_;
  first_slope_ = slope_;
  first_rr_ = iterate.rr;
}

void WorkingSet::store(Iterate& iterate) const {
  const std::int64_t p = columns_.n_features();
  for (std::int64_t c = 0; c < n_targets(); ++c)
    for (std::int64_t k = 0; k < size(); ++k) {
      iterate.coef[at(c * p + cols_[at(k)])] = coef_[at(c * ld_ + k)];
      iterate.slope[at(c * p + cols_[at(k)])] = slope_[at(c * ld_ + k)];
    }
}

void WorkingSet::shuffle(Stream& stream) {
  order_.resize(at(size()));
  for (std::int64_t k = 0; k < size(); ++k) {
    const auto other = static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(k) + 1));
    order_[at(k)] = order_[at(other)];
    order_[at(other)] = k;
  }
}

// |r|^2 from the change d of the coefficients:  r = r0 - X d,  so |r0|^2 - d' (slope0 + slope).
double WorkingSet::residual_square() const {
  double change = 0.0;
  for (std::int64_t c = 0; c < n_targets(); ++c)
    for (std::int64_t k = c * ld_; k < c * ld_ + size(); ++k)
      change += (coef_[at(k)] - first_coef_[at(k)]) * (first_slope_[at(k)] + slope_[at(k)]);
  return std::max(first_rr_ - change, 0.0);
}

Bounds WorkingSet::bounds_of(const Penalty& penalty, double rr) const {
  double explained = 0.0;
  for (std::int64_t c = 0; c < n_targets(); ++c)
    for (std::int64_t k = c * ld_; k < c * ld_ + size(); ++k)
      explained += coef_[at(k)] * cross_[at(k)];
  return bounds(penalty,
                {coef_.data(), slope_.data(), size(), ld_, n_targets(), rr, sums_.yy - explained});
}

double WorkingSet::objective(const Penalty& penalty) const {
  return bounds_of(penalty, residual_square()).primal;
}

void WorkingSet::extrapolate(const Penalty& penalty) {
  const double before = objective(penalty);
  std::vector<double> coef = coef_;
  std::vector<double> slope = slope_;
  if (!history_.extrapolate(coef_, slope_)) return;
  const bool is_allowed = !penalty.is_positive || std::all_of(coef_.begin(), coef_.end(),
                                                              [](double v) { return v >= 0.0; });
  if (is_allowed && objective(penalty) < before) return;
  coef_.swap(coef);
  slope_.swap(slope);
}

std::vector<std::int64_t> WorkingSet::support() const {
  std::vector<std::int64_t> out;
  for (std::int64_t k = 0; k < size(); ++k)
    if (coef_[at(k)] != 0.0) out.push_back(k);
  return out;
}

// Solves  (G_SS + l2) d = slope_S - l2 v_S - l1 sign(v_S)  on the support S and moves along d, up
// to the first change of sign. Whether the whole step was taken.
bool WorkingSet::newton_step(const Penalty& penalty, const Context& ctx) {
  const std::vector<std::int64_t> rows = support();
  const auto m = static_cast<std::int64_t>(rows.size());
  Buffer<double> A(m * m);
  std::vector<double> step(at(m));
  for (std::int64_t a = 0; a < m; ++a) {
    const std::int64_t k = rows[at(a)];
    for (std::int64_t b = 0; b < m; ++b) A[a * m + b] = gram_[k * ld_ + rows[at(b)]];
    A[a * m + a] += penalty.l2;
    const double v = coef_[at(k)];
    step[at(a)] = slope_[at(k)] - penalty.l2 * v - std::copysign(penalty.l1, v);
  }
  auto factor = linalg::Cholesky::factor(A.data(), m, ctx);
  if (!factor) {
    // Dependent columns: along a direction that the data do not have, up to the next zero.
    double largest = 0.0;
    for (std::int64_t a = 0; a < m; ++a) largest = std::max(largest, A[a * m + a]);
    for (std::int64_t a = 0; a < m; ++a) A[a * m + a] += kRidge * largest;
    factor = linalg::Cholesky::factor(A.data(), m, ctx);
  }
  if (!factor) return false;
  factor->solve(step);
  double length = 1.0;
  std::int64_t first = -1;
  for (std::int64_t a = 0; a < m; ++a) {
    const double v = coef_[at(rows[at(a)])];
    const bool may_cross = penalty.l1 > 0.0 || penalty.is_positive;
    if (may_cross && v * (v + step[at(a)]) < 0.0 && -v / step[at(a)] < length) {
      length = -v / step[at(a)];
      first = a;
    }
  }
  for (std::int64_t a = 0; a < m; ++a) {
    const std::int64_t k = rows[at(a)];
    const double updated = a == first ? 0.0 : coef_[at(k)] + length * step[at(a)];
    const double change = updated - coef_[at(k)];
    coef_[at(k)] = updated;
    GRAMIAN_DISPATCH(subtract_column, gram_.data() + k * ld_, 0.0, change, size(), slope_.data());
  }
  return first < 0;
}

// Newton steps, each of which ends where a coefficient becomes zero, until one is whole. Returns
// their number; zero if none was possible.
int WorkingSet::solve_on_support(const Penalty& penalty, const Context& ctx) {
  const bool is_small = static_cast<std::int64_t>(support().size()) <= kSmall;
  const int n_most = is_small ? kMaxDrops : 1;
  for (int k = 0; k < n_most; ++k) {
    ctx.check();
    const auto before = support().size();
    if (newton_step(penalty, ctx)) return k + 1;
    if (support().size() == before) return k;
  }
  return n_most;
}

std::int64_t WorkingSet::descend_by_gram(const Penalty& penalty, const Limits& limits,
                                         Stream& stream, const Context& ctx) {
  history_.clear();
  std::vector<std::int64_t> settled;
  bool newton_works = n_targets() == 1;
  std::int64_t since_newton = 0;
  std::int64_t epochs = 0;
  while (epochs < limits.max_epochs) {
    ctx.check();
    if (limits.random_order) shuffle(stream);
    const double moved = GRAMIAN_DISPATCH(
        sweep_gram, GramSweep{gram_.data(), ld_, size(), n_targets(),
                              limits.random_order ? order_.data() : nullptr, penalty.l1, penalty.l2,
                              penalty.is_positive, coef_.data(), slope_.data()});
    ++epochs;
    ++since_newton;
    if (moved <= kRounding * sums_.yy || ctx.expired()) break;
    if (bounds_of(penalty, residual_square()).gap <= limits.goal) break;
    if (!history_.push(coef_, slope_)) continue;
    std::vector<std::int64_t> now = newton_works ? support() : std::vector<std::int64_t>{};
    const auto m = static_cast<std::int64_t>(now.size());
    // A factorisation costs as much as some epochs: m^3 / 6 fast multiply-adds to m s slow ones.
    const bool is_worth = since_newton >= m * m / (36 * size());
    const bool is_impatient = m <= kSmall && epochs > kPatience;
    if (m > 0 && is_worth && (now == settled || is_impatient)) {
      const int n_steps = solve_on_support(penalty, ctx);
      newton_works = n_steps > 0;
      since_newton = -n_steps * (m * m / (36 * size()));
      history_.clear();
    } else {
      extrapolate(penalty);
    }
    if (bounds_of(penalty, residual_square()).gap <= limits.goal) break;
    settled = std::move(now);
  }
  // The last digits, which the gap does not see, for little.
  const auto n_active = static_cast<std::int64_t>(support().size());
  if (newton_works && n_active > 0 && n_active <= kSmall) solve_on_support(penalty, ctx);
  return epochs;
}

std::int64_t WorkingSet::descend(const Penalty& penalty, const Limits& limits, Iterate& iterate,
                                 Stream& stream, const Context& ctx) {
  std::int64_t epochs = 0;
  if (uses_gram()) {
    form_gram(ctx);
    load(iterate);
    epochs = descend_by_gram(penalty, limits, stream, ctx);
    iterate.rr = residual_square();
  } else {
    ld_ = n_panels(size()) * kLanes;
    n_formed_ = 0;
    gram_ = Buffer<double>();
    load(iterate);
    epochs = descend_by_residuals(penalty, limits, stream, ctx);
  }
  store(iterate);
  return epochs;
}

}  // namespace gramian::solve
