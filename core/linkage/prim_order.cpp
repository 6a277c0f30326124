#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "linkage/mutual_reachability.hpp"

namespace gramian::linkage {
namespace {

// The numbers k of pairs (k, row) by row: entries numbers[starts[row]] .. numbers[starts[row + 1]].
struct Lists {
  std::vector<std::int64_t> starts, numbers;

  template <class ForEachPair>
  Lists(std::int64_t n, const ForEachPair& for_each_pair) : starts(at(n) + 1, 0) {
    for_each_pair([&](std::int64_t, std::int64_t row) { ++starts[at(row) + 1]; });
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<std::int64_t> next(starts.begin(), starts.end() - 1);
    numbers.resize(at(starts.back()));
    for_each_pair([&](std::int64_t k, std::int64_t row) { numbers[at(next[at(row)]++)] = k; });
  }

  std::span<const std::int64_t> of(std::int64_t row) const {
    const auto begin = at(starts[at(row)]);
    return {numbers.data() + begin, at(starts[at(row) + 1]) - begin};
  }
};

}  // namespace

std::vector<Merge> in_order_of_prim(const std::vector<Merge>& edges, const Reachability& reach,
                                    MatrixView<const std::int64_t> within_core,
                                    const Context& ctx) {
  const auto n = static_cast<std::int64_t>(edges.size()) + 1;
  const Lists edges_at(n, [&](const auto& add) {
    for (std::size_t e = 0; e < edges.size(); ++e) {
      add(static_cast<std::int64_t>(e), edges[e].first);
      add(static_cast<std::int64_t>(e), edges[e].second);
    }
  });
  const Lists named_by(n, [&](const auto& add) {
    for (std::int64_t i = 0; i < within_core.n_rows; ++i)
      for (std::int64_t c = 0; c < within_core.n_cols; ++c) add(i, within_core(i, c));
  });
  std::vector<double> least(at(n), std::numeric_limits<double>::infinity());
  std::vector<std::int64_t> from(at(n), -1);
  std::vector<std::uint8_t> is_reached(at(n), 0);
  using Waiting = std::pair<double, std::int64_t>;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;
  const auto leave = [&](std::int64_t row) {
    const auto offer = [&](std::int64_t other, double length) {
      if (is_reached[at(other)] || !(length < least[at(other)])) return;
      least[at(other)] = length;
      from[at(other)] = row;
      waiting.push({length, other});
    };
    const auto offer_near = [&](std::int64_t other) {
      offer(other, std::max(reach.cores[at(row)], reach.cores[at(other)]));
    };
    is_reached[at(row)] = 1;
    for (const std::int64_t e : edges_at.of(row))
      offer(edges[at(e)].first == row ? edges[at(e)].second : edges[at(e)].first,
            edges[at(e)].height);
    for (const std::int64_t other : named_by.of(row)) offer_near(other);
    for (std::int64_t c = 0; c < within_core.n_cols && within_core.n_rows > 0; ++c)
      offer_near(within_core(row, c));
  };
  std::vector<Merge> out;
  out.reserve(edges.size());
  leave(0);
  while (!waiting.empty()) {
    if (out.size() % 4096 == 0) ctx.check();
    const auto [length, row] = waiting.top();
    waiting.pop();
    if (is_reached[at(row)]) continue;
    out.push_back({from[at(row)], row, length});
    leave(row);
  }
  return out;
}

}  // namespace gramian::linkage
