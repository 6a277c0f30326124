// What pushes the points of an embedding apart: all pairs, pairs of groups in a tree, or a
// potential on a grid.
#pragma once

#include <memory>

#include "base/context.hpp"
#include "manifold/planes.hpp"

namespace gramian::manifold {

class Repulsion {
 public:
  virtual ~Repulsion() = default;

  // forces = sum_j w q (y_i - y_j) of each point; returns the sum of w over all ordered pairs of
  // two different points. The bits depend on the points alone.
  virtual double operator()(const Planes& points, Planes& forces, const Context& ctx) = 0;
};

std::unique_ptr<Repulsion> exact_repulsion();

// Nodes whose extent is below angle times their distance act as one; up to three planes.
std::unique_ptr<Repulsion> tree_repulsion(double angle);

// Two planes.
std::unique_ptr<Repulsion> grid_repulsion();

}  // namespace gramian::manifold
