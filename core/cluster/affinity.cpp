#include "cluster/affinity.hpp"

#include <algorithm>
#include <vector>

#include "base/index.hpp"
#include "cluster/affinity_kernel.hpp"
#include "parallel/tiles.hpp"

namespace gramian::cluster {
namespace {

constexpr double kNanosecondsOfEntry = 1.5;
constexpr std::int64_t kTileRows = 32;

std::vector<double> pass(const AffinityMessages& messages, double damping,
                         const std::vector<double>& sums, const Context& ctx) {
  const std::int64_t n = messages.S.n_rows;
  const double cost_ns = kNanosecondsOfEntry * static_cast<double>(n) * static_cast<double>(n);
  return parallel_reduce(
      ctx, Tiles::of_rows(n, kTileRows), cost_ns,
      [&](std::int64_t begin, std::int64_t end) {
        std::vector<double> next(at(n), 0.0);
        for (std::int64_t i = begin; i < end; ++i) {
          ctx.check();
          const AffinityRow row{messages.S.row(i).data(),
                                messages.A.row(i).data(),
                                messages.R.row(i).data(),
                                sums.empty() ? nullptr : sums.data(),
                                next.data(),
                                n,
                                i,
                                damping};
          GRAMIAN_DISPATCH(pass_messages, row);
        }
        return next;
      },
      [](std::vector<double>& total, const std::vector<double>& next) { add_each(total, next); });
}

// Which rows are exemplars now, and for how many iterations each has been as it is.
class Exemplars {
 public:
  explicit Exemplars(std::span<std::uint8_t> flags) : flags_(flags), ages_(flags.size(), 0) {
    std::ranges::fill(flags_, std::uint8_t{0});
  }

  void update(const AffinityMessages& messages, double damping, const std::vector<double>& sums) {
    for (std::size_t k = 0; k < flags_.size(); ++k) {
      const auto row = static_cast<std::int64_t>(k);
      const double r = messages.R(row, row);
      const double a = messages.A(row, row) * damping - (r - sums[k]) * (1.0 - damping);
      const std::uint8_t flag = a + r > 0.0 ? 1 : 0;
      ages_[k] = flag == flags_[k] ? ages_[k] + 1 : 1;
      flags_[k] = flag;
    }
  }
  bool any() const {
    return std::ranges::any_of(flags_, [](std::uint8_t flag) { return flag != 0; });
  }
  std::int64_t least_age() const { return std::ranges::min(ages_); }

 private:
  std::span<std::uint8_t> flags_;
  std::vector<std::int64_t> ages_;
};

}  // namespace

AffinityResult propagate_affinity(const AffinityMessages& messages, const AffinityRule& rule,
                                  std::span<std::uint8_t> is_exemplar, const Context& ctx) {
  Exemplars exemplars(is_exemplar);
  std::vector<double> sums;
  AffinityResult result;
  while (result.n_iter < rule.max_iter) {
    sums = pass(messages, rule.damping, sums, ctx);
    exemplars.update(messages, rule.damping, sums);
    ++result.n_iter;
    result.is_converged = result.n_iter > rule.convergence_iter &&
                          exemplars.least_age() >= rule.convergence_iter && exemplars.any();
    if (result.is_converged || ctx.expired()) break;
  }
  return result;
}

}  // namespace gramian::cluster
