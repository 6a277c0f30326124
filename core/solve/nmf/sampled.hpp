// Entries of a product of two factors, where a sparse matrix has entries of its own.
#pragma once

#include <cstdint>
#include <span>

#include "base/context.hpp"
#include "base/views.hpp"

namespace gramian::solve {

// out[e] = W(i, :) Ht(j, :)' for entry e of row i and column j. O(nnz k).
template <class Index>
void sampled_product(std::span<const Index> indptr, std::span<const Index> indices,
                     MatrixView<const double> W, MatrixView<const double> Ht, std::span<double> out,
                     const Context& ctx);

}  // namespace gramian::solve
