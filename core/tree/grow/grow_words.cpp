#include "tree/criterion/criterion_binary.hpp"
#include "tree/criterion/criterion_counts.hpp"
#include "tree/criterion/entropy_table.hpp"
#include "tree/criterion/impurity_terms.hpp"
#include "tree/grow/grow_with.hpp"
#include "tree/search/word_cuts.hpp"

namespace gramian::tree {
namespace {

template <class Words, class Criterion>
bool grow_criterion(TreeTask& task, const Criterion& criterion, GrownTrees& out) {
  const auto grow_values = [&]<class T>(T) {
    using Search = WordCutSearch<Criterion, T, Words>;
    if (!Search::serves(task.columns, task.target, task.sample, task.options)) return false;
    grow_by<Search>(task, criterion, out);
    return true;
  };
  return grow_values(0.0f) || grow_values(0.0);
}

template <class Terms>
bool grow_two(TreeTask& task, const Terms& terms, GrownTrees& out) {
  return grow_criterion<BitWords>(task, BinaryCriterion<Terms, false>(terms), out);
}

}  // namespace

bool grow_by_words(TreeTask& task, GrownTrees& out) {
  const auto n_classes = task.target.n_classes;
  if (task.columns.form() != Columns::Form::values || n_classes.size() != 1) return false;
  if (task.options.criterion == CriterionKind::gini)
    return grow_two(task, GiniTerms{}, out) ||
           grow_criterion<LabelWords>(
               task, TermCriterion<GiniTerms, false>(n_classes[0], GiniTerms{}), out);
  if (task.options.criterion != CriterionKind::entropy || n_classes[0] != 2) return false;
  const std::vector<double> table = entropy_table(task.sample);
  return grow_two(task, EntropyTerms{table}, out);
}

}  // namespace gramian::tree
