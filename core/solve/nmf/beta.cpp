#include "solve/nmf/beta.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/instantiate.hpp"
#include "linalg/product_kernel.hpp"
#include "parallel/tiles.hpp"
#include "solve/nmf/beta_kernel.hpp"

namespace gramian::solve {
namespace {

constexpr std::int64_t kWidth = 8;  // whole vectors
constexpr std::int64_t kRows = 32;
constexpr std::int64_t kColumns = 256;  // of a block of Y, which stays in the L2 cache
constexpr std::int64_t kTileRows = 1024;

std::int64_t padded(std::int64_t n) { return (n + kWidth - 1) / kWidth * kWidth; }

// Columns first .. last of the data, `width` with zeros at the end.
struct Panel {
  std::int64_t first, last, width;
};

std::vector<Panel> panels_of(std::int64_t p) {
  std::vector<Panel> panels;
  for (std::int64_t first = 0; first < p; first += kColumns) {
    const std::int64_t last = std::min(first + kColumns, p);
    panels.push_back({first, last, padded(last - first)});
  }
  return panels;
}

// H by panels, k rows each, and its transpose, rows filled up to whole vectors.
class Packed {
 public:
  Packed(MatrixView<const double> H)
      : panels(panels_of(H.n_cols)),
        k_width(padded(H.n_rows)),
        across(Buffer<double>::zeros(H.n_rows * padded(H.n_cols))),
        along(Buffer<double>::zeros(H.n_cols * k_width)) {
    for (const Panel& panel : panels)
      for (std::int64_t t = 0; t < H.n_rows; ++t)
        for (std::int64_t j = panel.first; j < panel.last; ++j) {
          across[panel.first * H.n_rows + t * panel.width + j - panel.first] = H(t, j);
          along[j * k_width + t] = H(t, j);
        }
  }

  std::vector<Panel> panels;
  std::int64_t k_width;
  Buffer<double> across, along;
};

// x and y of some rows and one panel; entries that fill it up are `filling`.
template <class T>
class Block {
 public:
  Block(MatrixView<const T> X, const BetaFactors& factors, const Packed& packed, double filling)
      : X_(X),
        factors_(factors),
        packed_(packed),
        filling_(filling),
        x(kRows * kColumns),
        y(kRows * kColumns) {}

  BetaEntries load(std::int64_t begin, std::int64_t n, const Panel& panel) {
    const std::int64_t k = factors_.H.n_rows, count = panel.last - panel.first;
    const auto& W = factors_.W;
    std::fill_n(y.data(), n * panel.width, 0.0);
    const StridedProduct<double> product{
        &W(begin, 0), W.row_stride, W.col_stride, n, k, packed_.across.data() + panel.first * k,
        y.data(),     panel.width};
    GRAMIAN_DISPATCH(add_strided_product, product);
    for (std::int64_t i = 0; i < n; ++i) {
      double* row = x.data() + i * panel.width;
      for (std::int64_t j = 0; j < count; ++j)
        row[j] = static_cast<double>(X_(begin + i, panel.first + j));
      std::fill(row + count, row + panel.width, filling_);
      std::fill(y.data() + i * panel.width + count, y.data() + (i + 1) * panel.width, filling_);
    }
    return {factors_.beta, factors_.least, n * panel.width, x.data(), y.data()};
  }

 private:
  MatrixView<const T> X_;
  const BetaFactors& factors_;
  const Packed& packed_;
  double filling_;

 public:
  Buffer<double> x, y;
};

// Of beta = 1 the denominators are sums of the factors, which need no pass over the data.
int n_sides(const BetaFactors& factors) { return factors.beta == 1.0 ? 1 : 2; }

double cost_ns(const BetaFactors& factors) {
  return static_cast<double>(factors.W.n_rows) * static_cast<double>(factors.H.n_cols) *
         (2.0 + 0.15 * static_cast<double>(factors.H.n_rows));
}

struct Sums {
  Buffer<double> numerator, denominator;  // k x p by panels
};

void unpack(const Buffer<double>& sums, const Packed& packed, MatrixView<double> out) {
  for (const Panel& panel : packed.panels)
    for (std::int64_t t = 0; t < out.n_rows; ++t)
      for (std::int64_t j = panel.first; j < panel.last; ++j)
        out(t, j) = sums[panel.first * out.n_rows + t * panel.width + j - panel.first];
}

}  // namespace

template <class T>
void beta_row_terms(MatrixView<const T> X, const BetaFactors& factors, const BetaTerms& out,
                    const Context& ctx) {
  const Packed packed(factors.H);
  const std::int64_t k = factors.H.n_rows, width = packed.k_width;
  const Chunks chunks = Chunks::of_rows(X.n_rows, kRows);
  parallel_for(ctx, chunks.count(), cost_ns(factors), [&](std::int64_t task) {
    Block<T> block(X, factors, packed, 1.0);
    Buffer<double> sums[2] = {Buffer<double>(kRows * width), Buffer<double>(kRows * width)};
    for (std::int64_t begin = chunks.begin(task); begin < chunks.end(task); begin += kRows) {
      ctx.check();
      const std::int64_t n = std::min(kRows, chunks.end(task) - begin);
      for (Buffer<double>& sum : sums) std::fill_n(sum.data(), n * width, 0.0);
      for (const Panel& panel : packed.panels) {
        const BetaEntries entries = block.load(begin, n, panel);
        GRAMIAN_DISPATCH(beta_ratios, entries);
        const double* const left[] = {block.x.data(), block.y.data()};
        for (int side = 0; side < n_sides(factors); ++side) {
          const StridedProduct<double> product{left[side],
                                               panel.width,
                                               1,
                                               n,
                                               panel.last - panel.first,
                                               packed.along.data() + panel.first * width,
                                               sums[side].data(),
                                               width};
          GRAMIAN_DISPATCH(add_strided_product, product);
        }
      }
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t t = 0; t < k; ++t) {
          out.numerator(begin + i, t) = sums[0][i * width + t];
          out.denominator(begin + i, t) = sums[1][i * width + t];
        }
    }
  });
}

template <class T>
void beta_column_terms(MatrixView<const T> X, const BetaFactors& factors, const BetaTerms& out,
                       const Context& ctx) {
  const Packed packed(factors.H);
  const auto& W = factors.W;
  const std::int64_t k = factors.H.n_rows, size = k * padded(factors.H.n_cols);
  const auto of_tile = [&](std::int64_t first, std::int64_t last) {
    Sums sums{Buffer<double>::zeros(size), Buffer<double>::zeros(size)};
    Block<T> block(X, factors, packed, 1.0);
    for (std::int64_t begin = first; begin < last; begin += kRows) {
      ctx.check();
      const std::int64_t n = std::min(kRows, last - begin);
      for (const Panel& panel : packed.panels) {
        const BetaEntries entries = block.load(begin, n, panel);
        GRAMIAN_DISPATCH(beta_ratios, entries);
        const std::pair<const double*, double*> sides[] = {
            {block.x.data(), sums.numerator.data()}, {block.y.data(), sums.denominator.data()}};
        for (int side = 0; side < n_sides(factors); ++side) {
          const auto [right, sum] = sides[side];
          const StridedProduct<double> product{
              &W(begin, 0), W.col_stride,          W.row_stride, k, n,
              right,        sum + panel.first * k, panel.width};
          GRAMIAN_DISPATCH(add_strided_product, product);
        }
      }
    }
    return sums;
  };
  const auto combine = [](Sums& total, const Sums& next) {
    add_each(total.numerator, next.numerator);
    add_each(total.denominator, next.denominator);
  };
  const Sums total =
      parallel_reduce(ctx, Tiles::of_rows(X.n_rows, kTileRows), cost_ns(factors), of_tile, combine);
  unpack(total.numerator, packed, out.numerator);
  unpack(total.denominator, packed, out.denominator);
}

template <class T>
double beta_divergence(MatrixView<const T> X, const BetaFactors& factors, const Context& ctx) {
  const Packed packed(factors.H);
  const auto of_tile = [&](std::int64_t first, std::int64_t last) {
    double sum = 0.0;
    Block<T> block(X, factors, packed, 1.0);
    for (std::int64_t begin = first; begin < last; begin += kRows) {
      ctx.check();
      for (const Panel& panel : packed.panels) {
        const BetaEntries entries = block.load(begin, std::min(kRows, last - begin), panel);
        sum += GRAMIAN_DISPATCH(beta_divergences, entries);
      }
    }
    return sum;
  };
  return parallel_reduce(ctx, Tiles::of_rows(X.n_rows, kTileRows), cost_ns(factors), of_tile,
                         [](double& total, double next) { total += next; });
}

#define GRAMIAN_INSTANTIATE(T)                                                               \
  template void beta_row_terms(MatrixView<const T>, const BetaFactors&, const BetaTerms&,    \
                               const Context&);                                              \
  template void beta_column_terms(MatrixView<const T>, const BetaFactors&, const BetaTerms&, \
                                  const Context&);                                           \
  template double beta_divergence(MatrixView<const T>, const BetaFactors&, const Context&);
GRAMIAN_FOR_EACH_NUMBER(GRAMIAN_INSTANTIATE)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::solve
