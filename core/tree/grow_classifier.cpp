#include <cmath>

#include "tree/criterion_counts.hpp"
#include "tree/grow_with.hpp"

namespace gramian::tree {
namespace {

// c log2 c of every whole number up to the total weight, if all weights are whole and that is few.
std::vector<double> entropy_table(const Sample& sample) {
  constexpr double kLargest = 1 << 17;  // a megabyte: what a core's own cache holds
  if (sample.total_weight > kLargest || !sample.has_whole_weights()) return {};
  std::vector<double> table(static_cast<std::size_t>(sample.total_weight) + 1);
  for (std::size_t c = 1; c < table.size(); ++c)
    table[c] = static_cast<double>(c) * std::log2(static_cast<double>(c));
  return table;
}

template <class Terms>
void grow_terms(TreeTask& task, const Terms& terms, GrownTrees& out) {
  if (task.target.n_outputs > 1)
    return grow_by_form(task, CountCriterion(task.target, CountTerms<Terms>{terms}), out);
  const std::int64_t n_classes = task.target.n_classes[0];
  if (n_classes == 2)
    return grow_with(
        task, [&]<bool w>(std::bool_constant<w>) { return BinaryCriterion<Terms, w>(terms); }, out);
  grow_with(
      task,
      [&]<bool w>(std::bool_constant<w>) { return TermCriterion<Terms, w>(n_classes, terms); },
      out);
}

}  // namespace

void grow_classifier(TreeTask& task, GrownTrees& out) {
  if (task.options.criterion == CriterionKind::entropy) {
    const std::vector<double> table = entropy_table(task.sample);
    return grow_terms(task, EntropyTerms{table}, out);
  }
  if (task.options.criterion == CriterionKind::misclassification)
    return grow_by_form(task, CountCriterion(task.target, MisclassificationTerms{}), out);
  grow_terms(task, GiniTerms{}, out);
}

}  // namespace gramian::tree
