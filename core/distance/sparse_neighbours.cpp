#include "distance/sparse_neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "distance/sparse_scores_kernel.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::distance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kRowsPerScan = 64;

template <class Index>
using Csr = CsrView<double, Index>;

template <class Index>
double squared_norm(const CsrRow<double, Index>& row) {
  double sum = 0.0;
  for (const double x : row.values) sum += x * x;
  return sum;
}

template <class Index>
double distance_of(const CsrRow<double, Index>& x, const CsrRow<double, Index>& y) {
  double sum = 0.0;
  std::size_t i = 0, j = 0;
  while (i < x.cols.size() || j < y.cols.size()) {
    const bool takes_x = j == y.cols.size() || (i < x.cols.size() && x.cols[i] <= y.cols[j]);
    const bool takes_y = i == x.cols.size() || (j < y.cols.size() && y.cols[j] <= x.cols[i]);
    const double gap = (takes_x ? x.values[i] : 0.0) - (takes_y ? y.values[j] : 0.0);
    sum += gap * gap;
    i += takes_x ? 1 : 0;
    j += takes_y ? 1 : 0;
  }
  return std::sqrt(sum);
}

template <class Index>
std::int64_t longest_row(const Csr<Index>& X) {
  std::int64_t longest = 0;
  for (std::size_t i = 1; i < X.indptr.size(); ++i)
    longest = std::max<std::int64_t>(longest, X.indptr[i] - X.indptr[i - 1]);
  return longest;
}

struct Norms {
  std::vector<double> of_rows;
  double largest = 0.0;
  // A sum of m products is wrong by at most m units of the last place of the norms' product.
  double unit = 0.0;

  template <class Index>
  Norms(const Csr<Index>& X, const Csr<Index>& Y) : of_rows(at(Y.n_rows())) {
    for (std::int64_t i = 0; i < Y.n_rows(); ++i) {
      of_rows[at(i)] = squared_norm(Y.row(i));
      largest = std::max(largest, of_rows[at(i)]);
    }
    const auto longest = static_cast<double>(std::max(longest_row(X), longest_row(Y)) + 8);
    unit = longest * std::numeric_limits<double>::epsilon();
  }

  double band(double norm) const { return unit * (norm + largest); }
};

// The rows whose scores are low, for each query of a group.
template <class Index>
class LowScores {
 public:
  LowScores(const Csr<Index>& Y, const Norms& norms)
      : Y_(Y), norms_(norms), slots_(at(Y.n_cols), 0), found_(kRowsPerScan * kSparseQueries) {}

  // Rows with squared distances up to a limit; with k > 0 those that may be among the k nearest.
  void find(const Csr<Index>& X, double limit, std::int64_t k, const Context& ctx) {
    set_queries(X, limit);
    const SparseQueries queries{entries_.data(), slots_.data(), norms_of_x_, limits_};
    for (std::int64_t first = 0; first < Y_.n_rows(); first += kRowsPerScan) {
      ctx.check();
      const std::int64_t last = std::min(first + kRowsPerScan, Y_.n_rows());
      const std::int64_t n =
          GRAMIAN_DISPATCH(find_low_scores, queries, Y_.values.data(), Y_.indices.data(),
                           Y_.indptr.data(), norms_.of_rows.data(), first, last, found_.data());
      for (std::int64_t e = 0; e < n; ++e) {
        const LowScore& low = found_[at(e)];
        near_[low.query].emplace_back(low.score, low.row);
      }
      if (k > 0) prune(k, last == Y_.n_rows());
    }
    for (const Index column : X.indices.subspan(at(X.indptr.front()), n_stored(X)))
      slots_[at(column)] = 0;
  }

  std::span<const std::pair<double, std::int64_t>> near(std::int64_t query) const {
    return near_[query];
  }

 private:
  static std::size_t n_stored(const Csr<Index>& X) {
    return at(X.indptr.back() - X.indptr.front());
  }

  void set_queries(const Csr<Index>& X, double limit) {
    entries_.assign(kSparseQueries, 0.0);
    for (std::int64_t q = 0; q < kSparseQueries; ++q) {
      near_[q].clear();
      room_[q] = kLeastRoom;
      norms_of_x_[q] = 0.0;
      limits_[q] = std::numeric_limits<double>::quiet_NaN();
      if (q >= X.n_rows()) continue;
      const auto x = X.row(q);
      norms_of_x_[q] = squared_norm(x);
      limits_[q] = limit + norms_.band(norms_of_x_[q]);
      for (std::size_t e = 0; e < x.cols.size(); ++e) {
        std::int32_t& slot = slots_[at(x.cols[e])];
        if (slot == 0) {
          slot = static_cast<std::int32_t>(entries_.size() / kSparseQueries);
          entries_.resize(entries_.size() + kSparseQueries, 0.0);
        }
        entries_[at(slot) * kSparseQueries + at(q)] = x.values[e];
      }
    }
  }

  // Leaves out of long lists what is certainly farther than the k-th nearest.
  void prune(std::int64_t k, bool is_last) {
    for (std::int64_t q = 0; q < kSparseQueries; ++q) {
      auto& near = near_[q];
      if (near.size() <= at(k) || (near.size() < at(room_[q]) && !is_last)) continue;
      const auto kth = near.begin() + (k - 1);
      std::nth_element(near.begin(), kth, near.end());
      limits_[q] = kth->first + 2.0 * norms_.band(norms_of_x_[q]);
      std::erase_if(near, [&](const auto& entry) { return !(entry.first <= limits_[q]); });
      // Ties are not looked through again and again.
      room_[q] = std::max(kLeastRoom, 2 * static_cast<std::int64_t>(near.size()));
    }
  }

  static constexpr std::int64_t kLeastRoom = 256;

  const Csr<Index>& Y_;
  const Norms& norms_;
  std::vector<std::int32_t> slots_;
  std::vector<double> entries_{};
  double norms_of_x_[kSparseQueries]{}, limits_[kSparseQueries]{};
  std::vector<std::pair<double, std::int64_t>> near_[kSparseQueries]{};
  std::int64_t room_[kSparseQueries]{};
  std::vector<LowScore> found_;
};

// function(scores, group, first) for each group of rows of X.
template <class Index, class Function>
void for_each_group(const Csr<Index>& X, const Csr<Index>& Y, double limit, std::int64_t k,
                    const Context& ctx, const Function& function) {
  const Norms norms(X, Y);
  const Chunks chunks = Chunks::of_rows(X.n_rows(), kSparseQueries);
  const double cost_ns =
      static_cast<double>(X.n_rows()) *
      (0.1 * static_cast<double>(Y.n_stored()) + static_cast<double>(Y.n_rows()));
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t group) {
    LowScores<Index> scores(Y, norms);
    scores.find(X.rows(chunks.begin(group), chunks.end(group)), limit, k, ctx);
    function(scores, group, chunks.begin(group), chunks.end(group));
  });
}

}  // namespace

template <class Index>
void sparse_k_nearest(const Csr<Index>& X, const Csr<Index>& Y, MatrixView<std::int64_t> index,
                      MatrixView<double> distance, const Context& ctx) {
  const std::int64_t k = index.n_cols;
  if (k > Y.n_rows()) throw InvalidArgument("there are fewer rows than neighbours");
  if (k == 0) return;
  for_each_group(
      X, Y, kInfinity, k, ctx,
      [&](LowScores<Index>& scores, std::int64_t, std::int64_t first, std::int64_t last) {
        std::vector<std::pair<double, std::int64_t>> found;
        for (std::int64_t i = first; i < last; ++i) {
          found.clear();
          for (const auto& [score, row] : scores.near(i - first))
            found.emplace_back(distance_of(X.row(i), Y.row(row)), row);
          std::partial_sort(found.begin(), found.begin() + k, found.end());
          for (std::int64_t c = 0; c < k; ++c) std::tie(distance(i, c), index(i, c)) = found[at(c)];
        }
      });
}

template <class Index>
FoundRows sparse_within(const Csr<Index>& X, const Csr<Index>& Y, double radius,
                        bool leaves_out_self, const Context& ctx) {
  struct Part {
    std::vector<std::int64_t> index;
    std::vector<double> distance;
  };
  std::vector<Part> parts(at(Chunks::of_rows(X.n_rows(), kSparseQueries).count()));
  FoundRows found;
  found.counts.assign(at(X.n_rows()), 0);
  const auto collect = [&](LowScores<Index>& scores, std::int64_t group, std::int64_t first,
                           std::int64_t last) {
    Part& part = parts[at(group)];
    for (std::int64_t i = first; i < last; ++i) {
      const std::size_t before = part.index.size();
      for (const auto& [score, row] : scores.near(i - first)) {
        if (leaves_out_self && row == i) continue;
        const double d = distance_of(X.row(i), Y.row(row));
        if (!(d <= radius)) continue;
        part.index.push_back(row);
        part.distance.push_back(d);
      }
      found.counts[at(i)] = static_cast<std::int64_t>(part.index.size() - before);
    }
  };
  for_each_group(X, Y, radius * radius, 0, ctx, collect);
  for (Part& part : parts) {
    found.index.insert(found.index.end(), part.index.begin(), part.index.end());
    found.distance.insert(found.distance.end(), part.distance.begin(), part.distance.end());
    part = {};
  }
  return found;
}

#define GRAMIAN_INSTANTIATE(Index)                                                               \
  template void sparse_k_nearest(const Csr<Index>&, const Csr<Index>&, MatrixView<std::int64_t>, \
                                 MatrixView<double>, const Context&);                            \
  template FoundRows sparse_within(const Csr<Index>&, const Csr<Index>&, double, bool,           \
                                   const Context&);
GRAMIAN_INSTANTIATE(std::int32_t)
GRAMIAN_INSTANTIATE(std::int64_t)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::distance
