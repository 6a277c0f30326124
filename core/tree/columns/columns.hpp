// The columns of a table as the grower needs them: coded by rank, sorted, or as plain values.
//
// The code of a value is its rank among the distinct values of its column, so that comparing codes
// is comparing values; a missing value has the code behind the last. A categorical column holds
// its level numbers, which are its codes.
//
// As in scikit-learn, values are compared in float32. A column in which this would merge more than
// one in a hundred of the distinct values, such as times in seconds, is compared in float64; so is
// every column of doubles where that is asked for.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "base/views.hpp"
#include "tree/columns/row_codes.hpp"
#include "tree/search/cuts_kernel.hpp"

namespace gramian::tree {

using Features = AnyDense;

struct Record {
  std::uint32_t code;
  std::uint32_t row;
};

// Codes of three bytes: those of a column of millions of values take three quarters of its float32.
class ThreeByteCodes {
 public:
  class Reader {
   public:
    explicit Reader(const std::uint8_t* bytes) : bytes_(bytes) {}
    std::uint32_t operator[](std::int64_t i) const {
      const std::uint8_t* code = bytes_ + 3 * i;
      if constexpr (std::endian::native != std::endian::little)
        return code[0] | std::uint32_t{code[1]} << 8 | std::uint32_t{code[2]} << 16;
      std::uint32_t word;  // one load; there is a byte behind the last code
      std::memcpy(&word, code, sizeof word);
      return word & 0xffffff;
    }

   private:
    const std::uint8_t* bytes_;
  };

  explicit ThreeByteCodes(std::int64_t size) : bytes_(3 * size + 1) {}
  Reader data() const { return Reader(bytes_.data()); }
  std::uint32_t operator[](std::int64_t i) const { return data()[i]; }
  void set(std::int64_t i, std::uint32_t code) {
    for (int k = 0; k < 3; ++k) bytes_[3 * i + k] = static_cast<std::uint8_t>(code >> 8 * k);
  }

 private:
  Buffer<std::uint8_t> bytes_;
};

// One column's codes in the narrowest type that holds them.
using Codes = std::variant<Buffer<std::uint8_t>, Buffer<std::uint16_t>, ThreeByteCodes,
                           Buffer<std::uint32_t>>;

struct Column {
  std::int32_t n_levels = 0;  // 0: numeric
  bool is_double = false;     // compared in float64
  bool has_missing = false;
  std::uint32_t missing_code = 0;  // the number of codes without it

  // Whether all values are numbers.
  bool is_whole() const { return n_levels == 0 && !has_missing; }
};

// Numbers, in float32 where it holds them.
class RealTable {
 public:
  RealTable() = default;
  RealTable(std::size_t size, bool is_double)
      : singles_(is_double ? 0 : size), doubles_(is_double ? size : 0) {}

  bool empty() const { return singles_.empty() && doubles_.empty(); }
  double operator[](std::size_t i) const {
    return doubles_.empty() ? static_cast<double>(singles_[i]) : doubles_[i];
  }
  void set(std::size_t i, double value) {
    if (doubles_.empty())
      singles_[i] = static_cast<float>(value);
    else
      doubles_[i] = value;
  }

 private:
  std::vector<float> singles_;
  std::vector<double> doubles_;
};

class Columns {
 public:
  enum class Form {
    sorted,  // records in the order of their codes
    coded,   // the code of each row, and the codes of a row side by side if they are small
    values,  // the values themselves, column after column and, where that can be, row by row
  };

  enum class Precision {
    single,  // float32, but for columns that it would merge
    full,    // that of the values
  };

  // `X` must outlive the columns. Categorical columns hold whole numbers below n_levels.
  Columns(Features X, std::span<const std::int32_t> n_levels, Form form, const Context& ctx,
          Precision precision = Precision::single);

  std::int64_t n_rows() const { return n_rows_; }
  std::int64_t n_features() const { return static_cast<std::int64_t>(columns_.size()); }
  const Column& operator[](std::int64_t feature) const { return columns_[index(feature)]; }
  Form form() const { return form_; }
  bool is_single() const { return std::holds_alternative<MatrixView<const float>>(X_); }

  std::span<const Record> sorted(std::int64_t feature) const {
    const auto& records = sorted_[index(feature)];
    return {records.data(), static_cast<std::size_t>(records.size())};
  }
  // The same, to be kept and changed by the caller; these columns have no such records any more.
  Buffer<Record> take_sorted(std::int64_t feature) { return std::move(sorted_[index(feature)]); }
  const Codes& codes(std::int64_t feature) const { return codes_[index(feature)]; }
  const RowCodes& row_codes() const {
    return row_codes_;
  }  // Form::coded; empty: some are too large
  // Form::values: a search that reads columns asks for them before it reads the first; where rows
  // do, a copy is saved.
  void make_columns(const Context& ctx) const;
  std::span<const float> singles(std::int64_t feature) const;   // Form::values of float32
  std::span<const double> doubles(std::int64_t feature) const;  // Form::values of float64
  // Form::values, row after row; no values if a column is categorical or lacks any.
  template <class T>
  RowTable<T> row_table() const;

  // The value that is compared: rounded to float32 unless the column is compared in float64.
  double value(std::int64_t row, std::int64_t feature) const;
  // Form::coded: the same by code, where that is a small table.
  bool has_code_values(std::int64_t feature) const { return !code_values_[index(feature)].empty(); }
  double code_value(std::uint32_t code, std::int64_t feature) const {
    return code_values_[index(feature)][code];
  }

 private:
  static std::size_t index(std::int64_t feature) { return static_cast<std::size_t>(feature); }
  bool has_categories() const;
  void set_code_values(std::int64_t feature, std::span<const Record> records);
  void set_row_codes(const Context& ctx);
  void read_values(const Context& ctx);
  template <class T>
  std::span<const T> values_of(std::int64_t feature) const;

  Features X_;
  Form form_;
  std::int64_t n_rows_;
  std::vector<Column> columns_;
  std::vector<Buffer<Record>> sorted_;
  std::vector<Codes> codes_;
  std::vector<RealTable> code_values_;
  RowCodes row_codes_;
  // Of the two orders of the values one is a copy, the other may be X's own.
  mutable std::variant<Buffer<float>, Buffer<double>> values_;
  bool has_own_columns_ = true;  // the copy is column after column
  bool copies_later_ = false;    // by make_columns()
  mutable std::once_flag is_copied_;
};

}  // namespace gramian::tree
