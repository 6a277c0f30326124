#include "boost/grow/leaf_values.hpp"

#include "base/index.hpp"
#include "boost/grow/split_finder.hpp"
#include "parallel/tiles.hpp"

namespace gramian::boost {
namespace {

constexpr std::int64_t kTileRows = 16384;

}  // namespace

std::vector<LeafSums> sum_leaves(const Derivatives& rows, std::span<const std::uint32_t> leaf_of,
                                 std::int64_t n_leaves, const Context& ctx) {
  const auto n = static_cast<std::int64_t>(leaf_of.size());
  return parallel_reduce(
      ctx, Tiles::of_rows(n, kTileRows), 2.0 * static_cast<double>(n),
      [&](std::int64_t begin, std::int64_t end) {
        std::vector<LeafSums> own(at(n_leaves));
        for (std::size_t row = at(begin); row < at(end); ++row) {
          const double weight = rows.weight.empty() ? 1.0 : rows.weight[row];
          const double second = rows.hessian.empty() ? 1.0 : static_cast<double>(rows.hessian[row]);
          LeafSums& leaf = own[leaf_of[row]];
          leaf.gradient += weight * static_cast<double>(rows.gradient[row]);
          leaf.hessian += weight * second;
        }
        return own;
      },
      [](std::vector<LeafSums>& total, const std::vector<LeafSums>& part) {
        for (std::size_t leaf = 0; leaf < total.size(); ++leaf) {
          total[leaf].gradient += part[leaf].gradient;
          total[leaf].hessian += part[leaf].hessian;
        }
      });
}

std::vector<double> fit_values(const BoostedTree& tree, const Bins& bins, const Derivatives& rows,
                               const TreeOptions& options, std::span<std::uint32_t> leaf_of,
                               bool finds_leaves, const Context& ctx) {
  if (finds_leaves) tree.find_leaves(bins, leaf_of, ctx);
  std::vector<double> values;
  for (const LeafSums& leaf : sum_leaves(rows, leaf_of, tree.n_leaves(), ctx))
    values.push_back(options.learning_rate * newton_step(leaf.gradient, leaf.hessian, options));
  return values;
}

}  // namespace gramian::boost
