// Where the numbers of a network lie: one flat array, a block of rows for each layer.
#pragma once

#include <cstdint>
#include <span>
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

// Row i < n_in holds the weights from input i to all neurons, row n_in their biases. Rows are
// `width` apart; what is beyond n_out is zero, in gradients too.
struct Layer {
  std::int64_t n_in = 0;
  std::int64_t n_out = 0;
  std::int64_t width = 0;
  std::int64_t offset = 0;  // of row 0

  std::int64_t row(std::int64_t i) const { return offset + i * width; }
};

template <class T>
std::vector<Layer> layers_of(std::span<const std::int64_t> sizes) {
  std::vector<Layer> layers;
  std::int64_t offset = 0;
  for (std::size_t l = 0; l + 1 < sizes.size(); ++l) {
    layers.push_back({sizes[l], sizes[l + 1], padded<T>(sizes[l + 1]), offset});
    offset = layers.back().row(sizes[l] + 1);
  }
  return layers;
}

inline std::int64_t n_parameters(const std::vector<Layer>& layers) {
  return layers.empty() ? 0 : layers.back().row(layers.back().n_in + 1);
}

}  // namespace gramian::network
