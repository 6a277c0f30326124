#include "tree/criterion/criterion_binary.hpp"
#include "tree/criterion/criterion_counts.hpp"
#include "tree/criterion/entropy_table.hpp"
#include "tree/criterion/impurity_terms.hpp"
#include "tree/grow/grow_with.hpp"

namespace gramian::tree {
namespace {

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
  if (grow_by_words(task, out) || grow_by_lanes(task, out)) return;
  if (task.options.criterion == CriterionKind::entropy) {
    const std::vector<double> table = entropy_table(task.sample);
    return grow_terms(task, EntropyTerms{table}, out);
  }
  if (task.options.criterion == CriterionKind::misclassification)
    return grow_by_form(task, CountCriterion(task.target, MisclassificationTerms{}), out);
  grow_terms(task, GiniTerms{}, out);
}

}  // namespace gramian::tree
