// The way back: losses of the outputs, derivatives layer by layer, gradients of the weights.
#include <algorithm>
#include <array>

#include "base/instantiate.hpp"
#include "linalg/product_kernel.hpp"
#include "network/network.hpp"
#include "network/neurons_kernel.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"
#include "simd/flush.hpp"

namespace gramian::network {

template <class T>
BatchLoss Network<T>::forward_back(const Inputs<T>& X, const Targets<T>& targets,
                                   const RowRange& rows, const Context& ctx) {
  if (is_stale_) refresh();
  reserve(rows.size());
  n_rows_ = rows.size();
  is_sparse_ = !std::holds_alternative<MatrixView<const T>>(X);
  if (const auto* dense = std::get_if<MatrixView<const T>>(&X)) {
    const std::int64_t stride = padded<T>(dense->n_cols);
    if (rows.order && work_.inputs.size() < room(capacity_) * stride)
      work_.inputs = Buffer<T>(room(capacity_) * stride);
    batch_inputs_ = rows.order ? work_.inputs.data() : dense->data + rows[0] * dense->row_stride;
    batch_stride_ = rows.order ? stride : dense->row_stride;
  }
  const double cost = 2.0 * row_cost_ * static_cast<double>(n_rows_);
  parallel_for(ctx, n_chunks(n_rows_), cost, [&](std::int64_t chunk) {
    const FlushTiny flush;
    const std::int64_t first = chunk * kChunkRows;
    const RowRange part = rows.part(first, std::min(first + kChunkRows, n_rows_));
    forward(X, part, first, work_);
    output_losses(targets, part, first);
    back(first, part.size());
  });
  std::visit(
      [&]<class View>(const View& view) {
        if constexpr (kIsSparse<View>) columns_.gather(view, rows);
      },
      X);
  BatchLoss out;
  out.loss = sum_of_rows({row_losses_.data(), static_cast<std::size_t>(n_rows_)});
  out.weight = static_cast<double>(n_rows_);
  if (!targets.weight.empty()) {
    out.weight = 0.0;
    for (std::int64_t i = 0; i < n_rows_; ++i)
      out.weight += targets.weight[static_cast<std::size_t>(rows[i])];
  }
  return out;
}

// The losses of the rows and their derivatives in the scores of the last layer, all weighted.
template <class T>
void Network<T>::output_losses(const Targets<T>& targets, const RowRange& rows,
                               std::int64_t first) {
  if (design_.output == Activation::softmax)
    class_losses(targets, rows, first);
  else
    number_losses(targets, rows, first);
  if (targets.weight.empty()) return;
  const std::int64_t width = layers_.back().width;
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    const double w = targets.weight[static_cast<std::size_t>(rows[i])];
    row_losses_[static_cast<std::size_t>(first + i)] *= w;
    T* delta = work_.deltas.back().data() + (first + i) * width;
    for (std::int64_t j = 0; j < width; ++j) delta[j] *= static_cast<T>(w);
  }
}

template <class T>
void Network<T>::class_losses(const Targets<T>& targets, const RowRange& rows, std::int64_t first) {
  const Layer& last = layers_.back();
  std::array<std::int32_t, kChunkRows> codes;
  std::array<double, kChunkRows> losses{};
  for (std::int64_t i = 0; i < rows.size(); ++i)
    codes[static_cast<std::size_t>(i)] = targets.codes[static_cast<std::size_t>(rows[i])];
  const ClassScores<T> scores{work_.values.back().data() + first * last.width,
                              last.width,
                              rows.size(),
                              last.n_out,
                              codes.data(),
                              work_.deltas.back().data() + first * last.width,
                              losses.data(),
                              design_.loss_parameter};
  GRAMIAN_DISPATCH(evaluate_classes, scores);
  std::copy_n(losses.data(), rows.size(), row_losses_.data() + first);
}

// Outputs side by side, without padding, as vectors of all rows.
template <class T>
void Network<T>::number_losses(const Targets<T>& targets, const RowRange& rows,
                               std::int64_t first) {
  const Layer& last = layers_.back();
  const std::int64_t n = rows.size(), k = last.n_out, size = room(n * k);
  const T* p = work_.values.back().data() + first * last.width;
  T* delta = work_.deltas.back().data() + first * last.width;
  Buffer<T> packed(3 * size);
  T *predictions = packed.data(), *wanted = predictions + size, *derivatives = wanted + size;
  Buffer<double> losses(size);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < k; ++j) {
      predictions[i * k + j] = p[i * last.width + j];
      wanted[i * k + j] = targets.values(rows[i], j);
    }
  std::fill(predictions + n * k, predictions + size, T{1});
  std::fill(wanted + n * k, wanted + size, T{1});
  const OutputLosses<T> block{predictions, wanted, n * k, derivatives, losses.data()};
  GRAMIAN_DISPATCH(evaluate_outputs, design_.loss, design_.loss_parameter, block);
  if (!is_of_scores(design_.loss))
    GRAMIAN_DISPATCH(times_slopes, design_.output, predictions, nullptr, derivatives, size);
  for (std::int64_t i = 0; i < n; ++i) {
    double total = 0.0;
    T* row = delta + i * last.width;
    std::fill(row, row + last.width, T{0});
    for (std::int64_t j = 0; j < k; ++j) {
      row[j] = derivatives[i * k + j];
      total += losses[i * k + j];
    }
    row_losses_[static_cast<std::size_t>(first + i)] = total;
  }
}

// From the derivatives in the last layer's scores to those in the first layer's.
template <class T>
void Network<T>::back(std::int64_t first, std::int64_t n) {
  if (n == 0) return;
  for (std::size_t l = layers_.size() - 1; l > 0; --l) {
    const Layer& layer = layers_[l];
    const Layer& below = layers_[l - 1];
    T* delta = work_.deltas[l - 1].data() + first * below.width;
    if (has_waves(l)) {  // before it are embeddings
      const T* above = work_.deltas[l].data() + first * layer.width;
      GRAMIAN_DISPATCH(hand_back, wave_rows(first, n, work_), above, delta, below.width);
      return;
    }
    const StridedProduct<T, T> product{work_.deltas[l].data() + first * layer.width,
                                       layer.width,
                                       1,
                                       n,
                                       layer.n_out,
                                       transposed_[l].data(),
                                       delta,
                                       below.width,
                                       zeros_.data()};
    GRAMIAN_DISPATCH(add_strided_product, product);
    if (embeds(l - 1)) return;  // numbers that no activation changes
    if (has_waves(l - 1)) continue;
    const std::int64_t n_entries = n * below.width;
    if (below.has_shares) {
      T* bends = work_.bends[l - 1].data() + first * below.width;
      GRAMIAN_DISPATCH(times_slopes, kOfKeptSlopes, bends, static_cast<const T*>(delta), bends,
                       n_entries);
    }
    const T* values = work_.values[l - 1].data() + first * below.width;
    const T* slopes =
        work_.slopes[l - 1].size() ? work_.slopes[l - 1].data() + first * below.width : nullptr;
    const bool has_slopes = work_.drops || below.has_shares;
    const Activation hidden = has_slopes ? kOfKeptSlopes : design_.hidden;
    GRAMIAN_DISPATCH(times_slopes, hidden, values, slopes, delta, n_entries);
  }
}

template <class T>
double Network<T>::gradient_cost() const {
  constexpr double kNsPerStep = 0.5;
  return row_cost_ * static_cast<double>(n_rows_) + kNsPerStep * static_cast<double>(size());
}

// The outputs' weights in vectors of inputs, then put where they belong.
template <class T>
void Network<T>::narrow_gradient(T* gradient) {
  const std::size_t l = layers_.size() - 1;
  const Layer& layer = layers_[l];
  const std::int64_t width = transposed_width_[l];
  const StridedProduct<T, T> product{
      work_.deltas[l].data(), 1,     layer.width,  layer.n_out, n_rows_, work_.values[l - 1].data(),
      by_outputs_.data(),     width, zeros_.data()};
  GRAMIAN_DISPATCH(add_strided_product, product);
  std::fill(gradient + layer.offset, gradient + layer.row(layer.n_in), T{0});
  for (std::int64_t j = 0; j < layer.n_out; ++j)
    for (std::int64_t i = 0; i < layer.n_in; ++i)
      gradient[layer.row(i) + j] = by_outputs_[j * width + i];
}

// Of the inputs that the batch has; of embeddings only the numbers that the input has.
template <class T>
void Network<T>::sparse_gradient(const Stretch& stretch, T* gradient) const {
  const Layer& layer = layers_.front();
  for (std::int64_t i = stretch.begin; i < stretch.end; ++i) {
    if (columns_.count(i) == 0) continue;
    const Part part = embeds(0) ? part_of(i) : Part{0, layer.width};
    if (part.n == 0) continue;
    T* row = gradient + layer.row(i);
    const RowMixture<T, std::int32_t> mixture{columns_.values(i),
                                              columns_.rows(i),
                                              columns_.count(i),
                                              work_.deltas.front().data() + part.begin,
                                              part.n,
                                              layer.width,
                                              nullptr,
                                              row + part.begin};
    GRAMIAN_DISPATCH(mix_rows, mixture);
    if (!embeds(0)) continue;
    const Block block = design_.blocks[static_cast<std::size_t>(i)];
    std::fill(row + part.begin, row + block.begin, T{0});
    std::fill(row + block.end, row + part.begin + part.n, T{0});
  }
}

template <class T>
void Network<T>::wave_gradient(T* gradient) const {
  GRAMIAN_DISPATCH(wave_gradients, wave_rows(0, n_rows_, work_), work_.deltas[1].data(),
                   gradient + layers_[1].offset);
}

template <class T>
void Network<T>::gradient_of(const Stretch& stretch, T* gradient) {
  const Layer& layer = layers_[stretch.layer];
  const T* delta = work_.deltas[stretch.layer].data();
  T* out = gradient + layer.row(stretch.begin);
  if (has_waves(stretch.layer)) return wave_gradient(gradient);
  if (is_narrow(stretch.layer)) {
    narrow_gradient(gradient);
  } else if (stretch.layer == 0 && is_sparse_) {
    sparse_gradient(stretch, gradient);
  } else {
    const std::int64_t stride =
        stretch.layer == 0 ? batch_stride_ : layers_[stretch.layer - 1].width;
    const T* inputs = stretch.layer == 0 ? batch_inputs_ : work_.values[stretch.layer - 1].data();
    const StridedProduct<T, T> product{inputs + stretch.begin,
                                       1,
                                       stride,
                                       stretch.end - stretch.begin,
                                       n_rows_,
                                       delta,
                                       out,
                                       layer.width,
                                       zeros_.data()};
    GRAMIAN_DISPATCH(add_strided_product, product);
  }
  if (stretch.has_biases && !embeds(stretch.layer))
    GRAMIAN_DISPATCH(sum_rows, delta, n_rows_, layer.width, gradient + layer.row(layer.n_in));
  if (stretch.has_biases && layer.has_shares)
    GRAMIAN_DISPATCH(sum_rows, work_.bends[stretch.layer].data(), n_rows_, layer.width,
                     gradient + layer.row(layer.shares_row()));
}

// The members that this file defines; network.cpp has the class.
#define GRAMIAN_NETWORK(T)                                                         \
  template BatchLoss Network<T>::forward_back(const Inputs<T>&, const Targets<T>&, \
                                              const RowRange&, const Context&);    \
  template double Network<T>::gradient_cost() const;                               \
  template void Network<T>::gradient_of(const Stretch&, T*);
GRAMIAN_FOR_EACH_NUMBER(GRAMIAN_NETWORK)

}  // namespace gramian::network
