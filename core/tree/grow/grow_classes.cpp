#include "tree/criterion/criterion_counts.hpp"
#include "tree/criterion/impurity_terms.hpp"
#include "tree/grow/grow_with.hpp"
#include "tree/search/class_lanes.hpp"

namespace gramian::tree {

bool grow_by_lanes(TreeTask& task, GrownTrees& out) {
  using Criterion = TermCriterion<GiniTerms, true>;
  using Search = ClassLaneSearch<Criterion>;
  const auto n_classes = task.target.n_classes;
  if (task.columns.form() != Columns::Form::coded || n_classes.size() != 1 || n_classes[0] < 3 ||
      task.options.criterion != CriterionKind::gini)
    return false;
  if (!Search::serves(task.columns, task.target, task.sample, task.options)) return false;
  grow_by<Search>(task, Criterion(n_classes[0], GiniTerms{}), out);
  return true;
}

}  // namespace gramian::tree
