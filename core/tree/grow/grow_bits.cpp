#include "tree/criterion/criterion_binary.hpp"
#include "tree/criterion/entropy_table.hpp"
#include "tree/criterion/impurity_terms.hpp"
#include "tree/grow/grow_with.hpp"
#include "tree/search/bit_cuts.hpp"

namespace gramian::tree {
namespace {

template <class T, class Terms>
bool grow_values(TreeTask& task, const Terms& terms, GrownTrees& out) {
  using Criterion = BinaryCriterion<Terms, false>;
  using Search = BitCutSearch<Criterion, T>;
  if (!Search::serves(task.columns, task.sample, task.options)) return false;
  grow_by<Search>(task, Criterion(terms), out);
  return true;
}

template <class Terms>
bool grow_terms(TreeTask& task, const Terms& terms, GrownTrees& out) {
  return grow_values<float>(task, terms, out) || grow_values<double>(task, terms, out);
}

}  // namespace

bool grow_by_bits(TreeTask& task, GrownTrees& out) {
  const auto n_classes = task.target.n_classes;
  if (task.columns.form() != Columns::Form::values || n_classes.size() != 1 || n_classes[0] != 2)
    return false;
  if (task.options.criterion == CriterionKind::gini) return grow_terms(task, GiniTerms{}, out);
  if (task.options.criterion != CriterionKind::entropy) return false;
  const std::vector<double> table = entropy_table(task.sample);
  return grow_terms(task, EntropyTerms{table}, out);
}

}  // namespace gramian::tree
