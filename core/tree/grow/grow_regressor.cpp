#include "tree/criterion/criterion_moments.hpp"
#include "tree/grow/grow_with.hpp"

namespace gramian::tree {
namespace {

template <class Error>
void grow_error(TreeTask& task, GrownTrees& out) {
  if (task.target.n_outputs > 1)
    return grow_by_form(task, ManyMomentsCriterion<Error>(task.target), out);
  grow_with(task, []<bool w>(std::bool_constant<w>) { return MomentCriterion<Error, w>(); }, out);
}

}  // namespace

void grow_regressor(TreeTask& task, GrownTrees& out) {
  switch (task.options.criterion) {
    case CriterionKind::poisson:
      return grow_error<PoissonError>(task, out);
    default:
      return grow_error<SquaredError>(task, out);
  }
}

}  // namespace gramian::tree
