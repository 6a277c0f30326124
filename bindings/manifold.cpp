// Bindings of core/manifold: affinities of rows, steps of t-SNE, and new points in an embedding.
#include <nanobind/stl/tuple.h>

#include <memory>
#include <tuple>

#include "bindings/binding.hpp"
#include "manifold/affinities.hpp"
#include "manifold/barycentres.hpp"
#include "manifold/descent.hpp"
#include "manifold/placement.hpp"
#include "manifold/point_tree.hpp"
#include "manifold/ranked_pairs.hpp"
#include "manifold/smacof.hpp"

namespace gramian {
namespace {

using manifold::Affinities;
using manifold::Repulsion;

void conditional_affinities(const InMatrix<double>& squared, std::int64_t first, double perplexity,
                            const OutMatrix<float>& p, const OutVector<double>& betas,
                            const Context& ctx) {
  const auto distances = matrix(squared);
  const auto out = matrix(p);
  require(distances.has_contiguous_rows() && out.has_contiguous_rows(),
          "the rows of squared and p must be contiguous");
  require(out.n_rows == distances.n_rows && out.n_cols == distances.n_cols,
          "p must have the shape of squared");
  require_entries(distances.n_rows, "betas must have one entry per row", betas);
  require(perplexity > 0.0, "perplexity must be positive");
  const ReleasedGil nogil;
  manifold::conditional(distances, first, perplexity, out, vec(betas), ctx);
}

void require_places(const MatrixView<const std::int64_t>& index, const MatrixView<const float>& p,
                    std::int64_t n_points) {
  require(index.n_rows == p.n_rows && index.n_cols == p.n_cols, "index must have the shape of p");
  require(index.has_contiguous_rows() && p.has_contiguous_rows(),
          "the rows of index and p must be contiguous");
  for (std::int64_t i = 0; i < index.n_rows; ++i)
    for (const std::int64_t place : index.row(i))
      require(place >= 0 && place < n_points, "index must name rows");
}

std::tuple<nb::object, nb::object, nb::object> joint_affinities(const InMatrix<std::int64_t>& index,
                                                                const InMatrix<float>& p,
                                                                const Context& ctx) {
  const auto places = matrix(index);
  const auto values = matrix(p);
  require(places.n_rows < (std::int64_t{1} << 31), "there are too many rows");
  require_places(places, values, places.n_rows);
  manifold::JointAffinities found;
  {
    const ReleasedGil nogil;
    found = manifold::joint(places, values, ctx);
  }
  return {owned(std::move(found.starts)), owned(std::move(found.places)),
          owned(std::move(found.values))};
}

void join_affinities(const OutMatrix<float>& p, const Context& ctx) {
  const auto view = matrix(p);
  require(view.n_rows == view.n_cols, "p must be square");
  const ReleasedGil nogil;
  manifold::join_all(view, ctx);
}

// Either (starts, places, values) or a square matrix, of as many rows as there are points.
class GivenAffinities {
 public:
  GivenAffinities(const OptionalVector<std::int64_t>& starts,
                  const OptionalVector<std::int32_t>& places, const OptionalVector<float>& values,
                  const OptionalMatrix<float>& all, std::int64_t n_points) {
    if (all) {
      view.all = matrix(*all);
      require(
          view.all.is_c_contiguous() && view.all.n_rows == n_points && view.all.n_cols == n_points,
          "affinities must be a square matrix in C order with a row for each point");
      return;
    }
    require(starts && places && values, "affinities are needed");
    view = {vec(*starts), vec(*places), vec(*values), {}};
    const CsrView<float, std::int32_t> checked{view.values, view.places, {}, n_points};
    require(static_cast<std::int64_t>(view.starts.size()) == n_points + 1 &&
                view.starts.front() == 0 && std::ranges::is_sorted(view.starts) &&
                view.starts.back() == checked.n_stored() &&
                view.places.size() == view.values.size(),
            "starts must go from 0 to the number of affinities");
    require(std::ranges::all_of(view.places,
                                [&](std::int32_t place) { return place >= 0 && place < n_points; }),
            "places must be numbers of points");
  }

  Affinities view{};
};

std::unique_ptr<Repulsion> repulsion_of(std::string_view method, double angle, int n_planes) {
  if (method == "exact") return manifold::exact_repulsion();
  if (method == "barnes_hut") {
    require(n_planes <= manifold::kMostTreePlanes, "a tree takes up to three components");
    return manifold::tree_repulsion(angle);
  }
  require(method == "fft", "method must be 'exact', 'barnes_hut' or 'fft'");
  require(n_planes == 2, "a grid takes two components");
  return manifold::grid_repulsion();
}

std::tuple<std::int64_t, double, double, double> tsne_descend(
    const OptionalVector<std::int64_t>& starts, const OptionalVector<std::int32_t>& places,
    const OptionalVector<float>& values, const OptionalMatrix<float>& all,
    const OutMatrix<float>& points, const OutMatrix<float>& updates, const OutMatrix<float>& gains,
    std::int64_t n_steps, double momentum, double learning_rate, double exaggeration,
    double least_gain, std::string_view method, double angle, const Context& ctx) {
  const manifold::DescentState state{matrix(points), matrix(updates), matrix(gains)};
  for (const auto* other : {&state.updates, &state.gains})
    require(other->n_rows == state.points.n_rows && other->n_cols == state.points.n_cols,
            "updates and gains must have the shape of points");
  require(state.points.n_rows >= 1 && state.points.n_cols >= 2, "points need two components");
  const GivenAffinities affinities(starts, places, values, all, state.points.n_rows);
  const auto repulsion = repulsion_of(method, angle, static_cast<int>(state.points.n_cols));
  const manifold::DescentOptions options{n_steps, momentum, learning_rate, exaggeration,
                                         least_gain};
  const ReleasedGil nogil;
  const auto found = manifold::descend(affinities.view, *repulsion, state, options, ctx);
  return {found.n_steps, found.divergence, found.gradient_norm, found.attraction_norm};
}

std::tuple<double, double> tsne_divergence(const OptionalVector<std::int64_t>& starts,
                                           const OptionalVector<std::int32_t>& places,
                                           const OptionalVector<float>& values,
                                           const OptionalMatrix<float>& all,
                                           const InMatrix<float>& points, std::int64_t n_sampled,
                                           const Context& ctx) {
  const auto view = matrix(points);
  require(view.n_rows >= 1 && view.n_cols >= 2 && n_sampled >= 2, "points need two components");
  const GivenAffinities affinities(starts, places, values, all, view.n_rows);
  const ReleasedGil nogil;
  const auto found = manifold::divergence(affinities.view, view, n_sampled, ctx);
  return {found.value, found.error};
}

double repulsive_forces(const InMatrix<float>& points, std::string_view method, double angle,
                        const OutMatrix<float>& forces, const Context& ctx) {
  const auto view = matrix(points);
  const auto out = matrix(forces);
  require(out.n_rows == view.n_rows && out.n_cols == view.n_cols && view.n_rows > 0,
          "forces must have the shape of points");
  const auto repulsion = repulsion_of(method, angle, static_cast<int>(view.n_cols));
  const ReleasedGil nogil;
  manifold::Planes planes(view.n_rows, static_cast<int>(view.n_cols));
  manifold::Planes found(view.n_rows, planes.n_planes());
  planes.take(view);
  const double sum = (*repulsion)(planes, found, ctx);
  found.give(out);
  return sum;
}

void tsne_place(const InMatrix<float>& points, const InMatrix<std::int64_t>& index,
                const InMatrix<float>& p, double angle, const OutMatrix<float>& placed,
                const Context& ctx) {
  const auto view = matrix(points);
  const auto out = matrix(placed);
  require(view.n_rows >= 1 && view.n_cols >= 2, "points need two components");
  require_places(matrix(index), matrix(p), view.n_rows);
  require(static_cast<std::int64_t>(index.shape(0)) == out.n_rows && out.n_cols == view.n_cols,
          "placed must have a row for each of index");
  const ReleasedGil nogil;
  manifold::place(view, matrix(index), matrix(p), angle, out, ctx);
}

std::int64_t barycentre_weights(const InMatrix<double>& X, const InMatrix<double>& Y,
                                const InMatrix<std::int64_t>& index, double reg,
                                const OutMatrix<double>& out, const Context& ctx) {
  const auto rows = matrix(X);
  const auto places = matrix(index);
  const auto weights = matrix(out);
  require(rows.n_cols == matrix(Y).n_cols, "X and Y must have the same number of columns");
  require(places.n_rows == rows.n_rows && has_shape(places.n_rows, places.n_cols, out),
          "index and out must have a row for each of X, and the same number of columns");
  require(
      rows.has_contiguous_rows() && places.has_contiguous_rows() && weights.has_contiguous_rows(),
      "the rows of X, index and out must be contiguous");
  const auto n_known = static_cast<std::int64_t>(Y.shape(0));
  for (std::int64_t i = 0; i < places.n_rows; ++i)
    for (const std::int64_t place : places.row(i))
      require(place >= 0 && place < n_known, "index must name rows of Y");
  const ReleasedGil nogil;
  return manifold::barycentre_weights(rows, matrix(Y), places, reg, weights, ctx);
}

std::tuple<double, double> smacof_pass(const InMatrix<double>& disparities,
                                       const InMatrix<double>& X, const OutMatrix<double>& next,
                                       const std::optional<OutMatrix<double>>& distances,
                                       const Context& ctx) {
  const auto points = matrix(X);
  const auto given = matrix(disparities);
  const std::int64_t n = points.n_rows;
  require(n > 0 && given.n_rows == n && given.n_cols == n && given.has_contiguous_rows(),
          "disparities must be a square matrix in C order with a row for each point");
  require(has_shape(n, points.n_cols, next), "next must have the shape of X");
  const auto out = distances ? matrix(*distances) : MatrixView<double>{};
  require(!distances || (out.n_rows == n && out.n_cols == n && out.has_contiguous_rows()),
          "distances must have the shape of disparities");
  const ReleasedGil nogil;
  const auto found = manifold::smacof_pass(given, points, matrix(next), out, ctx);
  return {found.raw, found.squares};
}

manifold::RankedPairs ranked_pairs(const InMatrix<double>& dissimilarities, const Context& ctx) {
  const auto given = matrix(dissimilarities);
  require(given.n_rows == given.n_cols, "dissimilarities must be a square matrix");
  const ReleasedGil nogil;
  return {given, ctx};
}

void rank_means(const manifold::RankedPairs& pairs, const InMatrix<double>& values,
                const OutVector<double>& means, const OutVector<double>& counts,
                const Context& ctx) {
  const auto given = matrix(values);
  require(has_shape(pairs.n_points(), pairs.n_points(), values) && given.is_c_contiguous(),
          "values must be a square matrix in C order with a row for each point");
  require_entries(pairs.n_ranks(), "means and counts must have one entry per rank", means, counts);
  const ReleasedGil nogil;
  pairs.means(given, vec(means), vec(counts), ctx);
}

void spread_ranks(const manifold::RankedPairs& pairs, const InVector<double>& of_rank, double scale,
                  const OutMatrix<double>& out, const Context& ctx) {
  const auto entries = matrix(out);
  require(has_shape(pairs.n_points(), pairs.n_points(), out) && entries.is_c_contiguous(),
          "out must be a square matrix in C order with a row for each point");
  require_entries(pairs.n_ranks(), "of_rank must have one entry per rank", of_rank);
  const ReleasedGil nogil;
  pairs.spread(vec(of_rank), scale, entries, ctx);
}

void bind_ranked_pairs(nb::module_& m) {
  nb::class_<manifold::RankedPairs>(m, "RankedPairs",
                                    "Pairs of points in the order of their dissimilarities.")
      .def_prop_ro("n_ranks", &manifold::RankedPairs::n_ranks)
      .def("means", &rank_means, "values"_a, nb::kw_only(), "means"_a, "counts"_a, "ctx"_a,
           "Means over the pairs of each rank, and their numbers.")
      .def("spread", &spread_ranks, "of_rank"_a, nb::kw_only(), "scale"_a, "out"_a, "ctx"_a,
           "Write the scaled value of its rank for each pair, in both orders.");
  m.def("ranked_pairs", &ranked_pairs, "dissimilarities"_a, nb::kw_only(), "ctx"_a,
        "The pairs with a dissimilarity above zero.");
}

}  // namespace

void bind_manifold(nb::module_& m) {
  bind_ranked_pairs(m);
  m.def("conditional_affinities", &conditional_affinities, "squared"_a, nb::kw_only(), "first"_a,
        "perplexity"_a, "p"_a, "betas"_a.noconvert(), "ctx"_a,
        "Probabilities of neighbours at a perplexity, and the rates that give it.");
  m.def("joint_affinities", &joint_affinities, "index"_a, "p"_a, nb::kw_only(), "ctx"_a,
        "Affinities of pairs as compressed rows: starts, places and values.");
  m.def("join_affinities", &join_affinities, "p"_a, nb::kw_only(), "ctx"_a,
        "Make the probabilities of all pairs joint, in place.");
  m.def("tsne_descend", &tsne_descend, "starts"_a.none(), "places"_a.none(), "values"_a.none(),
        "all"_a.none(), nb::kw_only(), "points"_a, "updates"_a, "gains"_a, "n_steps"_a,
        "momentum"_a, "learning_rate"_a, "exaggeration"_a, "least_gain"_a, "method"_a, "angle"_a,
        "ctx"_a,
        "Steps of t-SNE: their number, the divergence, and the norms of the gradient and of its "
        "attractive part.");
  m.def("tsne_divergence", &tsne_divergence, "starts"_a.none(), "places"_a.none(),
        "values"_a.none(), "all"_a.none(), nb::kw_only(), "points"_a, "n_sampled"_a, "ctx"_a,
        "The divergence of an embedding, and its standard error.");
  m.def("repulsive_forces", &repulsive_forces, "points"_a, nb::kw_only(), "method"_a, "angle"_a,
        "forces"_a, "ctx"_a, "What pushes points apart, and the sum over all pairs.");
  m.def("tsne_place", &tsne_place, "points"_a, nb::kw_only(), "index"_a, "p"_a, "angle"_a,
        "placed"_a, "ctx"_a, "Place new points in an embedding.");
  m.def("barycentre_weights", &barycentre_weights, "X"_a, "Y"_a, "index"_a, nb::kw_only(), "reg"_a,
        "out"_a, "ctx"_a,
        "Weights of neighbours that come nearest to each row; the first row without any, or -1.");
  m.def("smacof_pass", &smacof_pass, "disparities"_a, "X"_a, nb::kw_only(), "next"_a,
        "distances"_a.none(), "ctx"_a,
        "Stress of points and half the sum of their squared distances, and Guttman's transform.");
}

}  // namespace gramian
