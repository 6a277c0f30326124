// Sums of multiplicative updates of a non-negative factorization X ~ W H by a beta divergence.
//
// With Y = W H and R = X Y^(beta - 2), S = Y^(beta - 1), entry by entry (Fevotte and Idier, 2011):
//   of the rows:    numerator = R H', denominator = S H'   (n x k)
//   of the columns: numerator = W'R,  denominator = W'S    (k x p)
// For beta = 1, where S is 1, the denominators are left at zero.
// Blocks of Y live in the cache only: O(n p k) time, no memory of the size of X.
#pragma once

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::solve {

struct BetaFactors {
  MatrixView<const double> W;  // n x k
  MatrixView<const double> H;  // k x p
  double beta;
  double least;  // what entries of Y count as at least, in reciprocals
};

struct BetaTerms {
  MatrixView<double> numerator;
  MatrixView<double> denominator;
};

template <class T>
void beta_row_terms(MatrixView<const T> X, const BetaFactors& factors, const BetaTerms& out,
                    const Context& ctx);

template <class T>
void beta_column_terms(MatrixView<const T> X, const BetaFactors& factors, const BetaTerms& out,
                       const Context& ctx);

// The sum of the divergences d(X | Y) of all entries.
template <class T>
double beta_divergence(MatrixView<const T> X, const BetaFactors& factors, const Context& ctx);

}  // namespace gramian::solve
