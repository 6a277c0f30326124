// Steps of t-SNE: gradient descent with momentum and a gain for each coordinate.
#pragma once

#include <cstdint>

#include "base/context.hpp"
#include "base/views.hpp"
#include "manifold/attraction.hpp"
#include "manifold/repulsion.hpp"

namespace gramian::manifold {

struct DescentOptions {
  std::int64_t n_steps;
  double momentum;
  double learning_rate;
  double exaggeration;  // of the affinities
  double least_gain;
};

// Where the descent is: a row for each point in each.
struct DescentState {
  MatrixView<float> points;
  MatrixView<float> updates;  // the last ones
  MatrixView<float> gains;
};

struct DescentResult {
  std::int64_t n_steps;    // fewer than asked for when the time is over
  double divergence;       // of the affinities from those of the points
  double gradient_norm;    // with the exaggeration
  double attraction_norm;  // of its attractive part
};

// Throws InvalidArgument if the points leave the range of single precision.
DescentResult descend(const Affinities& affinities, Repulsion& repulsion, const DescentState& state,
                      const DescentOptions& options, const Context& ctx);

// The divergence with the sum over all pairs, or over those of n_sampled points and all others,
// whose standard error is then given (0 if all are taken).
struct Divergence {
  double value;
  double error;
};
Divergence divergence(const Affinities& affinities, MatrixView<const float> points,
                      std::int64_t n_sampled, const Context& ctx);

}  // namespace gramian::manifold
