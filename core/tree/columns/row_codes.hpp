// The codes of a row side by side: a bit for each column of two values, two bytes for any other. In
// a node of few rows each code of a column has a line of the cache to itself; those of a row share
// one or two with the columns that the node and those below it look at.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "base/buffer.hpp"

namespace gramian::tree {

class RowCodes {
 public:
  // Where a column's codes are in a row.
  struct Place {
    bool is_bit = false;
    std::int64_t index = 0;  // of the bit, or of the two bytes
  };

  RowCodes() = default;
  // is_bit, by column: whether all its codes are 0 or 1.
  RowCodes(std::int64_t n_rows, const std::vector<bool>& is_bit) {
    std::int64_t n_bits = 0;
    for (const bool bit : is_bit) n_bits += bit;
    n_words_ = (n_bits + 63) / 64;
    std::int64_t next_bit = 0, next = kPerWord * n_words_;
    for (const bool bit : is_bit) places_.push_back({bit, bit ? next_bit++ : next++});
    stride_ = (next + kPerWord - 1) / kPerWord * kPerWord;
    codes_ = Buffer<std::uint16_t>::zeros(n_rows * stride_);
    n_rows_ = n_rows;
    words_ = Buffer<std::uint16_t>::zeros(n_rows * kPerWord * n_words_);
  }

  bool empty() const { return codes_.size() == 0; }
  std::int64_t stride() const { return stride_; }
  std::int64_t n_words() const { return n_words_; }  // of 64 bits, at the start of a row
  const Place& place(std::int64_t feature) const {
    return places_[static_cast<std::size_t>(feature)];
  }
  const std::uint16_t* data() const { return codes_.data(); }

  // One word of 64 bits of each row, at `from` + row * step: for many rows those side by side.
  struct Words {
    const std::uint16_t* from;
    std::int64_t step;
  };
  Words words(std::int64_t word, std::int64_t n_rows) const {
    constexpr std::int64_t kLine = 8;  // words
    if (n_rows * kLine < n_rows_) return {codes_.data() + kPerWord * word, stride_};
    return {words_.data() + kPerWord * n_rows_ * word, kPerWord};
  }

  void set(std::int64_t row, std::int64_t feature, std::uint32_t code) {
    const Place& at = place(feature);
    std::uint16_t* codes = codes_.data() + row * stride_;
    if (!at.is_bit) {
      codes[at.index] = static_cast<std::uint16_t>(code);
      return;
    }
    const std::int64_t number = at.index / 64;
    std::uint64_t word;
    std::memcpy(&word, codes + kPerWord * number, sizeof word);
    word |= std::uint64_t{code} << at.index % 64;
    std::memcpy(codes + kPerWord * number, &word, sizeof word);
    std::memcpy(words_.data() + kPerWord * (number * n_rows_ + row), &word, sizeof word);
  }

  // Returns function(code_of), for the codes of a column by row number.
  template <class Function>
  auto visit(std::int64_t feature, const Function& function) const {
    const Place& at = place(feature);
    if (!at.is_bit)
      return function([from = codes_.data() + at.index, stride = stride_](std::uint32_t row) {
        return from[row * stride];
      });
    return function([from = codes_.data() + kPerWord * (at.index / 64), stride = stride_,
                     bit = at.index % 64](std::uint32_t row) {
      std::uint64_t word;
      std::memcpy(&word, from + row * stride, sizeof word);
      return static_cast<std::uint16_t>(word >> bit & 1);
    });
  }

 private:
  static constexpr std::int64_t kPerWord = 4;

  std::vector<Place> places_;
  std::int64_t n_rows_ = 0;
  std::int64_t n_words_ = 0;
  std::int64_t stride_ = 0;
  Buffer<std::uint16_t> codes_;
  Buffer<std::uint16_t> words_;  // the words of bits once more, the first of all rows, the second
};

}  // namespace gramian::tree
