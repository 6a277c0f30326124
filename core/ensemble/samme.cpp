#include "ensemble/samme.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "parallel/tiles.hpp"
#include "tree/criterion/criterion.hpp"
#include "tree/grow/grow.hpp"

namespace gramian::ensemble {
namespace {

// The weights of the rows, which add up to about one.
class RowWeights {
 public:
  explicit RowWeights(std::span<const double> weight)
      : exact_(weight.begin(), weight.end()), rounded_(weight.size()) {}

  // Multiplies all weights but lets no positive one vanish, and rounds a copy of them so that sums
  // of it are exact: a tie of two cuts is then a tie.
  void scale(double factor) {
    constexpr double kLeast = std::numeric_limits<double>::epsilon();
    const tree::Grid grid(2.0);
    for (std::size_t i = 0; i < exact_.size(); ++i) {
      const double scaled = std::max(exact_[i] * factor, kLeast);
      exact_[i] = exact_[i] > 0.0 ? scaled : 0.0;
      rounded_[i] = grid.round(exact_[i]);
    }
  }
  double total() const { return sum_of_rows(exact_); }
  double& operator[](std::uint32_t row) { return exact_[row]; }
  std::span<const double> rounded() const { return rounded_; }

 private:
  std::vector<double> exact_, rounded_;
};

// The rows that are not of their leaf's class; of equally frequent classes the first is a leaf's.
void find_wrong(const tree::GrownTrees& grown, const tree::Target& target,
                std::span<const std::uint32_t> rows_by_leaf, std::vector<std::uint32_t>& wrong) {
  const auto width = static_cast<std::ptrdiff_t>(target.width());
  wrong.resize(rows_by_leaf.size() + 1);
  std::size_t i = 0, n_wrong = 0;
  auto counts = grown.leaf_value.begin();
  for (const std::int32_t n_rows : grown.leaf_count) {
    const auto best = static_cast<std::int32_t>(std::max_element(counts, counts + width) - counts);
    for (const std::size_t end = i + static_cast<std::size_t>(n_rows); i < end; ++i) {
      wrong[n_wrong] = rows_by_leaf[i];  // all are written, so that there is no branch
      n_wrong += target.labels[rows_by_leaf[i]] != best;
    }
    counts += width;
  }
  wrong.resize(n_wrong);
}

}  // namespace

SammeTrees boost_samme(const tree::Columns& columns, const tree::Target& target,
                       const tree::Options& options, std::span<const double> weight, double rate,
                       std::span<const std::uint64_t> seeds, const Context& ctx) {
  const double n_classes = target.n_classes[0];
  RowWeights w(weight);
  tree::Sample sample;
  sample.weight = w.rounded();
  for (std::uint32_t i = 0; i < weight.size(); ++i)
    if (weight[i] > 0.0) sample.rows.push_back(i);
  tree::Options limited = options;
  std::vector<std::uint32_t> rows_by_leaf, wrong;
  SammeTrees out;
  double factor = 1.0;
  for (const std::uint64_t seed : seeds) {
    w.scale(factor);
    sample.total_weight = w.total();
    limited.limits.min_weight_leaf = options.limits.min_weight_leaf * sample.total_weight;
    tree::GrownTrees grown;
    tree::grow_tree({columns, target, limited, sample, seed, ctx, &rows_by_leaf}, grown);
    find_wrong(grown, target, rows_by_leaf, wrong);
    double error = 0.0;
    for (const std::uint32_t row : wrong) error += w[row];
    error /= sample.total_weight;
    const bool is_perfect = wrong.empty();
    if (!is_perfect && error >= 1.0 - 1.0 / n_classes) return out;
    const double a =
        is_perfect ? 1.0 : rate * (std::log((1.0 - error) / error) + std::log(n_classes - 1.0));
    out.trees.append(grown);
    out.weights.push_back(a);
    out.errors.push_back(error);
    if (is_perfect || out.weights.size() == seeds.size()) return out;
    const double growth = std::exp(a);
    for (const std::uint32_t row : wrong) w[row] *= growth;
    const double total = w.total();
    out.has_overflown = !std::isfinite(total);
    if (out.has_overflown || total <= 0.0) return out;
    factor = 1.0 / total;
  }
  return out;
}

}  // namespace gramian::ensemble
