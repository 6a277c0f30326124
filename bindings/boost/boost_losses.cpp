// Boosting: losses, rankings, and which rows are drawn. Shapes checked, GIL released.
#include "bindings/binding.hpp"
#include "boost/objective/lambdas.hpp"
#include "boost/objective/objective.hpp"
#include "boost/objective/sampling.hpp"

namespace gramian {
namespace {

using loss::Objective;

Objective objective_of(std::string_view name, double parameter, std::int64_t n_groups) {
  using loss::Kind;
  const auto kind = named<Kind>({{"squared_error", Kind::squared},
                                 {"absolute_error", Kind::absolute},
                                 {"huber", Kind::huber},
                                 {"quantile", Kind::pinball},
                                 {"expectile", Kind::expectile},
                                 {"logistic", Kind::logistic},
                                 {"poisson", Kind::poisson},
                                 {"gamma", Kind::gamma},
                                 {"tweedie", Kind::tweedie},
                                 {"softmax", Kind::softmax}},
                                name, "unknown loss");
  require(n_groups >= 1 && (n_groups == 1 || kind == Kind::softmax),
          "n_groups must be 1 except for softmax");
  return {kind, parameter, n_groups};
}

void bind_losses(nb::module_& m) {
  m.def(
      "boost_gradients",
      [](std::string_view loss, double parameter, std::int64_t n_groups, const InVector<double>& y,
         const InVector<double>& scores, const OutVector<float>& gradient,
         const std::optional<OutVector<float>>& hessian, const Context& ctx) {
        const Objective objective = objective_of(loss, parameter, n_groups);
        const std::size_t n = y.shape(0) * static_cast<std::size_t>(n_groups);
        require_entries(n, "scores and gradient must have one entry per row and group", scores,
                        gradient);
        require(hessian ? hessian->shape(0) == n : boost::has_unit_hessian(objective.kind),
                "hessian must have one entry per row and group");
        const ReleasedGil nogil;
        objective.differentiate(vec(y), vec(scores), vec(gradient), or_empty(hessian), ctx);
      },
      "loss"_a, "parameter"_a, "n_groups"_a, "y"_a, "scores"_a, "gradient"_a, "hessian"_a, "ctx"_a,
      "Write the derivatives of the loss at the scores.");
  m.def(
      "boost_loss",
      [](std::string_view loss, double parameter, std::int64_t n_groups, const InVector<double>& y,
         const OptionalVector<double>& weight, const InVector<double>& scores, const Context& ctx) {
        const Objective objective = objective_of(loss, parameter, n_groups);
        require(has_entries(y.shape(0) * static_cast<std::size_t>(n_groups), scores) &&
                    has_entries(y.shape(0), weight),
                "scores and weight must fit y");
        const ReleasedGil nogil;
        const auto sum = objective.sum(vec(y), or_empty(weight), vec(scores), ctx);
        return sum.weight > 0.0 ? sum.loss / sum.weight : 0.0;
      },
      "loss"_a, "parameter"_a, "n_groups"_a, "y"_a, "weight"_a, "scores"_a, "ctx"_a,
      "The mean loss at the scores.");
}

boost::RankObjective ranking_of(std::string_view measure, std::int64_t truncation, bool normalises,
                                bool divides_by_gap) {
  using boost::RankMeasure;
  const auto kind = named<RankMeasure>(
      {{"ndcg", RankMeasure::ndcg}, {"map", RankMeasure::map}, {"pairwise", RankMeasure::pairs}},
      measure, "the measure must be ndcg, map or pairwise");
  require(truncation >= 1, "truncation must be positive");
  return {kind, truncation, normalises, divides_by_gap};
}

void require_queries(const InVector<double>& relevance, const InVector<std::int64_t>& offsets,
                     const InVector<double>& scores) {
  const auto starts = vec(offsets);
  require(!starts.empty() && starts.front() == 0 &&
              starts.back() == static_cast<std::int64_t>(relevance.shape(0)) &&
              std::is_sorted(starts.begin(), starts.end()),
          "offsets must rise from 0 to the number of rows");
  require_entries(relevance.shape(0), "scores must have one entry per row", scores);
}

void bind_ranking_losses(nb::module_& m) {
  m.def(
      "boost_lambdas",
      [](std::string_view measure, std::int64_t truncation, bool normalises, bool divides_by_gap,
         const InVector<double>& relevance, const InVector<std::int64_t>& offsets,
         const InVector<double>& scores, const OutVector<float>& gradient,
         const OutVector<float>& hessian, const Context& ctx) {
        const auto objective = ranking_of(measure, truncation, normalises, divides_by_gap);
        require_queries(relevance, offsets, scores);
        require_entries(relevance.shape(0), "gradient and hessian must have one entry per row",
                        gradient, hessian);
        const ReleasedGil nogil;
        objective.differentiate(vec(relevance), vec(offsets), vec(scores), vec(gradient),
                                vec(hessian), ctx);
      },
      "measure"_a, "truncation"_a, "normalises"_a, "divides_by_gap"_a, "relevance"_a, "offsets"_a,
      "scores"_a, "gradient"_a, "hessian"_a, "ctx"_a,
      "Write LambdaMART's derivatives at the scores.");
  m.def(
      "boost_rank_measure",
      [](std::string_view measure, std::int64_t truncation, double empty_value,
         const InVector<double>& relevance, const InVector<std::int64_t>& offsets,
         const InVector<double>& scores, const OutVector<double>& values, const Context& ctx) {
        require(measure != "pairwise", "pairwise is no measure of an order");
        const auto objective = ranking_of(measure, truncation, true, false);
        require_queries(relevance, offsets, scores);
        require(values.shape(0) + 1 == offsets.shape(0), "values must have one entry per query");
        const ReleasedGil nogil;
        objective.evaluate(vec(relevance), vec(offsets), vec(scores), empty_value, vec(values),
                           ctx);
      },
      "measure"_a, "truncation"_a, "empty_value"_a, "relevance"_a, "offsets"_a, "scores"_a,
      "values"_a, "ctx"_a, "Write the measure of each query in the order of the scores.");
}

nb::tuple arrays_of(boost::RowSample&& sample) {
  return nb::make_tuple(owned(std::move(sample.rows)), owned(std::move(sample.factors)));
}

void bind_sampling(nb::module_& m) {
  m.def(
      "boost_draw_uniform",
      [](std::int64_t n, std::int64_t n_drawn, std::uint64_t seed) {
        require(n > 0 && n < INT32_MAX && n_drawn > 0 && n_drawn <= n,
                "n_drawn must be from 1 to n");
        return arrays_of(boost::draw_uniform(n, n_drawn, seed));
      },
      "n"_a, "n_drawn"_a, "seed"_a, "Rows without replacement, and no factors.");
  m.def(
      "boost_draw_goss",
      [](const InVector<float>& sizes, std::int64_t n_top, std::int64_t n_other,
         std::uint64_t seed) {
        require(n_top >= 0 && n_other >= 0 && n_top + n_other >= 1 &&
                    n_top + n_other <= static_cast<std::int64_t>(sizes.shape(0)),
                "n_top + n_other must be from 1 to the number of rows");
        return arrays_of(boost::draw_goss(vec(sizes), n_top, n_other, seed));
      },
      "sizes"_a, "n_top"_a, "n_other"_a, "seed"_a,
      "The rows of the largest sizes and some of the others, and their factors.");
  m.def(
      "boost_draw_minimal_variance",
      [](const InVector<float>& sizes, double n_drawn, std::uint64_t seed) {
        require(n_drawn > 0.0 && n_drawn <= static_cast<double>(sizes.shape(0)),
                "n_drawn must be above 0 and at most the number of rows");
        return arrays_of(boost::draw_minimal_variance(vec(sizes), n_drawn, seed));
      },
      "sizes"_a, "n_drawn"_a, "seed"_a,
      "Rows with probabilities that grow with their sizes, and their factors.");
}

}  // namespace

void bind_boost_losses(nb::module_& m) {
  bind_losses(m);
  bind_ranking_losses(m);
  bind_sampling(m);
}

}  // namespace gramian
