#include "boost/grow/prefix_models.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "boost/grow/leaf_values.hpp"
#include "boost/grow/renewal.hpp"
#include "boost/grow/split_finder.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::boost {
namespace {

constexpr std::int64_t kChunkRows = 16384;

// The first of the values; none stay none.
template <class T>
std::span<const T> first_of(std::span<const T> values, std::int64_t n) {
  return values.empty() ? values : values.first(at(n));
}

}  // namespace

PrefixModels::PrefixModels(std::span<const std::uint32_t> order, std::span<const double> weight)
    : order_(order.begin(), order.end()), leaf_at_(order.size()) {
  if (!weight.empty())
    for (const std::uint32_t row : order_) weight_at_.push_back(weight[row]);
  starts_.push_back(0);
  for (std::int64_t seen = 0; seen < n_rows(); seen = std::max<std::int64_t>(2 * seen, 1)) {
    seen_.push_back(seen);
    const std::int64_t known = std::min(std::max<std::int64_t>(2 * seen, 1), n_rows());
    starts_.push_back(starts_.back() + known);
  }
}

template <class T>
std::span<T> PrefixModels::scores_of(std::int64_t model, std::span<T> all) const {
  const std::int64_t begin = starts_[at(model)], end = starts_[at(model + 1)];
  return all.subspan(at(begin), at(end - begin));
}

template <class T>
std::span<T> PrefixModels::seen_by(std::int64_t model, std::span<T> all) const {
  return all.empty() ? all : scores_of(model, all).first(at(seen_[at(model)]));
}

std::vector<std::uint32_t> PrefixModels::rows() const {
  std::vector<std::uint32_t> rows(at(n_scores()));
  for (std::int64_t model = 0; model < n_models(); ++model) {
    const auto own = scores_of(model, std::span(rows));
    std::copy_n(order_.begin(), own.size(), own.begin());
  }
  return rows;
}

std::vector<std::int64_t> PrefixModels::own_places() const {
  std::vector<std::int64_t> places(order_.size());
  for (std::int64_t model = 0; model < n_models(); ++model) {
    const std::int64_t begin = starts_[at(model)], known = starts_[at(model + 1)] - begin;
    for (std::int64_t place = seen_[at(model)]; place < known; ++place)
      places[order_[at(place)]] = begin + place;
  }
  return places;
}

void PrefixModels::set_leaves(std::span<const std::uint32_t> leaf_of, std::int64_t n_leaves) {
  for (std::size_t place = 0; place < order_.size(); ++place)
    leaf_at_[place] = leaf_of[order_[place]];
  n_leaves_ = n_leaves;
}

std::vector<double> PrefixModels::newton_values(std::span<const float> gradient,
                                                std::span<const float> hessian,
                                                const TreeOptions& options,
                                                const Context& ctx) const {
  std::vector<double> values;
  for (std::int64_t model = 0; model < n_models(); ++model) {
    const std::int64_t n = seen_[at(model)];
    const Derivatives rows{seen_by(model, gradient), seen_by(model, hessian),
                           first_of(std::span(weight_at_), n)};
    for (const LeafSums& leaf : sum_leaves(rows, first_of(std::span(leaf_at_), n), n_leaves_, ctx))
      values.push_back(options.learning_rate * newton_step(leaf.gradient, leaf.hessian, options));
  }
  return values;
}

std::vector<double> PrefixModels::quantile_values(std::span<const double> y,
                                                  std::span<const double> scores, double share,
                                                  double scale, const Context& ctx) const {
  std::vector<double> y_at, values;
  for (const std::uint32_t row : order_) y_at.push_back(y[row]);
  for (std::int64_t model = 0; model < n_models(); ++model) {
    const std::int64_t n = seen_[at(model)];
    const std::vector<double> found =
        leaf_quantiles({first_of(std::span(leaf_at_), n), n_leaves_},
                       {first_of(std::span<const double>(y_at), n), seen_by(model, scores),
                        first_of(std::span(weight_at_), n)},
                       share, scale, ctx);
    values.insert(values.end(), found.begin(), found.end());
  }
  return values;
}

void PrefixModels::add(std::span<const double> values, std::span<double> scores,
                       const Context& ctx) const {
  for (std::int64_t model = 0; model < n_models(); ++model) {
    const auto own = scores_of(model, scores);
    const double* of_leaf = values.data() + model * n_leaves_;
    const Chunks chunks = Chunks::of_rows(static_cast<std::int64_t>(own.size()), kChunkRows);
    parallel_for(ctx, chunks.count(), 1.0 * static_cast<double>(own.size()), [&](std::int64_t k) {
      for (std::size_t i = at(chunks.begin(k)); i < at(chunks.end(k)); ++i)
        own[i] += of_leaf[leaf_at_[i]];
    });
  }
}

}  // namespace gramian::boost
