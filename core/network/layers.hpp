// Where the numbers of a network lie: one flat array, a block of rows for each layer.
#pragma once

#include <cstdint>
#include <vector>

#include "base/buffer.hpp"

namespace gramian::network {

// Numbers of a type that fill a cache line, the unit in which rows are padded.
template <class T>
inline constexpr std::int64_t kPadding = static_cast<std::int64_t>(kCacheLine / sizeof(T));

template <class T>
std::int64_t padded(std::int64_t n) {
  return (n + kPadding<T> - 1) / kPadding<T> * kPadding<T>;
}

// Room for as many rows, in whole cache lines of any number.
inline std::int64_t room(std::int64_t n) { return padded<float>(n); }

// Row i < n_in holds the weights from input i to all neurons, row n_in their biases, and a row
// after that the shares of a parametric activation. Rows are `width` apart; what is beyond n_out is
// zero, in gradients too.
struct Layer {
  std::int64_t n_in = 0;
  std::int64_t n_out = 0;
  std::int64_t width = 0;
  std::int64_t offset = 0;  // of row 0
  bool has_shares = false;

  std::int64_t row(std::int64_t i) const { return offset + i * width; }
  std::int64_t n_rows() const { return n_in + (has_shares ? 2 : 1); }
  std::int64_t shares_row() const { return n_in + 1; }
};

inline std::int64_t n_parameters(const std::vector<Layer>& layers) {
  return layers.empty() ? 0 : layers.back().row(layers.back().n_rows());
}

}  // namespace gramian::network
