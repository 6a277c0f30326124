#include "bayes/normal.hpp"

#include <atomic>

#include "base/instantiate.hpp"

namespace gramian::bayes {

NormalClasses::NormalClasses(MatrixView<const double> mean, std::span<const double> factor,
                             std::span<const double> constant)
    : mean_(mean),
      constant_(constant),
      packed_(Buffer<double>::zeros(mean.n_rows * packed_factor_size(mean.n_cols))) {
  const std::int64_t p = mean.n_cols, size = packed_factor_size(p);
  for (std::int64_t c = 0; c < mean.n_rows; ++c) {
    const double* F = factor.data() + c * p * p;
    for (std::int64_t m = 0; m < p; ++m)
      for (std::int64_t j = 0; j <= m; ++j)
        packed_[c * size + packed_factor_at(m, j)] = F[m * p + j];
  }
}

template <class T>
bool normal_joint(const DenseRows<T>& rows, const NormalClasses& classes, double* block,
                  double* centred, double* joint) {
  GRAMIAN_DISPATCH(read_block, rows, block);
  bool is_finite = true;
  for (std::int64_t c = 0; c < classes.k(); ++c) {
    GRAMIAN_DISPATCH(shift_block, block, classes.mean(c), rows.n_cols, rows.n_rows, centred);
    const bool is_own_finite =
        GRAMIAN_DISPATCH(quadratic_form, centred, classes.packed(c), rows.n_cols, rows.n_rows,
                         classes.constant(c), joint + c * JointBlock::kMostRows);
    is_finite = is_finite && is_own_finite;
  }
  return is_finite;
}

template <class T>
bool normal_answers(MatrixView<const T> X, const NormalClasses& classes, const Asked<T>& asked,
                    const Context& ctx) {
  const auto cols = static_cast<double>(X.n_cols);
  const double row_ns = cols + static_cast<double>(classes.k()) * cols * (0.2 + cols / 30.0);
  std::atomic<bool> all_finite = true;
  const auto make_reader = [&] {
    const std::int64_t size = JointBlock::kMostRows * X.n_cols;
    return [&, block = Buffer<double>(size), centred = Buffer<double>(size)](
               std::int64_t begin, std::int64_t end, double* joint) mutable {
      const DenseRows<T> rows{X.data + begin * X.row_stride, X.row_stride, X.col_stride,
                              end - begin, X.n_cols};
      if (!normal_joint(rows, classes, block.data(), centred.data(), joint))
        all_finite.store(false, std::memory_order_relaxed);
    };
  };
  answer_rows(X.n_rows, asked, row_ns * static_cast<double>(X.n_rows), ctx, make_reader);
  return all_finite;
}

#define GRAMIAN_INSTANTIATE(T)                                                             \
  template bool normal_joint(const DenseRows<T>&, const NormalClasses&, double*, double*,  \
                             double*);                                                     \
  template bool normal_answers(MatrixView<const T>, const NormalClasses&, const Asked<T>&, \
                               const Context&);
GRAMIAN_FOR_EACH_NUMBER(GRAMIAN_INSTANTIATE)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::bayes
