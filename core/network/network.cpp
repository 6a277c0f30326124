#include "network/network.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/instantiate.hpp"
#include "linalg/product_kernel.hpp"
#include "network/neurons_kernel.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"
#include "simd/flush.hpp"

namespace gramian::network {
namespace {

constexpr std::int64_t kStretchRows = 24;     // a whole multiple of the products' register tiles
constexpr std::int64_t kMostStretches = 256;  // of a layer
constexpr std::int64_t kChunkRows = 48;       // as well
constexpr std::int64_t kBatchBytes = std::int64_t{16} << 20;
constexpr double kNsPerProduct = 0.06;  // of a multiplication and addition

// A layer in one piece is a stretch of its own.
std::vector<Stretch> stretches_of(const std::vector<Layer>& layers, bool last_in_one_piece) {
  std::vector<Stretch> out;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const std::int64_t n = layers[l].n_in;
    const std::int64_t even = (n + kMostStretches - 1) / kMostStretches;
    const bool in_one_piece = last_in_one_piece && l + 1 == layers.size();
    const std::int64_t rows =
        in_one_piece ? n : (even + kStretchRows - 1) / kStretchRows * kStretchRows;
    for (std::int64_t begin = 0; begin < n; begin += rows) {
      const std::int64_t end = std::min(begin + rows, n);
      out.push_back({l, begin, end, end == n});
    }
  }
  return out;
}

// Pieces of kChunkRows rows; the last is shorter.
std::int64_t n_chunks(std::int64_t n_rows) { return (n_rows + kChunkRows - 1) / kChunkRows; }

// Copies rows of any order; the processor foresees none of them, so a few are fetched ahead.
template <class T>
void gather_rows(const MatrixView<const T>& X, const RowRange& rows, T* out, std::int64_t stride) {
  constexpr std::int64_t kAhead = 6, kMostBytes = 4096;
  const auto row_of = [&](std::int64_t i) { return X.data + rows[i] * X.row_stride; };
  const std::int64_t n_ahead =
      std::min(X.n_cols, kMostBytes / static_cast<std::int64_t>(sizeof(T)));
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    if (i + kAhead < rows.size())
      for (std::int64_t j = 0; j < n_ahead; j += kPadding<T>)
        __builtin_prefetch(row_of(i + kAhead) + j);
    std::copy_n(row_of(i), X.n_cols, out + i * stride);
  }
}

// Room for as many rows, in whole cache lines of any number.
std::int64_t room(std::int64_t n) { return padded<float>(n); }

}  // namespace

template <class T>
Network<T>::Network(Design design)
    : design_(std::move(design)),
      layers_(layers_of<T>(design_.sizes)),
      parameters_(Buffer<T>::zeros(n_parameters(layers_))),
      stretches_(stretches_of(layers_, is_narrow(layers_.size() - 1))) {
  std::int64_t widest = 0, total = 0, products = 0;
  for (const Layer& layer : layers_) {
    transposed_width_.push_back(padded<T>(layer.n_in));
    transposed_.push_back(
        layer.offset == 0 ? Buffer<T>() : Buffer<T>::zeros(layer.n_out * transposed_width_.back()));
    widest = std::max(widest, layer.width);
    total += 3 * layer.width;
    products += layer.n_in * layer.width;
  }
  zeros_ = Buffer<T>::zeros(std::max(widest, transposed_width_.back()));
  if (is_narrow(layers_.size() - 1))
    by_outputs_ = Buffer<T>(layers_.back().n_out * transposed_width_.back());
  const auto bytes = static_cast<std::int64_t>(sizeof(T)) * (total + padded<T>(design_.n_inputs()));
  most_rows_ = tile_size(kBatchBytes / bytes, 256, 8192);
  row_cost_ = kNsPerProduct * static_cast<double>(products * kPadding<float>) /
              static_cast<double>(2 * kPadding<T>);
}

template <class T>
Activation Network<T>::activation_of(std::size_t layer) const {
  return layer + 1 == layers_.size() ? design_.output : design_.hidden;
}

template <class T>
void Network<T>::refresh() {
  for (const Stretch& stretch : stretches_) mirror(stretch);
}

template <class T>
void Network<T>::mirror(const Stretch& stretch) {
  if (stretch.layer == 0) return;
  const Layer& layer = layers_[stretch.layer];
  T* out = transposed_[stretch.layer].data();
  const std::int64_t width = transposed_width_[stretch.layer];
  for (std::int64_t j = 0; j < layer.n_out; ++j) {
    const T* weight = first_row(layer) + j;
    for (std::int64_t i = stretch.begin; i < stretch.end; ++i)
      out[j * width + i] = weight[i * layer.width];
  }
}

template <class T>
typename Network<T>::Work Network<T>::workspace(std::int64_t n_rows, bool trains) const {
  Work work;
  const std::int64_t rows = room(n_rows);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const std::int64_t n = rows * layers_[l].width;
    const bool has_slopes = trains && needs_slopes(activation_of(l));
    work.values.push_back(Buffer<T>(n));
    work.slopes.push_back(has_slopes ? Buffer<T>(n) : Buffer<T>());
    work.deltas.push_back(trains ? Buffer<T>(n) : Buffer<T>());
  }
  return work;
}

template <class T>
void Network<T>::reserve(std::int64_t n_rows) {
  if (n_rows <= capacity_) return;
  work_ = workspace(n_rows, true);
  capacity_ = n_rows;
  row_losses_.resize(static_cast<std::size_t>(room(n_rows)));
}

// Rows of the range go to rows `first` .. of the workspace.
template <class T>
void Network<T>::first_layer(const Inputs<T>& X, const RowRange& rows, std::int64_t first,
                             Work& work) const {
  const Layer& layer = layers_.front();
  T* z = work.values.front().data() + first * layer.width;
  std::visit(
      [&]<class View>(const View& view) {
        if constexpr (kIsSparse<View>) {
          mix_first_layer(view, rows, z);
        } else {
          const T* data = view.data + rows[0] * view.row_stride;
          std::int64_t stride = view.row_stride;
          if (rows.order) {  // the gradient will read them again
            stride = padded<T>(view.n_cols);
            T* gathered = work.inputs.data() + first * stride;
            gather_rows(view, rows, gathered, stride);
            data = gathered;
          }
          const StridedProduct<T, T> product{data,        stride,      1,
                                             rows.size(), layer.n_in,  first_row(layer),
                                             z,           layer.width, biases(layer)};
          GRAMIAN_DISPATCH(add_strided_product, product);
        }
      },
      X);
}

template <class T>
template <class Index>
void Network<T>::mix_first_layer(const CsrView<T, Index>& X, const RowRange& rows, T* z) const {
  const Layer& layer = layers_.front();
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    const auto row = X.row(rows[i]);
    const RowMixture<T, Index> mixture{
        row.values.data(),  row.cols.data(), static_cast<std::int64_t>(row.cols.size()),
        first_row(layer),   layer.width,     biases(layer),
        z + i * layer.width};
    GRAMIAN_DISPATCH(mix_rows, mixture);
  }
}

template <class T>
void Network<T>::next_layer(std::size_t l, std::int64_t first, std::int64_t n, Work& work) const {
  const Layer& layer = layers_[l];
  const std::int64_t stride = layers_[l - 1].width;
  const T* below = work.values[l - 1].data() + first * stride;
  T* z = work.values[l].data() + first * layer.width;
  if (is_narrow(l)) {
    const RowDots<T> dots{below,         n, stride,     transposed_[l].data(), layer.n_out,
                          biases(layer), z, layer.width};
    GRAMIAN_DISPATCH(dot_rows, dots);
    return;
  }
  const StridedProduct<T, T> product{
      below, stride, 1, n, layer.n_in, first_row(layer), z, layer.width, biases(layer)};
  GRAMIAN_DISPATCH(add_strided_product, product);
}

template <class T>
void Network<T>::forward(const Inputs<T>& X, const RowRange& rows, std::int64_t first,
                         Work& work) const {
  if (rows.size() == 0) return;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    T* z = work.values[l].data() + first * layer.width;
    const std::int64_t n = rows.size() * layer.width;
    if (l == 0)
      first_layer(X, rows, first, work);
    else
      next_layer(l, first, rows.size(), work);
    if (activation_of(l) == Activation::softmax) continue;  // with the losses
    T* slopes = work.slopes[l].size() ? work.slopes[l].data() + first * layer.width : nullptr;
    GRAMIAN_DISPATCH(activate, activation_of(l), z, slopes, n);
  }
}

template <class T>
void Network<T>::predict(const Inputs<T>& X, MatrixView<T> out, const Context& ctx) const {
  const Layer& last = layers_.back();
  const double cost = row_cost_ * static_cast<double>(out.n_rows);
  parallel_for(ctx, n_chunks(out.n_rows), cost, [&](std::int64_t chunk) {
    const FlushTiny flush;
    const RowRange rows{nullptr, chunk * kChunkRows,
                        std::min((chunk + 1) * kChunkRows, out.n_rows)};
    Work work = workspace(rows.size(), false);
    forward(X, rows, 0, work);
    T* p = work.values.back().data();
    if (design_.output == Activation::softmax) {
      const ClassScores<T> scores{p,       last.width, rows.size(), last.n_out,
                                  nullptr, nullptr,    nullptr};
      GRAMIAN_DISPATCH(evaluate_classes, scores);
    }
    for (std::int64_t i = 0; i < rows.size(); ++i)
      for (std::int64_t j = 0; j < last.n_out; ++j) out(rows.begin + i, j) = p[i * last.width + j];
  });
}

template <class T>
BatchLoss Network<T>::forward_back(const Inputs<T>& X, const Targets<T>& targets,
                                   const RowRange& rows, const Context& ctx) {
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
                              losses.data()};
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
    const T* values = work_.values[l - 1].data() + first * below.width;
    const T* slopes =
        work_.slopes[l - 1].size() ? work_.slopes[l - 1].data() + first * below.width : nullptr;
    GRAMIAN_DISPATCH(times_slopes, design_.hidden, values, slopes, delta, n * below.width);
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

template <class T>
void Network<T>::gradient_of(const Stretch& stretch, T* gradient) {
  const Layer& layer = layers_[stretch.layer];
  const T* delta = work_.deltas[stretch.layer].data();
  T* out = gradient + layer.row(stretch.begin);
  if (is_narrow(stretch.layer)) {
    narrow_gradient(gradient);
  } else if (stretch.layer == 0 && is_sparse_) {
    for (std::int64_t i = stretch.begin; i < stretch.end; ++i) {
      if (columns_.count(i) == 0) continue;
      const RowMixture<T, std::int32_t> mixture{
          columns_.values(i), columns_.rows(i), columns_.count(i),      delta,
          layer.width,        nullptr,          gradient + layer.row(i)};
      GRAMIAN_DISPATCH(mix_rows, mixture);
    }
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
  if (stretch.has_biases)
    GRAMIAN_DISPATCH(sum_rows, delta, n_rows_, layer.width, gradient + layer.row(layer.n_in));
}

#define GRAMIAN_NETWORK(T) template class Network<T>;
GRAMIAN_FOR_EACH_NUMBER(GRAMIAN_NETWORK)

}  // namespace gramian::network
