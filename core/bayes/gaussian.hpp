// Classes with a normal distribution for each column.
#pragma once

#include "base/context.hpp"
#include "base/views.hpp"
#include "bayes/dense_joint_kernel.hpp"
#include "bayes/posterior.hpp"

namespace gramian::bayes {

// Answers what is asked about every row in one pass over X; the bits of an answer depend on that
// row alone. Returns whether all squares were finite: if not, X may hold NaN or infinity.
template <class T>
bool gaussian_answers(MatrixView<const T> X, const GaussianClasses& classes, const Asked<T>& asked,
                      const Context& ctx);

}  // namespace gramian::bayes
