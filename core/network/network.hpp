// A multilayer perceptron: its numbers, the forward pass, and back-propagation.
//
// Rows are independent of each other on the way forward and back, and each number of a gradient is
// a sum over the rows in their order. So both passes are cut over threads, first by rows and then
// by numbers, and no bit depends on how.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "base/views.hpp"
#include "network/activation.hpp"
#include "network/dropout.hpp"
#include "network/layers.hpp"
#include "network/losses_kernel.hpp"
#include "network/rows.hpp"
#include "network/waves_kernel.hpp"

namespace gramian::network {

// Neurons of a first layer of embeddings that an input has weights to. An input without any is
// handed on: its weight to neuron `begin` is one and stays so.
struct Block {
  std::int32_t begin = 0;
  std::int32_t end = 0;

  bool is_frozen() const { return begin == end; }
};

struct Design {
  std::vector<std::int64_t> sizes;  // of the layers, from the inputs to the outputs
  Activation hidden = Activation::relu;
  Activation output = Activation::identity;
  Loss loss = Loss::squared_error;
  double loss_parameter = 0.0;
  // Of each (sparse) input, if the first layer is one of embeddings: it has neither biases nor an
  // activation, its outputs are the numbers that stand for the levels of columns.
  std::vector<Block> blocks = {};
  // Of the layer after one of embeddings, if it has any.
  Waves waves = {};
  // Whether hidden neurons learn what share of their activation they take, the rest being the
  // identity.
  bool is_parametric = false;

  bool embeds() const { return !blocks.empty(); }
  // The layers before the first hidden one.
  std::size_t n_front() const { return waves.is_on() ? 2 : embeds() ? 1 : 0; }
  bool is_hidden(std::size_t layer) const { return layer >= n_front() && layer + 2 < sizes.size(); }
  std::int64_t n_inputs() const { return sizes.front(); }
  std::int64_t n_outputs() const { return sizes.back(); }
};

// What one batch says: sums over its rows.
struct BatchLoss {
  double loss = 0.0;    // weighted, over all outputs
  double weight = 0.0;  // of the rows
};

// A stretch of consecutive rows of a layer's numbers, one task of a pass over all of them.
struct Stretch {
  std::size_t layer;
  std::int64_t begin, end;  // inputs; the last stretch of a layer has the biases, too
  bool has_biases;
};

// Some numbers of a row of weights, in whole vectors.
struct Part {
  std::int64_t begin = 0;
  std::int64_t n = 0;
};

template <class T>
class Network {
 public:
  // The parameters are zeros, or whatever is there where the caller will set all of them: a net
  // that predicts one row would else spend its time on memory that it does not use.
  explicit Network(Design design, bool zeroed = true);

  const Design& design() const { return design_; }
  const std::vector<Layer>& layers() const { return layers_; }
  std::int64_t size() const { return parameters_.size(); }
  T* parameters() { return parameters_.data(); }
  const T* parameters() const { return parameters_.data(); }

  // After the parameters were changed from outside.
  void refresh();
  // The same, for predictions at once; for the way back when the next batch comes.
  void refresh_outputs();

  // Weights of a layer that lie elsewhere, n_in rows of whole vectors, for predictions only: of a
  // few rows, a copy of large layers would take most of the time. Null: those inside.
  void lend(std::size_t layer, const T* weights) { lent_[layer] = weights; }

  // Outputs of all rows, n_rows x n_outputs.
  void predict(const Inputs<T>& X, MatrixView<T> out, const Context& ctx) const;

  // For the batches that follow; predictions leave no neuron out.
  void set_dropout(const Dropout& dropout);

  // The most rows that forward_back() takes at once; it depends on the layers only.
  std::int64_t most_rows() const { return most_rows_; }

  // The forward pass and the way back to the first layer, for the rows of a range.
  BatchLoss forward_back(const Inputs<T>& X, const Targets<T>& targets, const RowRange& rows,
                         const Context& ctx);

  // The stretches that cover all parameters; tasks of what follows.
  const std::vector<Stretch>& stretches() const { return stretches_; }
  // Nanoseconds on one thread of a pass over all stretches, for the rows of the last batch.
  double gradient_cost() const;
  // The same of forward_back() and gradients, for so many rows.
  double pass_cost(std::int64_t n_rows) const {
    return 3.0 * row_cost_ * static_cast<double>(n_rows);
  }

  // The gradient of the last forward_back() in the parameters of a stretch, at their places in
  // `gradient`; whether a row of sparse inputs was touched is told by is_touched().
  void gradient_of(const Stretch& stretch, T* gradient);
  bool is_touched(std::size_t layer, std::int64_t input) const {
    return layer > 0 || !is_sparse_ || columns_.count(input) > 0;
  }

  // Whether the weights of a layer are those of embeddings, or of waves.
  bool embeds(std::size_t layer) const { return layer == 0 && design_.embeds(); }
  bool has_waves(std::size_t layer) const { return layer == 1 && design_.waves.is_on(); }
  // The numbers that an input of a layer of embeddings has, with what fills their vectors.
  Part part_of(std::int64_t input) const {
    const Block block = design_.blocks[static_cast<std::size_t>(input)];
    const std::int64_t begin = block.begin / kPadding<T> * kPadding<T>;
    return {begin, block.is_frozen() ? 0 : padded<T>(block.end - begin)};
  }

  // Copies the weights of a stretch to where the way back reads them.
  void mirror(const Stretch& stretch);

 private:
  struct Work {
    std::vector<Buffer<T>> values, slopes, deltas;  // of each layer
    // What a parametric activation adds to the identity; after the way back times the deltas.
    std::vector<Buffer<T>> bends;
    Buffer<T> inputs, wave_inputs;
    bool drops = false;  // neurons; the slopes are then kept
  };

  const T* first_row(const Layer& layer) const {
    const T* lent = lent_[static_cast<std::size_t>(&layer - layers_.data())];
    return lent ? lent : parameters_.data() + layer.offset;
  }
  const T* biases(const Layer& layer) const { return parameters_.data() + layer.row(layer.n_in); }
  Activation activation_of(std::size_t layer) const;
  // Whether a layer's few outputs would leave most of a vector empty: they are then computed from
  // the transposed weights, vectors of inputs.
  bool is_narrow(std::size_t layer) const {
    return layer > 0 && layer + 1 == layers_.size() && 4 * layers_[layer].n_out <= kPadding<T>;
  }
  void make_transposed(std::size_t layer);
  void next_layer(std::size_t l, std::int64_t first, std::int64_t n, Work& work) const;
  void bend(std::size_t l, std::int64_t first, std::int64_t n, Work& work) const;
  void drop(std::size_t l, const RowRange& rows, std::int64_t first, Work& work) const;
  WaveRows<T> wave_rows(std::int64_t first, std::int64_t n, const Work& work) const;
  void wave_layer(std::int64_t first, std::int64_t n, Work& work) const;
  void wave_gradient(T* gradient) const;
  void narrow_gradient(T* gradient);
  void sparse_gradient(const Stretch& stretch, T* gradient) const;
  void reserve(std::int64_t n_rows);
  void forward(const Inputs<T>& X, const RowRange& rows, std::int64_t first, Work& work) const;
  void first_layer(const Inputs<T>& X, const RowRange& rows, std::int64_t first, Work& work) const;
  template <class Index>
  void mix_first_layer(const CsrView<T, Index>& X, const RowRange& rows, T* z) const;
  void back(std::int64_t first, std::int64_t n);
  void output_losses(const Targets<T>& targets, const RowRange& rows, std::int64_t first);
  void class_losses(const Targets<T>& targets, const RowRange& rows, std::int64_t first);
  void number_losses(const Targets<T>& targets, const RowRange& rows, std::int64_t first);
  Work workspace(std::int64_t n_rows, bool trains) const;

  Design design_;
  std::vector<Layer> layers_;
  Buffer<T> parameters_;
  std::vector<const T*> lent_;
  std::vector<Buffer<T>> transposed_;  // weights of the layers but the first, by neurons
  std::vector<std::int64_t> transposed_width_;
  std::vector<Stretch> stretches_;
  std::int64_t most_rows_ = 0;
  Dropout dropout_;
  double row_cost_ = 0.0;  // of a forward pass, in nanoseconds

  // Of the last batch.
  Work work_;
  std::int64_t capacity_ = 0;
  std::int64_t n_rows_ = 0;
  bool is_sparse_ = false;
  bool is_stale_ = true;  // whether the way back has to read the weights anew
  const T* batch_inputs_ = nullptr;
  std::int64_t batch_stride_ = 0;
  BatchColumns<T> columns_;
  Buffer<T> zeros_;
  Buffer<T> handed_;      // one for the outputs of the layer of waves that are handed on, else zero
  Buffer<T> by_outputs_;  // the gradient of narrow outputs, transposed
  std::vector<double> row_losses_;
};

}  // namespace gramian::network
