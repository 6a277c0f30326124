#include "cluster/block_steps.hpp"

#include <algorithm>

#include "linalg/block_sums.hpp"

namespace gramian::cluster {
namespace {

template <class T>
struct Centres {
  std::vector<T> values;
  MatrixView<const T> view;

  Centres(std::span<const double> numbers, std::int64_t n_features)
      : values(numbers.begin(), numbers.end()),
        view(values.data(), std::ssize(numbers) / n_features, n_features) {
    if (numbers.empty() || std::ssize(numbers) % n_features != 0)
      throw InvalidArgument("centres must have the columns of the rows");
  }
};

template <class T>
std::vector<double> nearest_of(linalg::AskedNumbers& numbers, MatrixView<const T> X,
                               const Context& ctx) {
  const bool with_squared = numbers.next(1)[0] != 0.0;
  const Centres<T> centres(numbers.rest(), X.n_cols);
  std::vector<std::int32_t> labels(at(X.n_rows));
  std::vector<double> squared(with_squared ? labels.size() : 0);
  nearest_centres(X, centres.view, std::span(labels), std::span(squared), ctx);
  std::vector<double> found(labels.begin(), labels.end());
  found.insert(found.end(), squared.begin(), squared.end());
  return found;
}

template <class T>
std::vector<double> sums_by_label(linalg::AskedNumbers& numbers, MatrixView<const T> X,
                                  const Context& ctx) {
  const auto n_clusters = static_cast<std::int64_t>(numbers.next(1)[0]);
  const auto given = numbers.of_rows(1, X.n_rows);
  const auto is_label = [&](double c) { return c >= 0.0 && c < static_cast<double>(n_clusters); };
  if (std::ssize(given) != X.n_rows || !std::ranges::all_of(given, is_label))
    throw InvalidArgument("labels must be numbers of clusters");
  const std::vector<std::int32_t> labels(given.begin(), given.end());
  ClusterSums sums = ClusterSums::zeros(n_clusters, X.n_cols);
  cluster_sums<MatrixView<const T>, T>(X, numbers.of_rows(0, X.n_rows), labels,
                                       numbers.next(X.n_cols),
                                       MatrixView<double>(sums.sums.data(), n_clusters, X.n_cols),
                                       {sums.weights.data(), at(n_clusters)}, ctx);
  return linalg::packed(std::move(sums));
}

template <class T>
std::vector<double> step_of(const RowSum& asked, linalg::AskedNumbers& numbers,
                            MatrixView<const T> X, const Context& ctx) {
  distance::Frame frame;
  frame.scale = numbers.next(1)[0];
  const auto shift = numbers.next(X.n_cols);
  frame.shift.assign(shift.begin(), shift.end());
  const auto n_numbers = static_cast<std::int64_t>(numbers.next(1)[0]);
  const Centres<T> centres(numbers.next(n_numbers), X.n_cols);
  const auto before = numbers.rest();  // none at the first step
  std::vector<std::int32_t> labels(at(X.n_rows), -1);
  const auto weight = numbers.of_rows(0, X.n_rows);
  if (!before.empty()) {
    const Centres<T> last(before, X.n_cols);
    BlockSteps<T>(X, frame, last.view, weight, labels, ctx).label();
  }
  BlockSteps<T> steps(X, frame, centres.view, weight, labels, ctx);
  if (asked.what == kInertia) return {steps.inertia()};
  return linalg::packed(steps.step());
}

}  // namespace

std::optional<std::vector<double>> cluster_sums_of(const RowSum& asked, const AnyDense& rows,
                                                   const Context& ctx) {
  const bool is_step = asked.what == kStep || asked.what == kInertia;
  if (!is_step && asked.what != kNearest && asked.what != kClusterSums) return std::nullopt;
  linalg::AskedNumbers numbers(asked);
  return std::visit(
      [&]<class T>(const MatrixView<const T>&) {
        const MatrixView<const T>& X = rows_of<T>(rows);
        if (asked.what == kNearest) return nearest_of(numbers, X, ctx);
        if (asked.what == kClusterSums) return sums_by_label(numbers, X, ctx);
        return step_of(asked, numbers, X, ctx);
      },
      rows);
}

}  // namespace gramian::cluster
