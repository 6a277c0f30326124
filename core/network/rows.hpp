// The rows that a network reads: dense or sparse, in any order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <variant>
#include <vector>

#include "base/buffer.hpp"
#include "base/views.hpp"

namespace gramian::network {

// Dense rows are contiguous.
template <class T>
using Inputs =
    std::variant<MatrixView<const T>, CsrView<T, std::int32_t>, CsrView<T, std::int64_t>>;

// Rows of a pass are cut into chunks, tasks of it; a whole multiple of the products' register
// tiles.
inline constexpr std::int64_t kChunkRows = 48;

inline std::int64_t n_chunks(std::int64_t n_rows) { return (n_rows + kChunkRows - 1) / kChunkRows; }

// Targets of n rows: numbers, or for a softmax output the codes of classes.
template <class T>
struct Targets {
  MatrixView<const T> values;
  std::span<const std::int32_t> codes;
  std::span<const double> weight;  // empty: one each
};

// Rows begin .. end of an order; without one, of the data.
struct RowRange {
  const std::int64_t* order = nullptr;
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t size() const { return end - begin; }
  std::int64_t operator[](std::int64_t i) const { return order ? order[begin + i] : begin + i; }
  RowRange part(std::int64_t first, std::int64_t last) const {
    return {order, begin + first, begin + last};
  }
};

// The entries of a batch of sparse rows by columns: those of column j lie at begin(j) ..
// begin(j+1).
template <class T>
class BatchColumns {
 public:
  template <class Index>
  void gather(const CsrView<T, Index>& X, const RowRange& rows) {
    begin_.assign(static_cast<std::size_t>(X.n_cols) + 2, 0);
    for (std::int64_t i = 0; i < rows.size(); ++i)
      for (const Index j : X.row(rows[i]).cols) ++begin_[static_cast<std::size_t>(j) + 2];
    for (std::size_t j = 2; j < begin_.size(); ++j) begin_[j] += begin_[j - 1];
    rows_.resize(static_cast<std::size_t>(begin_.back()));
    values_.resize(rows_.size());
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      const auto row = X.row(rows[i]);
      for (std::size_t e = 0; e < row.cols.size(); ++e) {
        const auto place =
            static_cast<std::size_t>(begin_[static_cast<std::size_t>(row.cols[e]) + 1]++);
        rows_[place] = static_cast<std::int32_t>(i);
        values_[place] = row.values[e];
      }
    }
  }

  std::int64_t begin(std::int64_t j) const { return begin_[static_cast<std::size_t>(j)]; }
  std::int64_t count(std::int64_t j) const { return begin(j + 1) - begin(j); }
  const std::int32_t* rows(std::int64_t j) const { return rows_.data() + begin(j); }
  const T* values(std::int64_t j) const { return values_.data() + begin(j); }

 private:
  std::vector<std::int64_t> begin_;
  std::vector<std::int32_t> rows_;
  std::vector<T> values_;
};

}  // namespace gramian::network
