// The extension module: one bind function per engine.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include "bindings/blas.hpp"
#include "bindings/context.hpp"
#include "simd/level.hpp"

namespace gramian {

void bind_boost(nanobind::module_& m);
void bind_boost_bins(nanobind::module_& m);
void bind_boost_losses(nanobind::module_& m);
void bind_coordinate_descent(nanobind::module_& m);
void bind_distance(nanobind::module_& m);
void bind_information(nanobind::module_& m);
void bind_isotonic(nanobind::module_& m);
void bind_leave_one_out(nanobind::module_& m);
void bind_glm(nanobind::module_& m);
void bind_linalg(nanobind::module_& m);
void bind_linear_svm(nanobind::module_& m);
void bind_neighbours(nanobind::module_& m);
void bind_prefix_models(nanobind::module_& m);
void bind_preprocessing(nanobind::module_& m);
void bind_quantiles(nanobind::module_& m);
void bind_ranking(nanobind::module_& m);
void bind_robust(nanobind::module_& m);
void bind_sgd(nanobind::module_& m);
void bind_solve(nanobind::module_& m);
void bind_sparse(nanobind::module_& m);
void bind_svm(nanobind::module_& m);
void bind_target_statistics(nanobind::module_& m);
void bind_tree_shap(nanobind::module_& m);
void bind_tree_out_of_bag(nanobind::module_& m);
void bind_tree_shuffle(nanobind::module_& m);
void bind_trees(nanobind::module_& m);
void bind_tree_predict(nanobind::module_& m);
void bind_tree_prune(nanobind::module_& m);
void bind_tree_grow(nanobind::module_& m);
void bind_tree_levels(nanobind::module_& m);
void bind_tree_columns(nanobind::module_& m);
void bind_boosted_trees(nanobind::module_& m);

}  // namespace gramian

NB_MODULE(_core, m) {
  m.doc() = "The native core: arrays in, arrays out.";
#if defined(NDEBUG)
  // Objects that outlive the interpreter, those of daemon threads say, are no news to users.
  nanobind::set_leak_warnings(false);
#endif
  gramian::bind_context(m);
  gramian::bind_blas(m);
  gramian::bind_boost_bins(m);
  gramian::bind_boost(m);
  gramian::bind_boost_losses(m);
  gramian::bind_coordinate_descent(m);
  gramian::bind_distance(m);
  gramian::bind_information(m);
  gramian::bind_isotonic(m);
  gramian::bind_leave_one_out(m);
  gramian::bind_glm(m);
  gramian::bind_linalg(m);
  gramian::bind_linear_svm(m);
  gramian::bind_neighbours(m);
  gramian::bind_prefix_models(m);
  gramian::bind_preprocessing(m);
  gramian::bind_quantiles(m);
  gramian::bind_ranking(m);
  gramian::bind_robust(m);
  gramian::bind_sgd(m);
  gramian::bind_solve(m);
  gramian::bind_sparse(m);
  gramian::bind_svm(m);
  gramian::bind_target_statistics(m);
  gramian::bind_tree_shap(m);
  gramian::bind_tree_out_of_bag(m);
  gramian::bind_tree_shuffle(m);
  gramian::bind_trees(m);
  gramian::bind_tree_predict(m);
  gramian::bind_tree_prune(m);
  gramian::bind_tree_columns(m);
  gramian::bind_tree_grow(m);
  gramian::bind_tree_levels(m);
  gramian::bind_boosted_trees(m);

  m.def(
      "cpu_level", [] { return gramian::level_name(gramian::cpu_level()); },
      "The instruction set level in use: 'plain', 'v2', 'v3' or 'v4'.");
}
