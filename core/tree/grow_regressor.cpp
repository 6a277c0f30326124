#include "tree/criterion_moments.hpp"
#include "tree/grow_with.hpp"

namespace gramian::tree {
namespace {

template <class Error>
void grow_error(const TreeTask& task, GrownTrees& out) {
  const auto n_outputs = static_cast<std::size_t>(task.target.n_outputs);
  const auto centre = Error::is_centred ? mean_target(task) : std::vector<double>(n_outputs, 0.0);
  if (n_outputs > 1)
    return grow_by_form(task, ManyMomentsCriterion<Error>(task.target, centre), out);
  grow_with(
      task, [&]<bool w>(std::bool_constant<w>) { return MomentCriterion<Error, w>(centre[0]); },
      out);
}

}  // namespace

std::vector<double> mean_target(const TreeTask& task) {
  const auto n_outputs = static_cast<std::size_t>(task.target.n_outputs);
  std::vector<double> mean(n_outputs, 0.0);
  for (const std::uint32_t row : task.sample.rows) {
    const double w = task.sample.weight.empty() ? 1.0 : task.sample.weight[row];
    for (std::size_t o = 0; o < n_outputs; ++o)
      mean[o] += w * task.target.values[row * n_outputs + o];
  }
  for (double& value : mean) value /= task.sample.total_weight;
  return mean;
}

void grow_regressor(const TreeTask& task, GrownTrees& out) {
  switch (task.options.criterion) {
    case CriterionKind::poisson:
      return grow_error<PoissonError>(task, out);
    default:
      return grow_error<SquaredError>(task, out);
  }
}

}  // namespace gramian::tree
