#include "bayes/gaussian.hpp"

#include <atomic>

#include "base/instantiate.hpp"

namespace gramian::bayes {

template <class T>
bool gaussian_answers(MatrixView<const T> X, const GaussianClasses& classes, const Asked<T>& asked,
                      const Context& ctx) {
  const auto entries = static_cast<double>(X.n_rows) * static_cast<double>(X.n_cols);
  const double cost_ns = entries * (0.7 + 0.12 * static_cast<double>(classes.k));
  std::atomic<bool> all_finite = true;
  const auto make_reader = [&] {
    return [&, scratch = Buffer<double>(JointBlock::kMostRows * kJointColsAtOnce)](
               std::int64_t begin, std::int64_t end, double* joint) mutable {
      const DenseRows<T> rows{X.data + begin * X.row_stride, X.row_stride, X.col_stride,
                              end - begin, X.n_cols};
      if (!GRAMIAN_DISPATCH(gaussian_joint, rows, classes, scratch.data(), joint))
        all_finite.store(false, std::memory_order_relaxed);
    };
  };
  answer_rows(X.n_rows, asked, cost_ns, ctx, make_reader);
  return all_finite;
}

#define GRAMIAN_INSTANTIATE(T)                                                                 \
  template bool gaussian_answers(MatrixView<const T>, const GaussianClasses&, const Asked<T>&, \
                                 const Context&);
GRAMIAN_FOR_EACH_NUMBER(GRAMIAN_INSTANTIATE)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::bayes
