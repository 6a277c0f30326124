#include "solve/nmf/sampled.hpp"

#include "parallel/parallel_for.hpp"

namespace gramian::solve {
namespace {

constexpr std::int64_t kRows = 64;

}  // namespace

template <class Index>
void sampled_product(std::span<const Index> indptr, std::span<const Index> indices,
                     MatrixView<const double> W, MatrixView<const double> Ht, std::span<double> out,
                     const Context& ctx) {
  const Chunks chunks = Chunks::of_rows(W.n_rows, kRows);
  const double cost_ns =
      static_cast<double>(indices.size()) * (4.0 + 0.4 * static_cast<double>(W.n_cols));
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t task) {
    for (std::int64_t i = chunks.begin(task); i < chunks.end(task); ++i) {
      const auto row = static_cast<std::size_t>(i);
      for (auto e = static_cast<std::size_t>(indptr[row]);
           e < static_cast<std::size_t>(indptr[row + 1]); ++e) {
        const double* right = &Ht(indices[e], 0);
        double sum = 0.0;
        for (std::int64_t t = 0; t < W.n_cols; ++t) sum += W(i, t) * right[t * Ht.col_stride];
        out[e] = sum;
      }
    }
  });
}

template void sampled_product(std::span<const std::int32_t>, std::span<const std::int32_t>,
                              MatrixView<const double>, MatrixView<const double>, std::span<double>,
                              const Context&);
template void sampled_product(std::span<const std::int64_t>, std::span<const std::int64_t>,
                              MatrixView<const double>, MatrixView<const double>, std::span<double>,
                              const Context&);

}  // namespace gramian::solve
