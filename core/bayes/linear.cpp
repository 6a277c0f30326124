#include "bayes/linear.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/index.hpp"
#include "base/instantiate.hpp"
#include "bayes/dense_joint_kernel.hpp"
#include "bayes/log_shares_kernel.hpp"
#include "bayes/sparse_joint_kernel.hpp"
#include "linalg/panels_kernel.hpp"

namespace gramian::bayes {
namespace {

// coef by columns, and room for a vector behind its last entry.
Buffer<double> table_of(MatrixView<const double> coef, const Context& ctx) {
  constexpr std::int64_t kTaskCols = 4096, kColsAtOnce = 8;
  const std::int64_t k = coef.n_rows;
  Buffer<double> table(coef.n_cols * k + kLanes);
  std::fill(table.end() - kLanes, table.end(), 0.0);
  const Chunks chunks = Chunks::of_rows(coef.n_cols, kTaskCols);
  parallel_for(ctx, chunks.count(), static_cast<double>(coef.n_cols * k), [&](std::int64_t task) {
    for (std::int64_t begin = chunks.begin(task); begin < chunks.end(task); begin += kColsAtOnce) {
      const std::int64_t end = std::min(begin + kColsAtOnce, chunks.end(task));
      for (std::int64_t c = 0; c < k; ++c)
        for (std::int64_t j = begin; j < end; ++j) table[j * k + c] = coef(c, j);
    }
  });
  return table;
}

// The last columns of a table that stands in memory without room behind it, with such room.
struct Tail {
  std::int64_t n_whole;  // columns before
  Buffer<double> values;

  explicit Tail(MatrixView<const double> coef)
      : n_whole(whole_columns(coef)), values((coef.n_cols - n_whole) * coef.n_rows + kLanes) {
    std::fill(values.begin(), values.end(), 0.0);
    std::copy(coef.data + n_whole * coef.n_rows, coef.data + coef.n_cols * coef.n_rows,
              values.begin());
  }

  // Those whose vectors end within the table.
  static std::int64_t whole_columns(MatrixView<const double> coef) {
    const std::int64_t k = coef.n_rows, rounded = (k + kLanes - 1) / kLanes * kLanes;
    return std::max<std::int64_t>((coef.n_cols * k - rounded) / std::max<std::int64_t>(k, 1) + 1,
                                  0);
  }
};

// Without a table, for fewer entries than it would have columns; the same sums.
template <class T, class Index>
void read_few(const CsrView<T, Index>& rows, MatrixView<const double> coef,
              std::span<const double> constant, double* joint) {
  for (std::int64_t i = 0; i < rows.n_rows(); ++i) {
    const auto row = rows.row(i);
    for (std::int64_t c = 0; c < coef.n_rows; ++c) {
      double sum = 0.0;
      for (std::size_t e = 0; e < row.values.size(); ++e)
        sum = std::fma(static_cast<double>(row.values[e]), coef(c, row.cols[e]), sum);
      joint[c * JointBlock::kMostRows + i] = sum + constant[at(c)];
    }
  }
}

}  // namespace

template <class T>
void linear_answers(MatrixView<const T> X, MatrixView<const double> coef,
                    std::span<const double> constant, const Asked<double>& asked,
                    const Context& ctx) {
  const auto entries = static_cast<double>(X.n_rows) * static_cast<double>(X.n_cols);
  const double cost_ns = entries * (0.7 + 0.06 * static_cast<double>(coef.n_rows));
  const LinearClasses classes{coef.data, constant.data(), coef.n_rows};
  const auto make_reader = [&] {
    return [&, scratch = Buffer<double>(JointBlock::kMostRows * kJointColsAtOnce)](
               std::int64_t begin, std::int64_t end, double* joint) mutable {
      const DenseRows<T> rows{X.data + begin * X.row_stride, X.row_stride, X.col_stride,
                              end - begin, X.n_cols};
      GRAMIAN_DISPATCH(linear_joint, rows, classes, scratch.data(), joint);
    };
  };
  answer_rows(X.n_rows, asked, cost_ns, ctx, make_reader);
}

template <class T, class Index>
void linear_answers(const CsrView<T, Index>& X, MatrixView<const double> coef,
                    std::span<const double> constant, const Asked<double>& asked,
                    const Context& ctx) {
  const bool is_table = coef.is_f_contiguous();
  const bool is_short = !is_table && X.n_stored() < coef.n_cols;
  const Buffer<double> table = is_table || is_short ? Buffer<double>() : table_of(coef, ctx);
  const Tail tail(is_table ? coef : MatrixView<const double>(coef.data, coef.n_rows, 0));
  const ClassTable classes{is_table ? coef.data : table.data(), tail.values.data(),
                           is_table ? tail.n_whole : coef.n_cols, constant.data(), coef.n_rows};
  const double cost_ns =
      static_cast<double>(X.n_stored()) * (2.0 + 0.1 * static_cast<double>(coef.n_rows));
  const auto make_reader = [&] {
    return [&](std::int64_t begin, std::int64_t end, double* joint) {
      if (is_short)
        read_few(X.rows(begin, end), coef, constant, joint);
      else
        GRAMIAN_DISPATCH(sparse_joint, X.rows(begin, end), classes, joint);
    };
  };
  answer_rows(X.n_rows(), asked, cost_ns, ctx, make_reader);
}

void log_shares(MatrixView<const double> counts, const Smoothing& smoothing,
                std::span<const double> total, MatrixView<double> out, const Context& ctx) {
  constexpr std::int64_t kTaskCols = 2048;
  const auto& [base, added, sign] = smoothing;
  std::vector<double> log_total;
  for (const double sum : total) log_total.push_back(GRAMIAN_DISPATCH(log_of, sum));
  const LogShares shares{counts.data,   base.data(),   added.data(), log_total.data(),
                         counts.n_rows, counts.n_cols, sign,         out.data};
  const Chunks chunks = Chunks::of_rows(counts.n_cols, kTaskCols);
  const double cost_ns = 1.5 * static_cast<double>(counts.n_rows * counts.n_cols);
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t task) {
    GRAMIAN_DISPATCH(log_shares, shares, chunks.begin(task), chunks.end(task));
  });
}

void joint_answers(MatrixView<const double> joint, const Asked<double>& asked, const Context& ctx) {
  const double cost_ns = 3.0 * static_cast<double>(joint.n_rows * joint.n_cols);
  const auto make_reader = [&] {
    return [&](std::int64_t begin, std::int64_t end, double* block) {
      for (std::int64_t c = 0; c < joint.n_cols; ++c)
        for (std::int64_t i = begin; i < end; ++i)
          block[c * JointBlock::kMostRows + i - begin] = joint(i, c);
    };
  };
  answer_rows(joint.n_rows, asked, cost_ns, ctx, make_reader);
}

#define GRAMIAN_INSTANTIATE(T)                                                \
  template void linear_answers(MatrixView<const T>, MatrixView<const double>, \
                               std::span<const double>, const Asked<double>&, const Context&);
GRAMIAN_FOR_EACH_NUMBER(GRAMIAN_INSTANTIATE)
#undef GRAMIAN_INSTANTIATE
#define GRAMIAN_INSTANTIATE(T, Index)                                              \
  template void linear_answers(const CsrView<T, Index>&, MatrixView<const double>, \
                               std::span<const double>, const Asked<double>&, const Context&);
GRAMIAN_FOR_EACH_SPARSE(GRAMIAN_INSTANTIATE)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::bayes
