#include "network/network.hpp"

#include <algorithm>
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
constexpr std::int64_t kBatchBytes = std::int64_t{16} << 20;
constexpr double kNsPerProduct = 0.06;  // of a multiplication and addition
constexpr std::int64_t kPerWave = 8;    // products that take the time of a third of a wave

template <class T>
std::vector<Layer> layers_of(const Design& design) {
  std::vector<Layer> layers;
  std::int64_t offset = 0;
  for (std::size_t l = 0; l + 1 < design.sizes.size(); ++l) {
    const bool has_waves = l == 1 && design.waves.is_on();
    const std::int64_t n_in = has_waves ? design.waves.n_rows() : design.sizes[l];
    const std::int64_t n_out = design.sizes[l + 1];
    const bool has_shares = design.is_parametric && design.is_hidden(l);
    layers.push_back({n_in, n_out, padded<T>(n_out), offset, has_shares});
    offset = layers.back().row(layers.back().n_rows());
  }
  return layers;
}

// A layer in one piece is a stretch of its own: that of waves, and perhaps the last.
std::vector<Stretch> stretches_of(const std::vector<Layer>& layers, bool has_waves,
                                  bool last_in_one_piece) {
  std::vector<Stretch> out;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const std::int64_t n = layers[l].n_in;
    const std::int64_t even = (n + kMostStretches - 1) / kMostStretches;
    const bool in_one_piece =
        (has_waves && l == 1) || (last_in_one_piece && l + 1 == layers.size());
    const std::int64_t rows =
        in_one_piece ? n : (even + kStretchRows - 1) / kStretchRows * kStretchRows;
    for (std::int64_t begin = 0; begin < n; begin += rows) {
      const std::int64_t end = std::min(begin + rows, n);
      out.push_back({l, begin, end, end == n});
    }
  }
  return out;
}

// Copies rows of any order; the processor foresees none of them, so a few are fetched ahead.
template <class T>
void gather_rows(const MatrixView<const T>& X, const RowRange& rows, T* out, std::int64_t stride) {
  constexpr std::int64_t kAhead = 6, kMostBytes = 4096, kNarrow = 32;
  const auto row_of = [&](std::int64_t i) { return X.data + rows[i] * X.row_stride; };
  const std::int64_t n_ahead =
      std::min(X.n_cols, kMostBytes / static_cast<std::int64_t>(sizeof(T)));
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    if (i + kAhead < rows.size())
      for (std::int64_t j = 0; j < n_ahead; j += kPadding<T>)
        __builtin_prefetch(row_of(i + kAhead) + j);
    if (X.n_cols > kNarrow) {
      std::copy_n(row_of(i), X.n_cols, out + i * stride);
    } else {  // a call would cost more than the copy
      const T* row = row_of(i);
      for (std::int64_t j = 0; j < X.n_cols; ++j) out[i * stride + j] = row[j];
    }
  }
}

}  // namespace

template <class T>
Network<T>::Network(Design design, bool zeroed)
    : design_(std::move(design)),
      layers_(layers_of<T>(design_)),
      parameters_(zeroed ? Buffer<T>::zeros(n_parameters(layers_))
                         : Buffer<T>(n_parameters(layers_))),
      lent_(layers_.size(), nullptr),
      stretches_(stretches_of(layers_, design_.waves.is_on(), is_narrow(layers_.size() - 1))) {
  std::int64_t widest = 0, total = 0, products = 0;
  for (const Layer& layer : layers_) {
    transposed_width_.push_back(padded<T>(layer.n_in));
    transposed_.emplace_back();
    widest = std::max(widest, layer.width);
    total += 3 * layer.width;
    const std::int64_t per_input = has_waves(transposed_.size() - 1) ? kPerWave : 1;
    products += per_input * layer.n_in * layer.width;
  }
  zeros_ = Buffer<T>::zeros(std::max(widest, transposed_width_.back()));
  if (is_narrow(layers_.size() - 1))
    by_outputs_ = Buffer<T>(layers_.back().n_out * transposed_width_.back());
  if (design_.waves.is_on()) {
    handed_ = Buffer<T>::zeros(layers_[1].width);
    std::fill_n(handed_.data(), design_.sizes[1], T{1});
  }
  const auto bytes = static_cast<std::int64_t>(sizeof(T)) * (total + padded<T>(design_.n_inputs()));
  most_rows_ = tile_size(kBatchBytes / bytes, 256, 8192);
  row_cost_ = kNsPerProduct * static_cast<double>(products * kPadding<float>) /
              static_cast<double>(2 * kPadding<T>);
}

template <class T>
Activation Network<T>::activation_of(std::size_t layer) const {
  if (layer + 1 == layers_.size()) return design_.output;
  return design_.is_hidden(layer) ? design_.hidden : Activation::identity;
}

template <class T>
void Network<T>::make_transposed(std::size_t layer) {
  if (layer > 0 && !has_waves(layer) && transposed_[layer].size() == 0)
    transposed_[layer] = Buffer<T>::zeros(layers_[layer].n_out * transposed_width_[layer]);
}

template <class T>
void Network<T>::refresh() {
  for (std::size_t l = 0; l < layers_.size(); ++l) make_transposed(l);
  for (const Stretch& stretch : stretches_) mirror(stretch);
  is_stale_ = false;
}

template <class T>
void Network<T>::refresh_outputs() {
  is_stale_ = true;
  const std::size_t last = layers_.size() - 1;
  if (is_narrow(last)) make_transposed(last);
  for (const Stretch& stretch : stretches_)
    if (is_narrow(stretch.layer)) mirror(stretch);
}

template <class T>
void Network<T>::mirror(const Stretch& stretch) {
  if (stretch.layer == 0 || has_waves(stretch.layer)) return;
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
    const bool drops = dropout_.is_on() && design_.is_hidden(l);
    const bool has_shares = layers_[l].has_shares;
    const bool has_slopes = trains && (drops || has_shares || needs_slopes(activation_of(l)));
    work.values.push_back(Buffer<T>(n));
    work.slopes.push_back(has_slopes ? Buffer<T>(n) : Buffer<T>());
    work.deltas.push_back(trains ? Buffer<T>(n) : Buffer<T>());
    work.bends.push_back(trains && has_shares ? Buffer<T>(n) : Buffer<T>());
  }
  if (design_.waves.is_on()) work.wave_inputs = Buffer<T>(rows * layers_[1].width);
  work.drops = trains && dropout_.is_on();
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
        row.values.data(), row.cols.data(),    static_cast<std::int64_t>(row.cols.size()),
        first_row(layer),  layer.width,        layer.width,
        biases(layer),     z + i * layer.width};
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
    else if (has_waves(l))
      wave_layer(first, rows.size(), work);
    else
      next_layer(l, first, rows.size(), work);
    if (activation_of(l) == Activation::softmax) continue;  // with the losses
    if (layer.has_shares) {
      bend(l, first, rows.size(), work);
    } else {
      T* slopes = work.slopes[l].size() ? work.slopes[l].data() + first * layer.width : nullptr;
      GRAMIAN_DISPATCH(activate, activation_of(l), z, slopes, n);
    }
    if (work.drops && design_.is_hidden(l)) drop(l, rows, first, work);
  }
}

template <class T>
void Network<T>::bend(std::size_t l, std::int64_t first, std::int64_t n, Work& work) const {
  const Layer& layer = layers_[l];
  const auto at = [&](Buffer<T>& of) {
    return of.size() ? of.data() + first * layer.width : nullptr;
  };
  const BentNeurons<T> neurons{at(work.values[l]),
                               at(work.slopes[l]),
                               at(work.bends[l]),
                               parameters_.data() + layer.row(layer.shares_row()),
                               n,
                               layer.width};
  GRAMIAN_DISPATCH(bend_neurons, design_.hidden, neurons);
}

template <class T>
WaveRows<T> Network<T>::wave_rows(std::int64_t first, std::int64_t n, const Work& work) const {
  const Layer& layer = layers_[1];
  return {work.wave_inputs.data() + first * layer.width,
          n,
          layer.width,
          first_row(layer),
          handed_.data(),
          design_.sizes[1],
          design_.waves.n_frequencies};
}

template <class T>
void Network<T>::wave_layer(std::int64_t first, std::int64_t n, Work& work) const {
  const Layer &layer = layers_[1], &below = layers_[0];
  const std::int64_t n_handed = below.n_out;
  const std::vector<std::int32_t>& sources = design_.waves.sources;
  for (std::int64_t i = first; i < first + n; ++i) {
    const T* from = work.values[0].data() + i * below.width;
    T* to = work.wave_inputs.data() + i * layer.width;
    std::copy_n(from, n_handed, to);
    for (std::size_t k = 0; k < sources.size(); ++k)
      to[n_handed + static_cast<std::int64_t>(k)] = from[sources[k]];
    std::fill(to + layer.n_out, to + layer.width, T{0});
  }
  T* out = work.values[1].data() + first * layer.width;
  GRAMIAN_DISPATCH(evaluate_waves, wave_rows(first, n, work), out);
}

// Multiplies what neurons give, and their derivatives, which the way back then reads, by the
// factors of dropout.
template <class T>
void Network<T>::drop(std::size_t l, const RowRange& rows, std::int64_t first, Work& work) const {
  const Layer& layer = layers_[l];
  T* values = work.values[l].data() + first * layer.width;
  T* slopes = work.slopes[l].data() + first * layer.width;
  Buffer<T> factors = Buffer<T>::zeros(layer.width);
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    draw_factors(dropout_, l, rows[i], factors.data(), layer.n_out);
    T* value = values + i * layer.width;
    T* slope = slopes + i * layer.width;
    if (layer.has_shares) {
      T* bends = work.bends[l].data() + (first + i) * layer.width;
      for (std::int64_t j = 0; j < layer.width; ++j) bends[j] *= factors[j];
    }
    if (layer.has_shares || needs_slopes(design_.hidden)) {
      for (std::int64_t j = 0; j < layer.width; ++j) slope[j] *= factors[j];
    } else {
      std::copy_n(factors.data(), layer.width, slope);
      GRAMIAN_DISPATCH(times_slopes, design_.hidden, value, static_cast<const T*>(nullptr), slope,
                       layer.width);
    }
    for (std::int64_t j = 0; j < layer.width; ++j) value[j] *= factors[j];
  }
}

template <class T>
void Network<T>::set_dropout(const Dropout& dropout) {
  if (dropout.is_on() != dropout_.is_on()) capacity_ = 0;  // slopes have to be kept, or not
  dropout_ = dropout;
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

#define GRAMIAN_NETWORK(T) template class Network<T>;
GRAMIAN_FOR_EACH_NUMBER(GRAMIAN_NETWORK)

}  // namespace gramian::network
