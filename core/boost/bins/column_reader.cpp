#include "boost/bins/column_reader.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/error.hpp"

namespace gramian::boost {
namespace {

template <class T>
std::int64_t rows_of(const MatrixView<const T>& X) {
  return X.n_rows;
}
template <class T, class Index>
std::int64_t rows_of(const CsrView<T, Index>& X) {
  return X.n_rows();
}

template <class T>
std::unique_ptr<ColumnReader> reader_of(const MatrixView<const T>& X, bool, const Context&) {
  return dense_reader(X);
}
template <class T, class Index>
std::unique_ptr<ColumnReader> reader_of(const CsrView<T, Index>& X, bool absent_is_missing,
                                        const Context& ctx) {
  return sparse_reader(X, absent_is_missing, ctx);
}

}  // namespace

Buffer<std::uint8_t> expand(BinnedColumn&& column, std::int64_t n_rows) {
  if (column.usual < 0) return std::move(column.bins);
  Buffer<std::uint8_t> bins(n_rows);
  std::fill(bins.begin(), bins.end(), static_cast<std::uint8_t>(column.usual));
  for (std::size_t i = 0; i < column.rows.size(); ++i) bins[column.rows[i]] = column.away[i];
  return bins;
}

TableShape shape_of(const Features& X) {
  return std::visit([](const auto& table) { return TableShape{rows_of(table), table.n_cols}; }, X);
}

bool holds_doubles(const Features& X) {
  return std::visit(
      [](const auto& table) {
        using Table = std::remove_cvref_t<decltype(table)>;
        return std::is_same_v<Table, MatrixView<const double>> ||
               std::is_same_v<Table, CsrView<double, std::int32_t>> ||
               std::is_same_v<Table, CsrView<double, std::int64_t>>;
      },
      X);
}

std::unique_ptr<ColumnReader> column_reader(const Features& X, bool absent_is_missing,
                                            const Context& ctx) {
  if (shape_of(X).n_rows >= std::numeric_limits<std::int32_t>::max())
    throw InvalidArgument("boosting takes fewer than 2^31 rows");
  return std::visit([&](const auto& table) { return reader_of(table, absent_is_missing, ctx); }, X);
}

}  // namespace gramian::boost
