#include "linalg/class_moments.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/instantiate.hpp"
#include "linalg/block_sums.hpp"
#include "linalg/centred_block.hpp"
#include "linalg/class_moments_kernel.hpp"
#include "linalg/class_rows.hpp"
#include "linalg/panels_kernel.hpp"
#include "linalg/row_guess.hpp"
#include "parallel/tiles.hpp"

namespace gramian::linalg {
namespace {

constexpr std::int64_t kTileRows = 8192;  // by row number, whatever the shape
constexpr std::int64_t kGuessRows = 16;
constexpr double kEntryNs = 0.4;
constexpr std::string_view kClassSums = "class sums";

// Per class the sums of a tile: n_classes x whole panels of columns.
struct Sums {
  Sums(std::int64_t n_classes, std::int64_t n_padded, bool has_squares)
      : weight(Buffer<double>::zeros(n_classes)),
        sum(Buffer<double>::zeros(n_classes * n_padded)),
        squares(Buffer<double>::zeros(has_squares ? n_classes * n_padded : 0)) {}

  Sums& operator+=(const Sums& next) {
    add_each(weight, next.weight);
    add_each(sum, next.sum);
    add_each(squares, next.squares);
    return *this;
  }
  template <class Use>
  void for_each_part(const Use& use) {
    for (auto* part : {&weight, &sum, &squares}) use(std::span(part->data(), at(part->size())));
  }

  Buffer<double> weight, sum, squares;
};

// The table and what each of its rows counts for.
template <class T>
struct Labelled {
  MatrixView<const T> X;
  std::span<const std::int64_t> codes;
  std::span<const double> weight;
  std::int64_t n_classes;

  // A block stays in the L2 cache while its classes are read one after the other.
  std::int64_t block_rows() const {
    if (!X.has_contiguous_rows()) return kBlockRows;
    return std::clamp<std::int64_t>((1 << 13) / X.n_cols, 64, kTileRows);
  }
};

template <class T>
class TileSums {
 public:
  TileSums(const Labelled<T>& data, const double* shift, Sums& sums)
      : data_(data),
        shift_(shift),
        sums_(sums),
        rows_(data.n_classes),
        panels_(data.X.has_contiguous_rows() ? 0 : n_panels(data.X.n_cols) * kPanelStride) {}

  void add(std::int64_t begin, std::int64_t end) {
    rows_.group(data_.codes, begin, end);
    const double* weight = data_.weight.empty() ? nullptr : data_.weight.data() + begin;
    const auto X = data_.X.rows(begin, end);
    if (X.has_contiguous_rows())
      return add_classes<T>(X.data, X.row_stride, kLanes, weight, X.n_rows * X.row_stride);
    const PackSource<T> source{X.data, X.row_stride, X.col_stride, X.n_rows, X.n_cols};
    GRAMIAN_DISPATCH(pack_panels, source, panels_.data());
    add_classes<double>(panels_.data(), kLanes, kPanelStride, weight, 0);
  }

 private:
  template <class Number>
  void add_classes(const Number* values, std::int64_t row_stride, std::int64_t panel_stride,
                   const double* weight, std::int64_t ahead) {
    const std::int64_t n_padded = padded(data_.X.n_cols);
    for (std::int64_t k = 0; k < data_.n_classes; ++k) {
      const auto rows = rows_.of(k);
      if (rows.empty()) continue;
      double total = sums_.weight[k];
      for (const std::int32_t i : rows) total += weight ? weight[i] : 1.0;
      sums_.weight[k] = total;
      const ChosenRows<Number> chosen{values,      row_stride,       panel_stride, data_.X.n_cols,
                                      rows.data(), std::ssize(rows), weight,       ahead};
      double* squares = sums_.squares.size() > 0 ? sums_.squares.data() + k * n_padded : nullptr;
      GRAMIAN_DISPATCH(add_class_sums, chosen, shift_ + k * n_padded,
                       sums_.sum.data() + k * n_padded, squares);
    }
  }

  const Labelled<T>& data_;
  const double* shift_;
  Sums& sums_;
  ClassRows rows_;
  Buffer<double> panels_;
};

template <class T>
Sums sums_about(const Labelled<T>& data, const double* shift, bool has_squares,
                const Context& ctx) {
  const auto& X = data.X;
  const double cost_ns = static_cast<double>(X.n_rows) * static_cast<double>(X.n_cols) * kEntryNs;
  const auto of_tile = [&](std::int64_t first, std::int64_t last) {
    Sums sums(data.n_classes, padded(X.n_cols), has_squares);
    TileSums<T> tile(data, shift, sums);
    const std::int64_t block_rows = data.block_rows();
    for (std::int64_t begin = first; begin < last; begin += block_rows) {
      ctx.check();
      tile.add(begin, std::min(begin + block_rows, last));
    }
    return sums;
  };
  return parallel_reduce(ctx, Tiles::of_rows(X.n_rows, kTileRows), cost_ns, of_tile,
                         [](Sums& total, const Sums& next) { total += next; });
}

using RowNumbers = std::vector<std::vector<std::int64_t>>;

// For each class its first rows of positive weight.
RowNumbers first_rows(std::span<const std::int64_t> codes, std::span<const double> weight,
                      std::int64_t n_classes) {
  RowNumbers first(at(n_classes));
  std::int64_t n_full = 0;
  for (std::int64_t i = 0; i < std::ssize(codes) && n_full < n_classes; ++i) {
    const std::int64_t k = codes[at(i)];
    if (k < 0 || k >= n_classes) throw InvalidArgument("the codes must be numbers of classes");
    const bool counts = weight.empty() || weight[at(i)] > 0.0;
    if (std::ssize(first[at(k)]) == kGuessRows || !counts) continue;
    first[at(k)].push_back(i);
    n_full += std::ssize(first[at(k)]) == kGuessRows;
  }
  return first;
}

// For each class the mean of those rows, taken about the very first: that of a constant column is
// exact. With n rows it is at most sqrt(n / 16) standard deviations from the mean of all, which
// bounds what the difference of the sums can lose. `entry(i, j)` is that of X.
template <class Entry>
Buffer<double> guess_means(const RowNumbers& first, std::int64_t p, const Entry& entry) {
  const std::int64_t n_padded = padded(p);
  auto guess = Buffer<double>::zeros(std::ssize(first) * n_padded);
  for (std::int64_t k = 0; k < std::ssize(first); ++k) {
    const auto& rows = first[at(k)];
    for (std::int64_t j = 0; j < p && !rows.empty(); ++j) {
      const double origin = entry(rows.front(), j);
      double apart = 0.0;
      for (const std::int64_t i : rows) apart += entry(i, j) - origin;
      guess[k * n_padded + j] = origin + apart / static_cast<double>(rows.size());
    }
  }
  return guess;
}

// The same of rows in blocks, which it reads up to the last that is wanted.
Buffer<double> guess_means(const RowBlocks& X, const RowNumbers& first) {
  std::map<std::int64_t, std::vector<double>> found;
  for (const auto& rows : first)
    for (const std::int64_t i : rows) found[i];
  X.pass([&](std::int64_t begin, const AnyDense& rows) {
    const auto of_block = [&](const auto& own) {
      const std::int64_t end = begin + own.n_rows;
      auto row = found.lower_bound(begin);
      for (; row != found.end() && row->first < end; ++row)
        row->second = row_of(own, row->first - begin);
      return row != found.end();
    };
    return std::visit(of_block, rows);
  });
  return guess_means(first, X.n_cols(),
                     [&](std::int64_t i, std::int64_t j) { return found.at(i)[at(j)]; });
}

void write(const Sums& sums, const Buffer<double>& shift, const ClassMomentsOut& out) {
  const std::int64_t n_padded = padded(out.mean.n_cols);
  for (std::int64_t k = 0; k < out.mean.n_rows; ++k) {
    const double total = out.weight[at(k)] = sums.weight[k];
    for (std::int64_t j = 0; j < out.mean.n_cols; ++j) {
      const std::int64_t at_kj = k * n_padded + j;
      const double step = total > 0.0 ? sums.sum[at_kj] / total : 0.0;
      const double scatter = sums.squares[at_kj] - step * sums.sum[at_kj];
      out.mean(k, j) = shift[at_kj] + step;
      out.scatter(k, j) = scatter < 0.0 ? 0.0 : scatter;  // NaN stays
    }
  }
}

// The rows of a class lie far apart, and are too short for the hardware to see where they go.
template <class T, class Index>
void prefetch_row(const CsrView<T, Index>& X, std::int64_t i) {
  constexpr std::size_t kLine = 64, kMostEntries = 512;
  const auto row = X.row(i);
  const std::size_t n = std::min(row.values.size(), kMostEntries);
  for (std::size_t e = 0; e < n; e += kLine / sizeof(T)) __builtin_prefetch(row.values.data() + e);
  for (std::size_t e = 0; e < n; e += kLine / sizeof(Index))
    __builtin_prefetch(row.cols.data() + e);
}

void write_sums(const Sums& sums, std::span<double> class_weight, MatrixView<double> sum) {
  const std::int64_t n_padded = padded(sum.n_cols);
  for (std::int64_t k = 0; k < sum.n_rows; ++k) {
    class_weight[at(k)] = sums.weight[k];
    for (std::int64_t j = 0; j < sum.n_cols; ++j) sum(k, j) = sums.sum[k * n_padded + j];
  }
}

}  // namespace

template <class T>
void class_moments(MatrixView<const T> X, std::span<const std::int64_t> codes,
                   std::span<const double> weight, const ClassMomentsOut& out, const Context& ctx) {
  const Labelled<T> data{X, codes, weight, std::ssize(out.weight)};
  const auto entry = [&](std::int64_t i, std::int64_t j) { return static_cast<double>(X(i, j)); };
  const Buffer<double> shift =
      guess_means(first_rows(codes, weight, data.n_classes), X.n_cols, entry);
  write(sums_about(data, shift.data(), true, ctx), shift, out);
}

void class_moments(const RowBlocks& X, std::span<const std::int64_t> codes,
                   std::span<const double> weight, const ClassMomentsOut& out, const Context& ctx) {
  const std::int64_t n_classes = std::ssize(out.weight);
  const Buffer<double> shift = guess_means(X, first_rows(codes, weight, n_classes));
  const auto none = [&] { return Sums(n_classes, padded(X.n_cols()), true); };
  const auto of_block = [&]<class T>(std::int64_t first, MatrixView<const T> own) {
    const Labelled<T> part{own, codes.subspan(at(first), at(own.n_rows)),
                           part_of(weight, first, own.n_rows), n_classes};
    return sums_about(part, shift.data(), true, ctx);
  };
  RowSum asked{kClassSums, {}, {}};
  std::vector<double> numbers;
  if (X.is_elsewhere()) {
    numbers.assign(codes.begin(), codes.end());
    asked.point.assign(shift.data(), shift.data() + shift.size());
    asked.of_rows = {{numbers, 1}, {weight, 1}};
  }
  write(sum_blocks(X, asked, none, of_block), shift, out);
}

std::optional<std::vector<double>> class_sums_of(const RowSum& asked, const AnyDense& rows,
                                                 const Context& ctx) {
  if (asked.what != kClassSums) return std::nullopt;
  return std::visit(
      [&]<class T>(MatrixView<const T> X) {
        AskedNumbers numbers(asked);
        const auto shift = numbers.rest();
        const std::int64_t n_classes = std::ssize(shift) / padded(X.n_cols);
        std::vector<std::int64_t> codes;
        for (const double code : numbers.of_rows(0, X.n_rows)) {
          if (!(code >= 0.0 && code < static_cast<double>(n_classes)))
            throw InvalidArgument("the codes must be numbers of classes");
          codes.push_back(static_cast<std::int64_t>(code));
        }
        if (std::ssize(codes) != X.n_rows) throw InvalidArgument("each row must have a code");
        const Labelled<T> part{X, codes, numbers.of_rows(1, X.n_rows), n_classes};
        return packed(sums_about(part, shift.data(), true, ctx));
      },
      rows);
}

template <class T>
void class_sums(MatrixView<const T> X, std::span<const std::int64_t> codes,
                std::span<const double> weight, std::span<double> class_weight,
                MatrixView<double> sum, const Context& ctx) {
  const Labelled<T> data{X, codes, weight, std::ssize(class_weight)};
  const auto no_shift = Buffer<double>::zeros(data.n_classes * padded(X.n_cols));
  write_sums(sums_about(data, no_shift.data(), false, ctx), class_weight, sum);
}

void class_sums(const RowBlocks& X, std::span<const std::int64_t> codes,
                std::span<const double> weight, std::span<double> class_weight,
                MatrixView<double> sum, const Context& ctx) {
  const std::int64_t n_classes = std::ssize(class_weight);
  const auto no_shift = Buffer<double>::zeros(n_classes * padded(X.n_cols()));
  BlockSums<Sums> sums(X);
  X.pass([&](std::int64_t first, const AnyDense& rows) {
    const auto of_block = [&]<class T>(MatrixView<const T> own) {
      const Labelled<T> part{own, codes.subspan(at(first), at(own.n_rows)),
                             part_of(weight, first, own.n_rows), n_classes};
      sums.add(first, sums_about(part, no_shift.data(), false, ctx));
    };
    std::visit(of_block, rows);
    return true;
  });
  write_sums(sums.total(), class_weight, sum);
}

template <class T, class Index>
void class_sums(const CsrView<T, Index>& X, std::span<const std::int64_t> codes,
                std::span<const double> weight, std::span<double> class_weight,
                MatrixView<double> sum, const Context& ctx) {
  constexpr double kStoredNs = 1.5;
  constexpr std::size_t kRowsAhead = 3;
  ClassRows rows(std::ssize(class_weight));
  rows.group(codes, 0, X.n_rows());
  const double cost_ns = static_cast<double>(X.n_stored()) * kStoredNs;
  parallel_for(ctx, rows.n_classes(), cost_ns, [&](std::int64_t k) {
    double* own = &sum(k, 0);
    std::fill_n(own, X.n_cols, 0.0);
    double total = 0.0;
    const auto of_class = rows.of(k);
    for (std::size_t place = 0; place < of_class.size(); ++place) {
      ctx.check();
      prefetch_row(X, of_class[std::min(place + kRowsAhead, of_class.size() - 1)]);
      const std::int32_t i = of_class[place];
      const double w = weight.empty() ? 1.0 : weight[at(i)];
      const auto row = X.row(i);
      for (std::size_t e = 0; e < row.values.size(); ++e)
        own[row.cols[e]] += w * static_cast<double>(row.values[e]);
      total += w;
    }
    class_weight[at(k)] = total;
  });
}

#define GRAMIAN_INSTANTIATE(T)                                                                  \
  template void class_moments(MatrixView<const T>, std::span<const std::int64_t>,               \
                              std::span<const double>, const ClassMomentsOut&, const Context&); \
  template void class_sums(MatrixView<const T>, std::span<const std::int64_t>,                  \
                           std::span<const double>, std::span<double>, MatrixView<double>,      \
                           const Context&);
GRAMIAN_FOR_EACH_NUMBER(GRAMIAN_INSTANTIATE)
#undef GRAMIAN_INSTANTIATE
#define GRAMIAN_INSTANTIATE(T, Index)                                                      \
  template void class_sums(const CsrView<T, Index>&, std::span<const std::int64_t>,        \
                           std::span<const double>, std::span<double>, MatrixView<double>, \
                           const Context&);
GRAMIAN_FOR_EACH_SPARSE(GRAMIAN_INSTANTIATE)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::linalg
