// Metrics of ranking: shapes checked, GIL released, results written into arrays that
// Python allocated.
#include "metrics/ranking.hpp"

#include "bindings/binding.hpp"

namespace gramian {
namespace {

template <class T>
std::int64_t threshold_counts(const InVector<T>& score, const InVector<std::uint8_t>& positive,
                              const OptionalVector<double>& weight, const OutVector<T>& thresholds,
                              const OutVector<double>& fps, const OutVector<double>& tps,
                              const Context& ctx) {
  const auto n = score.shape(0);
  require_entries(n, "positive and weight must have one entry per score", positive, weight);
  require_entries(n, "thresholds, fps and tps must have one entry per score", thresholds, fps, tps);
  const metrics::ScoredRows<T> rows{
      vec(score).data(), 1, vec(positive).data(), 1, static_cast<std::int64_t>(n),
      or_empty(weight)};
  const metrics::ThresholdCounts<T> out{vec(thresholds), vec(fps), vec(tps)};
  const ReleasedGil nogil;
  return metrics::threshold_counts(rows, out, ctx);
}

template <class T>
void require_problem_shapes(const InMatrix<T>& score, const InMatrix<std::uint8_t>& positive,
                            const OptionalVector<double>& weight, const OutVector<double>& out) {
  require(has_shape(score.shape(0), score.shape(1), positive),
          "positive must have the shape of score");
  require_entries(score.shape(1), "weight must have one entry per score", weight);
  require_entries(score.shape(0), "out must have one entry per row of score", out);
}

template <class T>
void roc_areas(const InMatrix<T>& score, const InMatrix<std::uint8_t>& positive,
               const OptionalVector<double>& weight, double max_fpr, const OutVector<double>& out,
               const Context& ctx) {
  require_problem_shapes(score, positive, weight, out);
  require(max_fpr > 0.0 && max_fpr <= 1.0, "max_fpr must be in (0, 1]");
  const auto scores = matrix(score);
  const auto labels = matrix(positive);
  const ReleasedGil nogil;
  metrics::roc_areas(scores, labels, or_empty(weight), max_fpr, vec(out), ctx);
}

template <class T>
void average_precisions(const InMatrix<T>& score, const InMatrix<std::uint8_t>& positive,
                        const OptionalVector<double>& weight, const OutVector<double>& out,
                        const Context& ctx) {
  require_problem_shapes(score, positive, weight, out);
  const auto scores = matrix(score);
  const auto labels = matrix(positive);
  const ReleasedGil nogil;
  metrics::average_precisions(scores, labels, or_empty(weight), vec(out), ctx);
}

template <class T>
void bind_scores(nb::module_& m) {
  m.def("threshold_counts", &threshold_counts<T>, "score"_a, "positive"_a, "weight"_a,
        nb::kw_only(), "thresholds"_a, "fps"_a, "tps"_a, "ctx"_a,
        "False and true positives at every distinct score, highest first; how many there are.");
  m.def("roc_areas", &roc_areas<T>, "score"_a, "positive"_a, "weight"_a, nb::kw_only(), "max_fpr"_a,
        "out"_a, "ctx"_a,
        "Area under the ROC curve of every row of score; NaN where a class has no weight.");
  m.def("average_precisions", &average_precisions<T>, "score"_a, "positive"_a, "weight"_a,
        nb::kw_only(), "out"_a, "ctx"_a,
        "Average precision of every row of score; NaN without positives.");
}

}  // namespace

void bind_ranking(nb::module_& m) {
  bind_scores<double>(m);
  bind_scores<float>(m);
  bind_scores<std::int64_t>(m);
}

}  // namespace gramian
