#include "boost/bins/column_reader.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.hpp"

namespace gramian::boost {
namespace {

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

std::unique_ptr<ColumnReader> column_reader(const AnyMatrix& X, bool absent_is_missing,
                                            const Context& ctx) {
  if (n_rows_of(X) >= std::numeric_limits<std::int32_t>::max())
    throw InvalidArgument("boosting takes fewer than 2^31 rows");
  return std::visit([&](const auto& table) { return reader_of(table, absent_is_missing, ctx); }, X);
}

}  // namespace gramian::boost
