// Metrics of ranking: shapes checked, GIL released, results written into arrays that
// Python allocated.
#include "metrics/ranking.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/gil.hpp"

using namespace nanobind::literals;

namespace gramian {
namespace {

using OptionalWeight = std::optional<InVector<double>>;

std::span<const double> weights_of(const OptionalWeight& weight, std::size_t n) {
  require(!weight || weight->shape(0) == n, "weight must have one entry per score");
  return or_empty(weight);
}

template <class T>
std::int64_t threshold_counts(const InVector<T>& score, const InVector<std::uint8_t>& positive,
                              const OptionalWeight& weight, const OutVector<T>& thresholds,
                              const OutVector<double>& fps, const OutVector<double>& tps,
                              const Context& ctx) {
  const auto n = score.shape(0);
  require(positive.shape(0) == n, "positive must have one entry per score");
  require(thresholds.shape(0) == n && fps.shape(0) == n && tps.shape(0) == n,
          "thresholds, fps and tps must have one entry per score");
  const auto weights = weights_of(weight, n);
  const metrics::ScoredRows<T> rows{
      vec(score).data(), 1, vec(positive).data(), 1, static_cast<std::int64_t>(n), weights};
  const metrics::ThresholdCounts<T> out{vec(thresholds), vec(fps), vec(tps)};
  const ReleasedGil nogil;
  return metrics::threshold_counts(rows, out, ctx);
}

template <class T>
void require_problem_shapes(const InMatrix<T>& score, const InMatrix<std::uint8_t>& positive,
                            const OutVector<double>& out) {
  require(positive.shape(0) == score.shape(0) && positive.shape(1) == score.shape(1),
          "positive must have the shape of score");
  require(out.shape(0) == score.shape(0), "out must have one entry per row of score");
}

template <class T>
void roc_areas(const InMatrix<T>& score, const InMatrix<std::uint8_t>& positive,
               const OptionalWeight& weight, double max_fpr, const OutVector<double>& out,
               const Context& ctx) {
  require_problem_shapes(score, positive, out);
  require(max_fpr > 0.0 && max_fpr <= 1.0, "max_fpr must be in (0, 1]");
  const auto weights = weights_of(weight, score.shape(1));
  const auto scores = matrix(score);
  const auto labels = matrix(positive);
  const ReleasedGil nogil;
  metrics::roc_areas(scores, labels, weights, max_fpr, vec(out), ctx);
}

template <class T>
void average_precisions(const InMatrix<T>& score, const InMatrix<std::uint8_t>& positive,
                        const OptionalWeight& weight, const OutVector<double>& out,
                        const Context& ctx) {
  require_problem_shapes(score, positive, out);
  const auto weights = weights_of(weight, score.shape(1));
  const auto scores = matrix(score);
  const auto labels = matrix(positive);
  const ReleasedGil nogil;
  metrics::average_precisions(scores, labels, weights, vec(out), ctx);
}

template <class T>
void bind_scores(nb::module_& m) {
  m.def("threshold_counts", &threshold_counts<T>, "score"_a.noconvert(), "positive"_a.noconvert(),
        "weight"_a.noconvert().none(), nb::kw_only(), "thresholds"_a.noconvert(),
        "fps"_a.noconvert(), "tps"_a.noconvert(), "ctx"_a,
        "False and true positives at every distinct score, highest first; how many there are.");
  m.def("roc_areas", &roc_areas<T>, "score"_a.noconvert(), "positive"_a.noconvert(),
        "weight"_a.noconvert().none(), nb::kw_only(), "max_fpr"_a, "out"_a.noconvert(), "ctx"_a,
        "Area under the ROC curve of every row of score; NaN where a class has no weight.");
  m.def("average_precisions", &average_precisions<T>, "score"_a.noconvert(),
        "positive"_a.noconvert(), "weight"_a.noconvert().none(), nb::kw_only(), "out"_a.noconvert(),
        "ctx"_a, "Average precision of every row of score; NaN without positives.");
}

}  // namespace

void bind_ranking(nb::module_& m) {
  bind_scores<double>(m);
  bind_scores<float>(m);
  bind_scores<std::int64_t>(m);
}

}  // namespace gramian
