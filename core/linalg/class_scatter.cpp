#include "linalg/class_scatter.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/instantiate.hpp"
#include "linalg/block_design.hpp"
#include "linalg/chosen_panels_kernel.hpp"
#include "linalg/class_rows.hpp"
#include "linalg/gram_tiles.hpp"

namespace gramian::linalg {
namespace {

// What a pass reads beside the rows: the square roots of their weights, and padded means.
template <class T>
struct Centred {
  explicit Centred(const ClassedRows<T>& given)
      : rows(given),
        root_weight(given.weight.begin(), given.weight.end()),
        mean(Buffer<double>::zeros(given.mean.n_rows * padded(given.X.n_cols))) {
    for (double& w : root_weight) w = std::sqrt(w);
    for (std::int64_t c = 0; c < given.mean.n_rows; ++c)
      for (std::int64_t j = 0; j < given.X.n_cols; ++j)
        mean[c * padded(given.X.n_cols) + j] = given.mean(c, j);
  }

  // Columns of a block of the class `c`'s rows, or of all rows in their order.
  ChosenSource<T> source(const GramBlock& block, const std::int32_t* chosen, std::int64_t c) const {
    const std::int64_t stride = padded(rows.X.n_cols), first = chosen ? 0 : block.begin;
    return {&rows.X(first, block.first_col),
            rows.X.row_stride,
            rows.X.col_stride,
            block.n_cols,
            chosen ? chosen + block.begin : nullptr,
            block.end - block.begin,
            mean.data() + c * stride + block.first_col,
            stride,
            chosen ? nullptr : rows.codes.data() + first,
            root_weight.empty() ? nullptr : root_weight.data() + first};
  }

  const ClassedRows<T>& rows;
  std::vector<double> root_weight;
  Buffer<double> mean;
};

struct Scatter {
  Buffer<double> values;

  Scatter& operator+=(const Scatter& next) {
    add_each(values, next.values);
    return *this;
  }
};

// The Gram matrix of n rows of a class (null: of all), less their means.
template <class T>
void centred_scatter(const Centred<T>& data, std::int64_t n, const std::int32_t* chosen,
                     std::int64_t c, double* out, const Context& ctx) {
  const auto pack = [&](const GramBlock& block, double* panels) {
    GRAMIAN_DISPATCH(pack_chosen, data.source(block, chosen, c), panels);
  };
  const auto no_targets = [](const GramBlock&, const double*, double*) {};
  const auto no_finish = [](const GramPlan::Tile&, const double*) {};
  const GramPlan plan(n, data.rows.X.n_cols, ctx);
  multiply_tiles(plan, 0, pack, no_targets, no_finish, out, ctx);
}

}  // namespace

template <class T>
void pooled_scatter(const ClassedRows<T>& rows, double* out, const Context& ctx) {
  for (const std::int64_t code : rows.codes)
    if (code < 0 || code >= rows.mean.n_rows)
      throw InvalidArgument("the codes must be numbers of classes");
  centred_scatter(Centred<T>(rows), rows.X.n_rows, nullptr, 0, out, ctx);
}

void pooled_scatter(const RowBlocks& X, std::span<const std::int64_t> codes,
                    std::span<const double> weight, MatrixView<const double> mean, double* out,
                    const Context& ctx) {
  const std::int64_t size = X.n_cols() * X.n_cols();
  BlockSums<Scatter> sums(X);
  X.pass([&](std::int64_t first, const AnyDense& rows) {
    Scatter part{Buffer<double>(size)};
    const auto of_block = [&]<class T>(MatrixView<const T> own) {
      const ClassedRows<T> classed{own, codes.subspan(at(first), at(own.n_rows)),
                                   part_of(weight, first, own.n_rows), mean};
      pooled_scatter(classed, part.values.data(), ctx);
    };
    std::visit(of_block, rows);
    sums.add(first, std::move(part));
    return true;
  });
  const Scatter total = sums.total();
  std::copy_n(total.values.data(), size, out);
}

template <class T>
void class_scatters(const ClassedRows<T>& rows, double* out, const Context& ctx) {
  const Centred<T> data(rows);
  const std::int64_t k = rows.mean.n_rows, p = rows.X.n_cols;
  ClassRows members(k);
  members.group(rows.codes, 0, rows.X.n_rows);
  const auto one = [&](std::int64_t c) {
    const auto own = members.of(c);
    centred_scatter(data, std::ssize(own), own.data(), c, out + c * p * p, ctx);
  };
  // Many classes are spread over the threads; the tiles of few ones are.
  if (k >= 4 * ctx.n_threads) return parallel_for(ctx, k, gram_cost_ns(rows.X.n_rows, p), one);
  for (std::int64_t c = 0; c < k; ++c) one(c);
}

#define GRAMIAN_INSTANTIATE(T)                                                  \
  template void pooled_scatter(const ClassedRows<T>&, double*, const Context&); \
  template void class_scatters(const ClassedRows<T>&, double*, const Context&);
GRAMIAN_FOR_EACH_NUMBER(GRAMIAN_INSTANTIATE)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::linalg
