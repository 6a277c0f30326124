#include "boost/objective/lambdas.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/index.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::boost {
namespace {

double gain_of(double relevance) { return std::exp2(relevance) - 1.0; }
double discount(std::int64_t place) { return 1.0 / std::log2(2.0 + static_cast<double>(place)); }

// One query in the order of its scores; equal scores stay in the order of the rows.
class Query {
 public:
  Query(std::span<const double> relevance, std::span<const double> scores, RankMeasure measure,
        std::int64_t truncation)
      : measure_(measure), order_(relevance.size()) {
    std::iota(order_.begin(), order_.end(), std::int64_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::int64_t a, std::int64_t b) { return scores[at(a)] > scores[at(b)]; });
    n_seen_ = std::min<std::int64_t>(truncation, size());
    for (const std::int64_t row : order_) sorted_.push_back(relevance[at(row)]);
    if (measure == RankMeasure::ndcg)
      prepare_gains();
    else if (measure == RankMeasure::map)
      prepare_precisions();
    else
      best_ = 1.0;
  }

  std::int64_t size() const { return static_cast<std::int64_t>(order_.size()); }
  std::int64_t n_seen() const { return n_seen_; }
  std::int64_t row(std::int64_t place) const { return order_[at(place)]; }
  double relevance(std::int64_t place) const { return sorted_[at(place)]; }
  bool is_empty() const { return !(best_ > 0.0); }
  double measure() const { return reached_ / best_; }

  // By how much the measure changes if the rows at places a < b change places.
  double change(std::int64_t a, std::int64_t b) const {
    if (measure_ == RankMeasure::pairs) return 1.0;
    if (measure_ == RankMeasure::ndcg) {
      const double gains = gain_of(relevance(a)) - gain_of(relevance(b));
      return std::abs(gains * (discount(a) - discount(b))) / best_;
    }
    const bool first = relevance(a) > 0.0, second = relevance(b) > 0.0;
    if (first == second) return 0.0;
    const auto place_a = static_cast<double>(a + 1), place_b = static_cast<double>(b + 1);
    const double between = inverse_places_[at(b)] - inverse_places_[at(a + 1)];
    const double before = first ? counts_[at(a)] / place_a : (counts_[at(a)] + 1.0) / place_a;
    return std::abs(before + between - counts_[at(b)] / place_b) / best_;
  }

 private:
  void prepare_gains() {
    std::vector<double> ideal = sorted_;
    std::sort(ideal.begin(), ideal.end(), std::greater<>());
    for (std::int64_t k = 0; k < n_seen_; ++k) {
      best_ += gain_of(ideal[at(k)]) * discount(k);
      reached_ += gain_of(relevance(k)) * discount(k);
    }
  }

  // counts_[k]: relevant rows up to place k; inverse_places_[k]: sum of 1 / place over the relevant
  // ones before it. A relevant row that jumps over others raises or lowers the counts of those.
  void prepare_precisions() {
    inverse_places_.push_back(0.0);
    double count = 0.0;
    for (std::int64_t k = 0; k < size(); ++k) {
      const bool is_relevant = relevance(k) > 0.0;
      const auto place = static_cast<double>(k + 1);
      count += is_relevant ? 1.0 : 0.0;
      counts_.push_back(count);
      inverse_places_.push_back(inverse_places_.back() + (is_relevant ? 1.0 / place : 0.0));
      if (is_relevant) reached_ += count / place;
    }
    best_ = count;
  }

  RankMeasure measure_;
  std::vector<std::int64_t> order_;
  std::vector<double> sorted_;  // relevance, by place
  std::vector<double> counts_, inverse_places_;
  std::int64_t n_seen_ = 0;
  double best_ = 0.0, reached_ = 0.0;
};

template <class Function>
void for_each_query(std::span<const std::int64_t> offsets, double cost, const Context& ctx,
                    const Function& function) {
  const auto n_queries = static_cast<std::int64_t>(offsets.size()) - 1;
  const Chunks chunks = Chunks::of_rows(n_queries, 16);
  parallel_for(ctx, chunks.count(), cost, [&](std::int64_t chunk) {
    for (std::int64_t q = chunks.begin(chunk); q < chunks.end(chunk); ++q) {
      const auto begin = at(offsets[at(q)]);
      function(q, begin, at(offsets[at(q + 1)]) - begin);
    }
  });
}

}  // namespace

void RankObjective::differentiate(std::span<const double> relevance,
                                  std::span<const std::int64_t> offsets,
                                  std::span<const double> scores, std::span<float> gradient,
                                  std::span<float> hessian, const Context& ctx) const {
  const double cost = 10.0 * static_cast<double>(relevance.size() * at(truncation));
  for_each_query(offsets, cost, ctx, [&](std::int64_t, std::size_t begin, std::size_t n) {
    const auto own = scores.subspan(begin, n);
    std::vector<double> first(n), second(n);
    const Query query(relevance.subspan(begin, n), own, measure, truncation);
    double total = 0.0;
    const bool has_gaps =
        divides_by_gap && n > 0 && own[at(query.row(0))] != own[at(query.row(query.size() - 1))];
    for (std::int64_t a = 0; a < query.n_seen() && !query.is_empty(); ++a)
      for (std::int64_t b = a + 1; b < query.size(); ++b) {
        if (query.relevance(a) == query.relevance(b)) continue;
        const bool a_is_better = query.relevance(a) > query.relevance(b);
        const auto better = at(query.row(a_is_better ? a : b));
        const auto worse = at(query.row(a_is_better ? b : a));
        const double gap = own[better] - own[worse];
        const double change = query.change(a, b) / (has_gaps ? 0.01 + std::abs(gap) : 1.0);
        const double p = 1.0 / (1.0 + std::exp(gap));
        first[better] -= p * change;
        first[worse] += p * change;
        second[better] += p * (1.0 - p) * change;
        second[worse] += p * (1.0 - p) * change;
        total += 2.0 * p * change;
      }
    const double scale = normalises && total > 0.0 ? std::log2(1.0 + total) / total : 1.0;
    for (std::size_t i = 0; i < n; ++i) {
      gradient[begin + i] = static_cast<float>(scale * first[i]);
      hessian[begin + i] = static_cast<float>(scale * second[i]);
    }
  });
}

void RankObjective::evaluate(std::span<const double> relevance,
                             std::span<const std::int64_t> offsets, std::span<const double> scores,
                             double empty_value, std::span<double> values,
                             const Context& ctx) const {
  const double cost = 50.0 * static_cast<double>(relevance.size());
  for_each_query(offsets, cost, ctx, [&](std::int64_t q, std::size_t begin, std::size_t n) {
    const Query query(relevance.subspan(begin, n), scores.subspan(begin, n), measure, truncation);
    values[at(q)] = query.is_empty() ? empty_value : query.measure();
  });
}

}  // namespace gramian::boost
