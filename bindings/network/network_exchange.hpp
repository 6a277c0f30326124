// The parameters of a network in and out of arrays that Python holds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bindings/binding.hpp"
#include "network/training.hpp"

namespace gramian {

// Weights and biases as arrays of one layer each, and shares of the layers that have some.
template <class T>
struct LayerArrays {
  std::vector<OutMatrix<T>> weights;
  std::vector<OutVector<T>> biases;
  std::vector<OutVector<T>> shares;
};

template <class T>
void exchange_shares(network::Training<T>& training, const std::vector<OutVector<T>>& shares,
                     const Buffer<T>* from, bool writes) {
  auto& net = training.network();
  std::size_t k = 0;
  for (const network::Layer& layer : net.layers()) {
    if (!layer.has_shares) continue;
    require(k < shares.size() && has_entries(layer.n_out, shares[k]),
            "one array of n_out shares for each hidden layer");
    const auto outside = vec(shares[k++]);
    const std::int64_t at = layer.row(layer.shares_row());
    T* inside = net.parameters() + at;
    const T* source = from ? from->data() + at : inside;
    if (writes)
      std::copy_n(source, layer.n_out, outside.begin());
    else
      std::copy_n(outside.begin(), layer.n_out, inside);
  }
  require(k == shares.size(), "shares are of hidden layers with a parametric activation");
}

// Weights that predictions may read where they lie: a large layer of whole vectors.
template <class T>
const T* lendable(const network::Network<T>& net, std::size_t l, const MatrixView<T>& w) {
  constexpr std::int64_t kLarge = 4096;
  const network::Layer& layer = net.layers()[l];
  const bool is_whole = layer.n_out == layer.width && w.col_stride == 1 &&
                        w.row_stride == layer.width && layer.n_in * layer.width >= kLarge;
  return is_whole && !net.has_waves(l) ? w.data : nullptr;
}

enum class Exchange { read, lend, write };

template <class T>
void exchange(network::Training<T>& training, const LayerArrays<T>& arrays, const Buffer<T>* from,
              Exchange kind) {
  const bool writes = kind == Exchange::write;
  const auto& [weights, biases, shares] = arrays;
  auto& net = training.network();
  const auto& layers = net.layers();
  require(weights.size() == layers.size() && biases.size() == layers.size(),
          "one array of weights and one of biases for each layer");
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const network::Layer& layer = layers[l];
    require(has_shape(layer.n_in, layer.n_out, weights[l]) && has_entries(layer.n_out, biases[l]),
            "weights must be n_in x n_out, and biases n_out");
    const auto w = matrix(weights[l]);
    const auto b = vec(biases[l]);
    T* inside = net.parameters();
    const T* source = from ? from->data() : inside;
    const bool has_whole_rows = w.col_stride == 1;
    const T* lent = kind == Exchange::lend ? lendable(net, l, w) : nullptr;
    if (!writes) net.lend(l, lent);
    if (!writes && !lent) std::fill_n(inside + layer.offset, layer.n_rows() * layer.width, T{0});
    if (lent) std::fill_n(inside + layer.row(layer.n_in), layer.width, T{0});
    for (std::int64_t i = 0; has_whole_rows && !lent && i < layer.n_in; ++i) {
      if (writes)
        std::copy_n(source + layer.row(i), layer.n_out, &w(i, 0));
      else
        std::copy_n(&w(i, 0), layer.n_out, inside + layer.row(i));
    }
    for (std::int64_t i = has_whole_rows ? layer.n_in : 0; i <= layer.n_in; ++i)
      for (std::int64_t j = 0; j < layer.n_out; ++j) {
        T& outside = i < layer.n_in ? w(i, j) : b[static_cast<std::size_t>(j)];
        const std::int64_t at = layer.row(i) + j;
        if (writes)
          outside = source[at];
        else
          inside[at] = outside;
      }
  }
  exchange_shares(training, shares, from, writes);
  if (!writes) net.refresh_outputs();
}

}  // namespace gramian
