#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "distance/filter_tiles.hpp"
#include "distance/neighbours.hpp"
#include "distance/true_distances.hpp"

namespace gramian::distance {
namespace {

constexpr std::int64_t kSpareCandidates = 16;
constexpr std::int64_t kFewRows = 4;  // of X: rounding Y would cost more than it gains
constexpr std::int64_t kRowsBetweenChecks = 4096;

using Candidate = std::pair<double, std::int32_t>;  // squared distance, row of Y

// The candidates of a chunk of rows: at any time those whose lower bound is not above the k-th
// least upper bound.
template <class T>
class Nearest {
 public:
  Nearest(MatrixView<const T> X, const FilterRows<T>& Y, Self self, MatrixView<std::int64_t> index,
          MatrixView<double> distance, std::int64_t first, std::vector<double> norms)
      : X_(X),
        Y_(Y),
        self_(self),
        index_(index),
        distance_(distance),
        first_(first),
        norms_(std::move(norms)),
        n_kept_(index.n_cols + (self == Self::is_left_out ? 1 : 0)),
        capacity_(capacity_for(n_kept_)),
        table_(whole_tiles(n_rows()), capacity_ + kSurvivorRoom),
        exact_(Y.rows()) {
    for (std::int64_t i = 0; i < n_rows(); ++i)
      if (std::isfinite(norms_[at(i)])) table_[i].limit = kNoLimit;
  }

  static std::int64_t capacity_for(std::int64_t n_kept) { return 2 * n_kept + kSpareCandidates; }

  Survivors& survivors(std::int64_t i) { return table_[i]; }

  void settle(std::int64_t i) {
    if (table_[i].count <= capacity_) return;
    narrow(i);
    if (table_[i].count > capacity_ / 2) keep_best(i);  // many are alike
  }

  void finish(const Context& ctx) {
    for (std::int64_t i = 0; i < n_rows(); ++i) {
      ctx.check();
      if (std::isfinite(norms_[at(i)])) {
        narrow(i);
        rank(i);
      } else {
        rank_all(i, ctx);
      }
      write(first_ + i);
    }
  }

 private:
  std::int64_t n_rows() const { return static_cast<std::int64_t>(norms_.size()); }

  // Lowers the limit to what the candidates prove, and drops those above it.
  void narrow(std::int64_t i) {
    Survivors& row = table_[i];
    if (row.count <= n_kept_) return;
    bounds_.resize(at(row.count));
    for (std::int32_t c = 0; c < row.count; ++c)
      bounds_[at(c)] = static_cast<double>(row.scores[c]) + Y_.slack(row.columns[c]);
    const auto last = bounds_.begin() + (n_kept_ - 1);
    std::nth_element(bounds_.begin(), last, bounds_.end());
    const double of_row = Y_.beta() * norms_[at(i)] + 2.0 * Y_.tiny_loss();
    row.limit = std::min(row.limit, rounded_up_to_float(*last + of_row));
    std::int32_t n = 0;
    for (std::int32_t c = 0; c < row.count; ++c) {
      row.scores[n] = row.scores[c];
      row.columns[n] = row.columns[c];
      n += row.scores[c] <= row.limit ? 1 : 0;
    }
    row.count = n;
  }

  // Sets ranked_ to the candidates with their distances, the n_kept_ best first and in order.
  void rank(std::int64_t i) {
    const Survivors& row = table_[i];
    exact_.set_row(X_, first_ + i);
    bounds_.resize(at(row.count));
    exact_.squared(row.columns, row.count, bounds_.data());
    ranked_.resize(at(row.count));
    for (std::int32_t c = 0; c < row.count; ++c) ranked_[at(c)] = {bounds_[at(c)], row.columns[c]};
    sort_best();
  }

  void rank_all(std::int64_t i, const Context& ctx) {
    exact_.set_row(X_, first_ + i);
    ranked_.resize(at(Y_.n_rows()));
    bounds_.resize(at(kRowsBetweenChecks));
    for (std::int64_t col = 0; col < Y_.n_rows(); col += kRowsBetweenChecks) {
      ctx.check();
      const std::int64_t n = std::min(kRowsBetweenChecks, Y_.n_rows() - col);
      exact_.squared(col, n, bounds_.data());
      for (std::int64_t c = 0; c < n; ++c)
        ranked_[at(col + c)] = {bounds_[at(c)], static_cast<std::int32_t>(col + c)};
    }
    sort_best();
  }

  void sort_best() {
    for (Candidate& candidate : ranked_)  // NaN would have no place in an order
      if (std::isnan(candidate.first)) candidate.first = std::numeric_limits<double>::infinity();
    const auto end = ranked_.begin() + n_kept_;
    if (end < ranked_.end()) std::nth_element(ranked_.begin(), end, ranked_.end());
    std::sort(ranked_.begin(), end);
  }

  void keep_best(std::int64_t i) {
    Survivors& row = table_[i];
    rank(i);
    std::vector<std::pair<std::int32_t, float>> scores;
    for (std::int32_t c = 0; c < row.count; ++c) scores.emplace_back(row.columns[c], row.scores[c]);
    std::sort(scores.begin(), scores.end());
    for (std::int64_t c = 0; c < n_kept_; ++c) {
      const std::int32_t column = ranked_[at(c)].second;
      row.columns[c] = column;
      row.scores[c] =
          std::lower_bound(scores.begin(), scores.end(), std::pair{column, -kNoLimit})->second;
    }
    row.count = static_cast<std::int32_t>(n_kept_);
  }

  void write(std::int64_t row) const {
    std::int64_t written = 0;
    for (std::int64_t c = 0; c < n_kept_ && written < index_.n_cols; ++c) {
      if (self_ == Self::is_left_out && ranked_[at(c)].second == row) continue;
      index_(row, written) = ranked_[at(c)].second;
      distance_(row, written) = std::sqrt(ranked_[at(c)].first);
      ++written;
    }
  }

  MatrixView<const T> X_;
  const FilterRows<T>& Y_;
  Self self_;
  MatrixView<std::int64_t> index_;
  MatrixView<double> distance_;
  std::int64_t first_;
  std::vector<double> norms_;
  std::int64_t n_kept_;
  std::int64_t capacity_;
  SurvivorTable table_;
  TrueDistances<T> exact_;
  std::vector<double> bounds_;
  std::vector<Candidate> ranked_;
};

}  // namespace

template <class T>
void k_nearest(MatrixView<const T> X, MatrixView<const T> Y, Self self,
               MatrixView<std::int64_t> index, MatrixView<double> distance, const Context& ctx) {
  const std::int64_t n_kept = index.n_cols + (self == Self::is_left_out ? 1 : 0);
  if (n_kept > Y.n_rows) throw InvalidArgument("there are fewer rows than neighbours");
  if (index.n_cols == 0 || X.n_rows == 0) return;
  const FilterRows<T> rows(Y, X.n_rows <= kFewRows ? Filter::off : Filter::on, ctx);
  const std::int64_t room = Nearest<T>::capacity_for(n_kept) + kSurvivorRoom;
  for_each_filter_tile(X, rows, chunk_rows(Y.n_cols, room), ctx,
                       [&](std::int64_t first, std::int64_t, std::vector<double>& norms) {
                         return Nearest<T>(X, rows, self, index, distance, first, std::move(norms));
                       });
}

#define GRAMIAN_INSTANTIATE(T)                                            \
  template void k_nearest(MatrixView<const T>, MatrixView<const T>, Self, \
                          MatrixView<std::int64_t>, MatrixView<double>, const Context&);
GRAMIAN_INSTANTIATE(float)
GRAMIAN_INSTANTIATE(double)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::distance
