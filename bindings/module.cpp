// The extension module: one bind function per engine.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include "simd/level.hpp"

namespace gramian {

using Bind = void(nanobind::module_&);

Bind bind_context, bind_bayes, bind_bayes_levels, bind_bayes_normal, bind_blas, bind_boltzmann,
    bind_boost, bind_boost_bins, bind_boost_losses, bind_boosted_trees, bind_class_neighbours,
    bind_cluster_affinity, bind_cluster_birch, bind_cluster_density, bind_cluster_kmeans,
    bind_cluster_mean_shift, bind_coordinate_descent, bind_decomposition, bind_distance, bind_glm,
    bind_gower, bind_graph, bind_hdbscan, bind_information, bind_isotonic, bind_kd_tree,
    bind_kernel_density, bind_leave_one_out, bind_linalg, bind_linear_svm, bind_linkage,
    bind_manifold, bind_mixture, bind_neighbours, bind_network, bind_nmf, bind_optics,
    bind_prefix_models, bind_preprocessing, bind_quantiles, bind_ranking, bind_robust,
    bind_row_blocks, bind_sgd, bind_solve, bind_sparse, bind_sparse_neighbours, bind_svm,
    bind_target_statistics, bind_text_codes, bind_tree_columns, bind_tree_grow, bind_tree_levels,
    bind_tree_out_of_bag, bind_tree_predict, bind_tree_prune, bind_tree_shap, bind_tree_shuffle,
    bind_trees, bind_words;

constexpr Bind* kBindings[] = {
    bind_context,
    bind_blas,
    bind_boost_bins,
    bind_boost,
    bind_boost_losses,
    bind_coordinate_descent,
    bind_distance,
    bind_information,
    bind_isotonic,
    bind_leave_one_out,
    bind_glm,
    bind_linalg,
    bind_linear_svm,
    bind_neighbours,
    bind_prefix_models,
    bind_preprocessing,
    bind_quantiles,
    bind_ranking,
    bind_robust,
    bind_row_blocks,
    bind_sgd,
    bind_solve,
    bind_sparse,
    bind_sparse_neighbours,
    bind_svm,
    bind_target_statistics,
    bind_tree_shap,
    bind_tree_out_of_bag,
    bind_tree_shuffle,
    bind_trees,
    bind_tree_predict,
    bind_tree_prune,
    bind_tree_columns,
    bind_tree_grow,
    bind_tree_levels,
    bind_boosted_trees,
    bind_bayes,
    bind_kd_tree,
    bind_bayes_levels,
    bind_bayes_normal,
    bind_text_codes,
    bind_cluster_kmeans,
    bind_cluster_affinity,
    bind_cluster_birch,
    bind_cluster_density,
    bind_cluster_mean_shift,
    bind_linkage,
    bind_manifold,
    bind_graph,
    bind_kernel_density,
    bind_boltzmann,
    bind_network,
    bind_decomposition,
    bind_nmf,
    bind_mixture,
    bind_hdbscan,
    bind_optics,
    bind_words,
    bind_class_neighbours,
    bind_gower,
};

}  // namespace gramian

NB_MODULE(_core, m) {
  m.doc() = "The native core: arrays in, arrays out.";
#if defined(NDEBUG)
  // Objects that outlive the interpreter, those of daemon threads say, are no news to users.
  nanobind::set_leak_warnings(false);
#endif
  // Types before the functions that take them, whose signatures name them.
  for (gramian::Bind* bind : gramian::kBindings) bind(m);

  m.def(
      "cpu_level", [] { return gramian::level_name(gramian::cpu_level()); },
      "The instruction set level in use: 'plain', 'v2', 'v3' or 'v4'.");
}
