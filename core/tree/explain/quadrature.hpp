// Gauss-Legendre quadrature on [0, 1]: exact for polynomials below degree 2 n.
#pragma once

#include <vector>

namespace gramian::tree {

struct Quadrature {
  std::vector<double> node;
  std::vector<double> complement;  // 1 - node, without the rounding of the subtraction
  std::vector<double> weight;
};

// The rule of n_nodes >= 1 nodes, in rising order. O(n_nodes^2).
Quadrature gauss_legendre(int n_nodes);

}  // namespace gramian::tree
