#include "preprocessing/columns.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "base/index.hpp"
#include "linalg/block_sums.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"

namespace gramian::preprocessing {
namespace {

constexpr std::string_view kMoments = "column moments", kRanges = "column ranges";
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// About a megabyte each, so that there are enough pieces for the threads.
std::int64_t rows_at_once(std::int64_t n_cols) {
  return tile_size((1 << 17) / std::max<std::int64_t>(n_cols, 1), 64, 1 << 16);
}

template <class T>
Chunks chunks_of(MatrixView<const T> X) {
  return Chunks::of_rows(X.n_rows, rows_at_once(X.n_cols));
}

template <class T>
double pass_cost_ns(MatrixView<const T> X) {
  return 0.5 * static_cast<double>(X.n_rows) * static_cast<double>(X.n_cols);
}

// Rows that stay in the L1 cache between two looks at them.
std::int64_t block_rows_of(std::int64_t n_cols) {
  return std::clamp<std::int64_t>(3072 / std::max<std::int64_t>(n_cols, 1), 8, 256);
}

// Hands out blocks of rows whose entries are adjacent; copies them if X is stored otherwise.
template <class T>
class RowReader {
 public:
  explicit RowReader(MatrixView<const T> X)
      : X_(X),
        buffer_(X.has_contiguous_rows()
                    ? 0
                    : static_cast<std::size_t>(block_rows_of(X.n_cols) * X.n_cols)) {}

  Rows<T> read(std::int64_t begin, std::int64_t end) {
    if (X_.has_contiguous_rows())
      return {X_.data + begin * X_.row_stride, X_.row_stride, end - begin, X_.n_cols};
    for (std::int64_t j = 0; j < X_.n_cols; ++j)
      for (std::int64_t i = begin; i < end; ++i)
        buffer_[static_cast<std::size_t>((i - begin) * X_.n_cols + j)] = X_(i, j);
    return {buffer_.data(), X_.n_cols, end - begin, X_.n_cols};
  }

 private:
  MatrixView<const T> X_;
  std::vector<T> buffer_;
};

// Calls use(rows, first row) for the blocks of one piece.
template <class T, class Use>
void for_blocks(MatrixView<const T> X, std::int64_t first, std::int64_t last, const Context& ctx,
                Use&& use) {
  RowReader<T> reader(X);
  const std::int64_t block_rows = block_rows_of(X.n_cols);
  for (std::int64_t begin = first; begin < last; begin += block_rows) {
    ctx.check();
    use(reader.read(begin, std::min(begin + block_rows, last)), begin);
  }
}

// A number of each column, so that distances from it are small where the numbers are far from 0:
// the first finite one of some rows.
template <class T>
std::vector<double> origins(MatrixView<const T> X) {
  std::vector<double> origin(static_cast<std::size_t>(X.n_cols), 0.0);
  for (std::int64_t j = 0; j < X.n_cols; ++j)
    for (std::int64_t i = 0; i < std::min<std::int64_t>(X.n_rows, 64); ++i) {
      const auto value = static_cast<double>(X(i, j));
      if (value - value != 0.0) continue;
      origin[static_cast<std::size_t>(j)] = value;
      break;
    }
  return origin;
}

// Of one piece or of many, about an origin.
struct Moments {
  explicit Moments(std::size_t n) : weight(n), mean(n), squares(n) {}

  Moments& operator+=(const Moments& next) {
    for (std::size_t j = 0; j < mean.size(); ++j) {
      const double total = weight[j] + next.weight[j];
      const double share = total > 0.0 ? next.weight[j] / total : 0.0;
      const double step = next.mean[j] - mean[j];
      squares[j] += next.squares[j] + step * step * weight[j] * share;
      mean[j] += step * share;
      weight[j] = total;
    }
    return *this;
  }

  template <class Use>
  void for_each_part(const Use& use) {
    for (auto* part : {&weight, &mean, &squares}) use(std::span(*part));
  }

  void write(std::span<const double> origin, const ColumnMomentsOut& out) const {
    std::ranges::copy(weight, out.weight.begin());
    std::ranges::transform(origin, mean, out.mean.begin(), std::plus<>());
    std::ranges::copy(squares, out.squares.begin());
  }

  std::vector<double> weight, mean, squares;
};

template <class T>
Moments moments_about(MatrixView<const T> X, std::span<const double> weight,
                      std::span<const double> origin, const Context& ctx) {
  const auto p = static_cast<std::size_t>(X.n_cols);
  const auto of_tile = [&](std::int64_t first, std::int64_t last) {
    Moments partial(p);
    std::vector<double> scratch(3 * p);
    const MomentArrays arrays{origin.data(), partial.weight.data(), partial.mean.data(),
                              partial.squares.data(), scratch.data()};
    for_blocks(X, first, last, ctx, [&](const Rows<T>& rows, std::int64_t begin) {
      const double* w = weight.empty() ? nullptr : weight.data() + begin;
      GRAMIAN_DISPATCH(add_moments, rows, w, arrays);
    });
    return partial;
  };
  const Tiles tiles = Tiles::of_rows(X.n_rows, rows_at_once(X.n_cols));
  return parallel_reduce(ctx, tiles, pass_cost_ns(X), of_tile,
                         [](Moments& sum, const Moments& next) { sum += next; });
}

struct Ranges {
  explicit Ranges(std::size_t n) : low(n, kInfinity), high(n, -kInfinity) {}

  Ranges& operator+=(const Ranges& next) {
    for (std::size_t j = 0; j < low.size(); ++j) {
      low[j] = std::min(low[j], next.low[j]);
      high[j] = std::max(high[j], next.high[j]);
    }
    return *this;
  }
  template <class Use>
  void for_each_part(const Use& use) {
    use(std::span(low));
    use(std::span(high));
  }
  void write(std::span<double> least, std::span<double> largest) const {
    // Which zero of several was met first must not show.
    const auto one_zero = [](double value) { return value + 0.0; };
    std::ranges::transform(low, least.begin(), one_zero);
    std::ranges::transform(high, largest.begin(), one_zero);
  }

  std::vector<double> low, high;
};

template <class T>
Ranges ranges_of(MatrixView<const T> X, const Context& ctx) {
  const auto of_chunk = [&](std::int64_t first, std::int64_t last) {
    Ranges partial(at(X.n_cols));
    if (X.row_stride == 1 && X.col_stride != 1) {
      ctx.check();
      for (std::int64_t j = 0; j < X.n_cols; ++j)
        GRAMIAN_DISPATCH(widen_range, X.data + j * X.col_stride + first, last - first,
                         &partial.low[at(j)], &partial.high[at(j)]);
      return partial;
    }
    for_blocks(X, first, last, ctx, [&](const Rows<T>& rows, std::int64_t) {
      GRAMIAN_DISPATCH(widen_ranges, rows, partial.low.data(), partial.high.data());
    });
    return partial;
  };
  return parallel_reduce_exact(ctx, chunks_of(X), pass_cost_ns(X), of_chunk,
                               [](Ranges& total, const Ranges& next) { total += next; });
}

}  // namespace

template <class T>
void column_moments(MatrixView<const T> X, std::span<const double> weight,
                    const ColumnMomentsOut& out, const Context& ctx) {
  const std::vector<double> origin = origins(X);
  moments_about(X, weight, origin, ctx).write(origin, out);
}

void column_moments(const RowBlocks& X, std::span<const double> weight, const ColumnMomentsOut& out,
                    const Context& ctx) {
  std::vector<double> origin;
  if (X.is_elsewhere())
    X.pass([&](std::int64_t, const AnyDense& rows) {
      std::visit([&](const auto& own) { origin = origins(own); }, rows);
      return false;
    });
  const auto none = [&] { return Moments(at(X.n_cols())); };
  const auto of_block = [&](std::int64_t first, const auto& own) {
    if (first == 0) origin = origins(own);
    return moments_about(own, linalg::part_of(weight, first, own.n_rows), origin, ctx);
  };
  linalg::sum_blocks(X, {kMoments, origin, {{weight, 1}}}, none, of_block).write(origin, out);
}

template <class T>
void column_ranges(MatrixView<const T> X, std::span<double> low, std::span<double> high,
                   const Context& ctx) {
  ranges_of(X, ctx).write(low, high);
}

void column_ranges(const RowBlocks& X, std::span<double> low, std::span<double> high,
                   const Context& ctx) {
  const auto none = [&] { return Ranges(at(X.n_cols())); };
  const auto of_block = [&](std::int64_t, const auto& own) { return ranges_of(own, ctx); };
  linalg::sum_blocks(X, {kRanges, {}, {}}, none, of_block).write(low, high);
}

std::optional<std::vector<double>> column_sums_of(const RowSum& asked, const AnyDense& rows,
                                                  const Context& ctx) {
  return std::visit(
      [&](const auto& X) -> std::optional<std::vector<double>> {
        if (asked.what == kRanges) return linalg::packed(ranges_of(X, ctx));
        if (asked.what != kMoments) return std::nullopt;
        linalg::AskedNumbers numbers(asked);
        const auto weight = numbers.of_rows(0, X.n_rows);
        return linalg::packed(moments_about(X, weight, numbers.next(X.n_cols), ctx));
      },
      rows);
}

template <class T>
void map_columns(MatrixView<const T> X, std::span<const double> shift,
                 std::span<const double> scale, Affine what, MatrixView<T> out,
                 const Context& ctx) {
  const bool by_rows = X.has_contiguous_rows() && out.has_contiguous_rows();
  const bool by_columns = X.has_contiguous_cols() && out.has_contiguous_cols();
  const Chunks chunks = chunks_of(X);
  parallel_for(ctx, chunks.count(), pass_cost_ns(X), [&](std::int64_t task) {
    const std::int64_t first = chunks.begin(task);
    const std::int64_t last = chunks.end(task);
    if (by_rows) {
      for (std::int64_t i = first; i < last; ++i)
        GRAMIAN_DISPATCH(map_row, X.data + i * X.row_stride, X.n_cols, shift.data(), scale.data(),
                         what, out.data + i * out.row_stride);
      return;
    }
    for (std::int64_t j = 0; j < X.n_cols; ++j) {
      const auto k = static_cast<std::size_t>(j);
      if (by_columns)
        GRAMIAN_DISPATCH(map_column, &X(first, j), last - first, shift[k], scale[k], what,
                         &out(first, j));
      else
        for (std::int64_t i = first; i < last; ++i)
          GRAMIAN_DISPATCH(map_column, &X(i, j), 1, shift[k], scale[k], what, &out(i, j));
    }
  });
}

#define GRAMIAN_INSTANTIATE(T)                                                                     \
  template void column_moments(MatrixView<const T>, std::span<const double>,                       \
                               const ColumnMomentsOut&, const Context&);                           \
  template void column_ranges(MatrixView<const T>, std::span<double>, std::span<double>,           \
                              const Context&);                                                     \
  template void map_columns(MatrixView<const T>, std::span<const double>, std::span<const double>, \
                            Affine, MatrixView<T>, const Context&);
GRAMIAN_INSTANTIATE(float)
GRAMIAN_INSTANTIATE(double)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::preprocessing
