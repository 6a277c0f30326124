#include "distance/kd_tree/groups.hpp"

#include <numeric>

namespace gramian::distance {
namespace {

// The level whose nodes hold some queries each, so that a group is worth its way; not too far above
// the leaves, or its box would be near too many of them.
int level_of_parts(std::int64_t n_queries, int depth) {
  constexpr std::int64_t kQueriesOfPart = 12;
  constexpr int kMostAboveLeaves = 2;
  int level = depth;
  while (level > 0 && level > depth - kMostAboveLeaves && (n_queries >> level) < kQueriesOfPart)
    --level;
  return level;
}

// The nodes of a level that some rows fall into. All go down together: their loads overlap.
template <class T>
void find_parts(MatrixView<const T> X, const KdTree& tree, int level, std::int64_t begin,
                std::span<std::int32_t> parts) {
  std::fill(parts.begin(), parts.end(), 1);
  for (int l = 0; l < level; ++l)
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double* split = tree.splits.data() + 2 * at(parts[i]);
      const auto feature = static_cast<std::int64_t>(split[0]);
      const auto value = static_cast<double>(X(begin + static_cast<std::int64_t>(i), feature));
      parts[i] = 2 * parts[i] + (value >= split[1] ? 1 : 0);
    }
  for (std::int32_t& part : parts) part -= std::int32_t{1} << level;
}

}  // namespace

template <class T>
QueryOrder::QueryOrder(MatrixView<const T> X, const KdTree& tree, const Context& ctx) {
  const int level = level_of_parts(X.n_rows, tree.shape.depth());
  std::vector<std::int32_t> parts(at(X.n_rows));
  constexpr std::int64_t kRowsPerTask = 256;
  const Chunks chunks = Chunks::of_rows(X.n_rows, kRowsPerTask);
  const double cost_ns = 2.0 * static_cast<double>(X.n_rows) * level;
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t task) {
    const std::int64_t begin = chunks.begin(task);
    find_parts(X, tree, level, begin,
               std::span(parts).subspan(at(begin), at(chunks.end(task) - begin)));
  });
  sort_by(parts, std::int64_t{1} << level);
}

void QueryOrder::sort_by(std::span<const std::int32_t> parts, std::int64_t n_parts) {
  std::vector<std::int64_t> places(at(n_parts + 1), 0);
  for (const std::int32_t part : parts) ++places[at(part) + 1];
  begins_.push_back(0);
  for (const std::int64_t n : std::span(places).subspan(1)) {
    const std::int64_t end = begins_.back() + n;
    while (end - begins_.back() > kGroupQueries) begins_.push_back(begins_.back() + kGroupQueries);
    if (end > begins_.back()) begins_.push_back(end);
  }
  std::partial_sum(places.begin(), places.end(), places.begin());
  queries_.resize(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i)
    queries_[at(places[at(parts[i])]++)] = static_cast<std::int64_t>(i);
}

template QueryOrder::QueryOrder(MatrixView<const float>, const KdTree&, const Context&);
template QueryOrder::QueryOrder(MatrixView<const double>, const KdTree&, const Context&);

}  // namespace gramian::distance
