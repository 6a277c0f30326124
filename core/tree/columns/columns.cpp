#include "tree/columns/columns.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/ordered_bits.hpp"
#include "base/spare_buffers.hpp"
#include "metrics/radix_sort.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::tree {
namespace {

// Memory for sorting, handed from column to column: were it allocated anew for each, the columns'
// codes would settle in the gaps that it leaves, and the gaps would add up.
using SpareRecords = SpareBuffers<Record>;

struct WideRecord {
  std::uint64_t key;
  std::uint32_t row;
};

constexpr auto key_of_record = [](const Record& record) { return record.code; };
constexpr auto key_of_wide = [](const WideRecord& record) { return record.key; };

// Turns the keys of sorted records into dense ranks; returns the number of distinct numbers.
// is_missing(i): whether the i-th record's value is missing.
template <class KeyAt, class IsMissing>
std::uint32_t rank(std::span<Record> records, const KeyAt& key_at, const IsMissing& is_missing,
                   bool& has_missing) {
  std::uint32_t code = 0;
  std::uint32_t n_codes = 0;
  has_missing = false;
  if (records.empty()) return 0;
  auto previous = key_at(0);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto key = key_at(i);
    if (i > 0 && key != previous) ++code;
    previous = key;
    if (is_missing(i)) {
      has_missing = true;
    } else {
      n_codes = code + 1;
    }
    records[i].code = code;
  }
  return n_codes;
}

template <class T>
void sort_categories(const MatrixView<const T>& X, std::int64_t feature, Column& column,
                     std::span<Record> records) {
  const auto n = static_cast<std::size_t>(X.n_rows);
  const auto n_levels = static_cast<std::uint32_t>(column.n_levels);
  std::vector<std::size_t> places(n_levels + 2, 0);
  std::vector<std::uint32_t> codes(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto value = static_cast<double>(X(static_cast<std::int64_t>(i), feature));
    const bool is_level = value >= 0.0 && value < n_levels;
    codes[i] = is_level ? static_cast<std::uint32_t>(value) : n_levels;
    column.has_missing |= !is_level;
    ++places[codes[i] + 1];
  }
  for (std::size_t c = 1; c < places.size(); ++c) places[c] += places[c - 1];
  for (std::size_t i = 0; i < n; ++i)
    records[places[codes[i]]++] = {codes[i], static_cast<std::uint32_t>(i)};
  column.missing_code = n_levels;
}

template <class T>
void sort_singles(const MatrixView<const T>& X, std::int64_t feature, Column& column,
                  std::span<Record> records, SpareRecords& spare, const Context& ctx) {
  const std::int64_t n = X.n_rows;
  for (std::int64_t i = 0; i < n; ++i)
    records[static_cast<std::size_t>(i)] = {ordered_bits(static_cast<float>(X(i, feature))),
                                            static_cast<std::uint32_t>(i)};
  Buffer<Record> scratch = spare.take(static_cast<std::int64_t>(records.size()));
  metrics::RadixSort<Record, decltype(key_of_record)> sort(key_of_record, ctx);
  sort(records.data(), scratch.data(), n, 32);
  spare.give_back(std::move(scratch));
  column.missing_code = rank(
      records, [&](std::size_t i) { return records[i].code; },
      [&](std::size_t i) { return records[i].code == std::numeric_limits<std::uint32_t>::max(); },
      column.has_missing);
}

// Whether float32 holds the values of the sorted records, and tells them apart but for one in a
// hundred.
bool is_single_enough(const MatrixView<const double>& X, std::int64_t feature,
                      std::span<const Record> records, std::uint32_t n_codes) {
  std::int64_t n_merged = 0;
  const auto fits = [&](const Record& record) {
    return record.code >= n_codes || std::isfinite(static_cast<float>(X(record.row, feature)));
  };
  const auto last = std::partition_point(
      records.begin(), records.end(), [&](const Record& record) { return record.code < n_codes; });
  if (last != records.begin() && !(fits(records.front()) && fits(*(last - 1)))) return false;
  for (std::size_t i = 1; i < records.size(); ++i)
    if (records[i].code == records[i - 1].code && records[i].code < n_codes)
      n_merged += X(records[i].row, feature) != X(records[i - 1].row, feature);
  return n_merged <= static_cast<std::int64_t>(n_codes) / 100;
}

void sort_doubles(const MatrixView<const double>& X, std::int64_t feature, Column& column,
                  std::span<Record> records, const Context& ctx) {
  const std::int64_t n = X.n_rows;
  Buffer<WideRecord> wide(n), scratch(n);
  for (std::int64_t i = 0; i < n; ++i)
    wide[i] = {ordered_bits(X(i, feature)), static_cast<std::uint32_t>(i)};
  metrics::RadixSort<WideRecord, decltype(key_of_wide)> sort(key_of_wide, ctx);
  sort(wide.data(), scratch.data(), n, 64);
  for (std::int64_t i = 0; i < n; ++i) records[static_cast<std::size_t>(i)].row = wide[i].row;
  const auto key_at = [&](std::size_t i) { return wide[static_cast<std::int64_t>(i)].key; };
  column.missing_code = rank(
      records, key_at,
      [&](std::size_t i) { return key_at(i) == std::numeric_limits<std::uint64_t>::max(); },
      column.has_missing);
  column.is_double = true;
}

template <class T>
void sort_column(const MatrixView<const T>& X, std::int64_t feature, Column& column,
                 std::span<Record> records, Columns::Precision precision, SpareRecords& spare,
                 const Context& ctx) {
  if (column.n_levels > 0) return sort_categories(X, feature, column, records);
  if constexpr (std::is_same_v<T, double>)
    if (precision == Columns::Precision::full)
      return sort_doubles(X, feature, column, records, ctx);
  sort_singles(X, feature, column, records, spare, ctx);
  if constexpr (std::is_same_v<T, double>)
    if (!is_single_enough(X, feature, records, column.missing_code))
      sort_doubles(X, feature, column, records, ctx);
}

template <class Code>
Codes codes_of(std::span<const Record> records) {
  Buffer<Code> codes(static_cast<std::int64_t>(records.size()));
  for (const Record& record : records) codes[record.row] = static_cast<Code>(record.code);
  return codes;
}

Codes narrow_codes(std::span<const Record> records, std::uint32_t largest) {
  if (largest <= 0xff) return codes_of<std::uint8_t>(records);
  if (largest <= 0xffff) return codes_of<std::uint16_t>(records);
  if (largest <= 0xffffff) {
    ThreeByteCodes codes(static_cast<std::int64_t>(records.size()));
    for (const Record& record : records) codes.set(record.row, record.code);
    return codes;
  }
  return codes_of<std::uint32_t>(records);
}

// Columns of values as they are compared, one after the other.
template <class T>
void copy_column(const MatrixView<const T>& X, std::int64_t feature, Column& column, T* out) {
  const T n_levels = static_cast<T>(column.n_levels);
  for (std::int64_t i = 0; i < X.n_rows; ++i) {
    const T value = X(i, feature);
    const bool is_missing =
        std::isnan(value) || (column.n_levels > 0 && !(value >= 0 && value < n_levels));
    column.has_missing |= is_missing;
    out[i] = is_missing ? std::numeric_limits<T>::quiet_NaN() : value;
  }
  column.is_double = column.n_levels == 0 && std::is_same_v<T, double>;
}

template <class T>
bool has_nan(const MatrixView<const T>& X, const Context& ctx) {
  const Chunks blocks = Chunks::of_rows(X.n_rows, 4096);
  std::atomic<bool> found = false;
  const double cost = 0.3 * static_cast<double>(X.n_rows * X.n_cols);
  parallel_for(ctx, blocks.count(), cost, [&](std::int64_t b) {
    bool is_found = false;
    for (std::int64_t i = blocks.begin(b); i < blocks.end(b); ++i)
      for (std::int64_t f = 0; f < X.n_cols; ++f) is_found |= std::isnan(X(i, f));
    if (is_found) found = true;
  });
  return found;
}

// A column of a matrix that has it in one piece: rows of a copy.
template <class T>
void scatter_column(const MatrixView<const T>& X, std::int64_t feature, Column& column, T* out) {
  for (std::int64_t i = 0; i < X.n_rows; ++i) {
    const T value = X(i, feature);
    column.has_missing |= std::isnan(value);
    out[i * X.n_cols + feature] = value;
  }
  column.is_double = std::is_same_v<T, double>;
}

}  // namespace

Columns::Columns(Features X, std::span<const std::int32_t> n_levels, Form form, const Context& ctx,
                 Precision precision)
    : X_(X), form_(form) {
  std::visit(
      [&]<class T>(const MatrixView<const T>& matrix) {
        n_rows_ = matrix.n_rows;
        const std::int64_t p = matrix.n_cols;
        if (n_rows_ >= std::numeric_limits<std::int32_t>::max())
          throw InvalidArgument("trees take fewer than 2^31 rows");
        columns_.resize(index(p));
        for (std::int64_t f = 0; f < p; ++f)
          columns_[index(f)].n_levels = n_levels.empty() ? 0 : n_levels[index(f)];
        const double cost = 25.0 * static_cast<double>(n_rows_) * static_cast<double>(p);
        if (form == Form::values) return read_values(ctx);
        if (form == Form::sorted) sorted_.resize(index(p));
        if (form == Form::coded) {
          codes_.resize(index(p));
          code_values_.resize(index(p));
        }
        SpareRecords spare;
        parallel_for(ctx, p, cost, [&](std::int64_t f) {
          Column& column = columns_[index(f)];
          Buffer<Record> records = spare.take(n_rows_);
          const std::span<Record> all{records.data(), static_cast<std::size_t>(n_rows_)};
          sort_column(matrix, f, column, all, precision, spare, ctx);
          if (form == Form::sorted) {
            sorted_[index(f)] = std::move(records);
          } else {
            codes_[index(f)] = narrow_codes(all, column.missing_code);
            set_code_values(f, all);
            spare.give_back(std::move(records));
          }
        });
        if (form == Form::coded) set_row_codes(ctx);
      },
      X_);
}

// The copy of the values, unless all are numbers that lie row by row: then make_columns() makes it.
void Columns::read_values(const Context& ctx) {
  std::visit(
      [&]<class T>(const MatrixView<const T>& matrix) {
        const std::int64_t p = matrix.n_cols;
        const double cost = 2.5 * static_cast<double>(n_rows_) * static_cast<double>(p);
        has_own_columns_ = matrix.row_stride != 1 || has_categories();
        if (matrix.col_stride == 1 && has_own_columns_ && !has_categories()) {
          copies_later_ = !has_nan(matrix, ctx);
          for (Column& column : columns_) column.is_double = std::is_same_v<T, double>;
          if (copies_later_) return;
        }
        values_ = Buffer<T>(n_rows_ * p);
        T* values = std::get<Buffer<T>>(values_).data();
        parallel_for(ctx, p, cost, [&](std::int64_t f) {
          if (has_own_columns_)
            copy_column(matrix, f, columns_[index(f)], values + f * n_rows_);
          else
            scatter_column(matrix, f, columns_[index(f)], values);
        });
      },
      X_);
}

void Columns::make_columns(const Context& ctx) const {
  if (!copies_later_) return;
  std::call_once(is_copied_, [&] {
    std::visit(
        [&]<class T>(const MatrixView<const T>& matrix) {
          values_ = Buffer<T>(n_rows_ * matrix.n_cols);
          T* values = std::get<Buffer<T>>(values_).data();
          const double cost = 2.5 * static_cast<double>(n_rows_ * matrix.n_cols);
          parallel_for(ctx, matrix.n_cols, cost, [&](std::int64_t f) {
            for (std::int64_t i = 0; i < n_rows_; ++i) values[f * n_rows_ + i] = matrix(i, f);
          });
        },
        X_);
  });
}

void Columns::set_code_values(std::int64_t feature, std::span<const Record> records) {
  const Column& column = (*this)[feature];
  if (column.n_levels > 0 || column.missing_code > std::numeric_limits<std::uint16_t>::max())
    return;
  RealTable& values = code_values_[index(feature)];
  values = RealTable(column.missing_code, column.is_double);
  std::uint32_t next = 0;
  for (const Record& record : records)
    if (record.code == next && next < column.missing_code)
      values.set(next++, value(record.row, feature));
}

void Columns::set_row_codes(const Context& ctx) {
  constexpr std::int64_t kBlock = 512;  // rows whose codes stay in the cache
  const bool are_small = std::all_of(columns_.begin(), columns_.end(), [](const Column& column) {
    return column.missing_code <= std::numeric_limits<std::uint16_t>::max();
  });
  if (!are_small) return;
  std::vector<bool> is_bit;
  for (const Column& column : columns_)
    is_bit.push_back(column.is_whole() && column.missing_code <= 2);
  row_codes_ = RowCodes(n_rows_, is_bit);
  const Chunks blocks = Chunks::of_rows(n_rows_, kBlock);
  const double cost = 1.0 * static_cast<double>(n_rows_ * n_features());
  parallel_for(ctx, blocks.count(), cost, [&](std::int64_t b) {
    for (std::int64_t f = 0; f < n_features(); ++f)
      std::visit(
          [&](const auto& codes) {
            for (std::int64_t i = blocks.begin(b); i < blocks.end(b); ++i)
              row_codes_.set(i, f, codes[i]);
          },
          codes_[index(f)]);
  });
}

bool Columns::has_categories() const {
  return std::any_of(columns_.begin(), columns_.end(),
                     [](const Column& column) { return column.n_levels > 0; });
}

template <class T>
std::span<const T> Columns::values_of(std::int64_t feature) const {
  const auto& X = std::get<MatrixView<const T>>(X_);
  const T* values = has_own_columns_ ? std::get<Buffer<T>>(values_).data() + feature * n_rows_
                                     : X.data + feature * X.col_stride;
  return {values, static_cast<std::size_t>(n_rows_)};
}

std::span<const float> Columns::singles(std::int64_t feature) const {
  return values_of<float>(feature);
}

std::span<const double> Columns::doubles(std::int64_t feature) const {
  return values_of<double>(feature);
}

template <class T>
RowTable<T> Columns::row_table() const {
  const auto& X = std::get<MatrixView<const T>>(X_);
  const bool lacks_values = std::any_of(columns_.begin(), columns_.end(),
                                        [](const Column& column) { return column.has_missing; });
  if (has_categories() || lacks_values || (has_own_columns_ && X.col_stride != 1)) return {};
  if (has_own_columns_) return {X.data, X.row_stride, n_rows_, X.n_cols};
  return {std::get<Buffer<T>>(values_).data(), X.n_cols, n_rows_, X.n_cols};
}

template RowTable<float> Columns::row_table() const;
template RowTable<double> Columns::row_table() const;

double Columns::value(std::int64_t row, std::int64_t feature) const {
  return std::visit(
      [&](const auto& X) {
        const auto value = X(row, feature);
        return (*this)[feature].is_double ? static_cast<double>(value)
                                          : static_cast<double>(static_cast<float>(value));
      },
      X_);
}

}  // namespace gramian::tree
