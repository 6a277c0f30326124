#include "network/boltzmann.hpp"

#include <algorithm>
#include <cmath>

#include "base/buffer.hpp"
#include "base/instantiate.hpp"
#include "linalg/product_kernel.hpp"
#include "network/layers.hpp"
#include "network/neurons_kernel.hpp"
#include "parallel/parallel_for.hpp"
#include "simd/flush.hpp"

namespace gramian::network {
namespace {

constexpr std::int64_t kVisibleRows = 48;  // of a task; a whole multiple of the register tiles
constexpr std::int64_t kHiddenRows = 12;   // as well
constexpr std::int64_t kScoreRows = 48;
constexpr double kNsPerProduct = 0.06;  // of a multiplication and addition
constexpr double kNsPerDraw = 2.0;      // of a unit's probability, and its state

std::int64_t n_pieces(std::int64_t n, std::int64_t size) { return (n + size - 1) / size; }

// z(r, :) = c + sum_i x(r, i) W(i, :) for rows of the range.
template <class T, class View>
void weigh_rows(const Machine<T>& machine, const View& X, const RowRange& rows, T* z) {
  if constexpr (kIsSparse<View>) {
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      const auto row = X.row(rows[i]);
      const RowMixture mixture{row.values.data(),
                               row.cols.data(),
                               static_cast<std::int64_t>(row.cols.size()),
                               static_cast<const T*>(machine.weights),
                               machine.width,
                               machine.width,
                               static_cast<const T*>(machine.hidden_bias),
                               z + i * machine.width};
      GRAMIAN_DISPATCH(mix_rows, mixture);
    }
  } else {
    const StridedProduct<T, T> product{X.data + rows.begin * X.row_stride,
                                       X.row_stride,
                                       1,
                                       rows.size(),
                                       machine.n_visible,
                                       machine.weights,
                                       z,
                                       machine.width,
                                       machine.hidden_bias};
    GRAMIAN_DISPATCH(add_strided_product, product);
  }
}

// The steps of one call. The rows of a batch and the visible states of the chains stand on top of
// each other in `hidden_`, whose rows are first probabilities and then those times the rate, of
// the chains with the sign turned: their product with the visible states is the step.
template <class T>
class Steps {
 public:
  Steps(const Machine<T>& machine, const Contrast<T>& contrast)
      : machine_(machine),
        contrast_(contrast),
        n_chains_(contrast.n_chains()),
        chain_width_(padded<T>(n_chains_)),
        visible_width_(padded<T>(machine.n_visible)),
        states_(Buffer<T>::zeros(machine.n_hidden * chain_width_)),
        visible_(Buffer<T>::zeros(n_chains_ * visible_width_)),
        hidden_((contrast.batch_rows + n_chains_) * machine.width),
        probabilities_(machine.n_visible * chain_width_) {
    for (std::int64_t c = 0; c < n_chains_; ++c)
      for (std::int64_t j = 0; j < machine_.n_hidden; ++j) state(j, c) = contrast.chains(c, j);
  }

  void run(const Context& ctx) {
    const Series series(ctx, cost() * static_cast<double>(contrast_.n_batches()));
    visible_pass(0, false, ctx);
    for (std::int64_t b = 0; b < contrast_.n_batches(); ++b) {
      hidden_pass(b, ctx);
      step_biases(b);
      visible_pass(b + 1, true, ctx);
    }
    for (std::int64_t c = 0; c < n_chains_; ++c)
      for (std::int64_t j = 0; j < machine_.n_hidden; ++j) contrast_.chains(c, j) = state(j, c);
  }

 private:
  T& state(std::int64_t j, std::int64_t chain) { return states_[j * chain_width_ + chain]; }

  RowRange batch(std::int64_t b) const {
    const std::int64_t begin = b * contrast_.batch_rows;
    return {nullptr, begin, std::min(begin + contrast_.batch_rows, contrast_.n_rows)};
  }

  const double* draws(std::int64_t b) const {
    return contrast_.draws.data() + b * n_chains_ * (machine_.n_visible + machine_.n_hidden);
  }

  double cost() const {
    const auto units = static_cast<double>((machine_.n_visible + machine_.n_hidden) * n_chains_);
    const auto rows = static_cast<double>(2 * contrast_.batch_rows + 3 * n_chains_);
    const auto weights = static_cast<double>(machine_.n_visible * machine_.width);
    return kNsPerProduct * rows * weights + kNsPerDraw * units;
  }

  // Weights of a stretch of visible units: the step of the batch before, then the states that the
  // chains draw for batch b.
  void visible_pass(std::int64_t b, bool has_step, const Context& ctx) {
    if (has_step) sort_columns(batch(b - 1));
    const std::int64_t n_tasks = n_pieces(machine_.n_visible, kVisibleRows);
    parallel_for(ctx, n_tasks, 0.6 * cost(), [&](std::int64_t task) {
      const FlushTiny flush;
      const std::int64_t begin = task * kVisibleRows;
      const std::int64_t end = std::min(begin + kVisibleRows, machine_.n_visible);
      if (has_step) step_weights(b - 1, begin, end);
      if (b < contrast_.n_batches()) draw_visible(draws(b), begin, end);
    });
  }

  void draw_visible(const double* draws, std::int64_t begin, std::int64_t end) {
    T* p = probabilities_.data() + begin * chain_width_;
    const std::int64_t size = (end - begin) * chain_width_;
    for (std::int64_t i = begin; i < end; ++i)
      std::fill_n(p + (i - begin) * chain_width_, chain_width_, machine_.visible_bias[i]);
    const StridedProduct<T, T> product{machine_.weights + begin * machine_.width,
                                       machine_.width,
                                       1,
                                       end - begin,
                                       machine_.n_hidden,
                                       states_.data(),
                                       p,
                                       chain_width_};
    GRAMIAN_DISPATCH(add_strided_product, product);
    GRAMIAN_DISPATCH(activate, Activation::logistic, p, static_cast<T*>(nullptr), size);
    for (std::int64_t c = 0; c < n_chains_; ++c)
      for (std::int64_t i = begin; i < end; ++i) {
        const auto chance = static_cast<double>(p[(i - begin) * chain_width_ + c]);
        visible_[c * visible_width_ + i] = draws[c * machine_.n_visible + i] < chance ? T{1} : T{0};
      }
  }

  void sort_columns(const RowRange& rows) {
    std::visit(
        [&]<class View>(const View& X) {
          if constexpr (kIsSparse<View>) columns_.gather(X, rows);
        },
        contrast_.X);
  }

  // The step is summed before it is added: single precision keeps more of it so.
  void step_weights(std::int64_t b, std::int64_t begin, std::int64_t end) {
    const RowRange rows = batch(b);
    const std::int64_t size = (end - begin) * machine_.width;
    Buffer<T> step = Buffer<T>::zeros(size);
    const auto add = [&](const T* a, std::int64_t stride, std::int64_t depth, const T* hidden) {
      const StridedProduct<T, T> product{a + begin, 1,      stride,      end - begin,
                                         depth,     hidden, step.data(), machine_.width};
      GRAMIAN_DISPATCH(add_strided_product, product);
    };
    double excess[kVisibleRows] = {};  // of the rows' states over those of the chains
    std::visit(
        [&]<class View>(const View& X) {
          if constexpr (kIsSparse<View>) {
            for (std::int64_t i = begin; i < end; ++i)
              excess[i - begin] = mix_column(i, step.data() + (i - begin) * machine_.width);
          } else {
            const T* data = X.data + rows.begin * X.row_stride;
            add(data, X.row_stride, rows.size(), hidden_.data());
            add_states<1>(data, X.row_stride, rows.size(), begin, end, excess);
          }
        },
        contrast_.X);
    add(visible_.data(), visible_width_, n_chains_, chain_rows(rows));
    add_states<-1>(visible_.data(), visible_width_, n_chains_, begin, end, excess);
    T* weights = machine_.weights + begin * machine_.width;
    for (std::int64_t k = 0; k < size; ++k) weights[k] += step[k];
    const double rate = contrast_.rate / static_cast<double>(rows.size());
    for (std::int64_t i = begin; i < end; ++i)
      machine_.visible_bias[i] += static_cast<T>(rate * excess[i - begin]);
  }

  template <int kSign>
  static void add_states(const T* states, std::int64_t stride, std::int64_t n, std::int64_t begin,
                         std::int64_t end, double* sum) {
    for (std::int64_t r = 0; r < n; ++r)
      for (std::int64_t i = begin; i < end; ++i)
        sum[i - begin] += kSign * static_cast<double>(states[r * stride + i]);
  }

  // The step of sparse rows in the weights of one visible unit; returns the sum of its states.
  double mix_column(std::int64_t i, T* step) {
    const std::int64_t n = columns_.count(i);
    const RowMixture<T, std::int32_t> mixture{
        columns_.values(i), columns_.rows(i), n,       hidden_.data(),
        machine_.width,     machine_.width,   nullptr, step};
    GRAMIAN_DISPATCH(mix_rows, mixture);
    double sum = 0.0;
    for (std::int64_t e = 0; e < n; ++e) sum += static_cast<double>(columns_.values(i)[e]);
    return sum;
  }

  T* chain_rows(const RowRange& rows) { return hidden_.data() + rows.size() * machine_.width; }

  void hidden_pass(std::int64_t b, const Context& ctx) {
    const RowRange rows = batch(b);
    const std::int64_t n_of_rows = n_pieces(rows.size(), kHiddenRows);
    const std::int64_t n_tasks = n_of_rows + n_pieces(n_chains_, kHiddenRows);
    const T rate = static_cast<T>(contrast_.rate / static_cast<double>(rows.size()));
    parallel_for(ctx, n_tasks, 0.4 * cost(), [&](std::int64_t task) {
      const FlushTiny flush;
      if (task < n_of_rows) {
        const std::int64_t first = task * kHiddenRows;
        hide_rows(rows.part(first, std::min(first + kHiddenRows, rows.size())), first, rate);
      } else {
        const std::int64_t first = (task - n_of_rows) * kHiddenRows;
        const RowRange chains{nullptr, first, std::min(first + kHiddenRows, n_chains_)};
        hide_chains(chains, chain_rows(rows) + first * machine_.width, draws(b), rate);
      }
    });
  }

  void hide_rows(const RowRange& rows, std::int64_t first, T rate) {
    T* h = hidden_.data() + first * machine_.width;
    std::visit([&](const auto& X) { weigh_rows(machine_, X, rows, h); }, contrast_.X);
    finish_rows(h, rows.size(), rate);
  }

  void hide_chains(const RowRange& chains, T* h, const double* draws, T rate) {
    const MatrixView<const T> visible{visible_.data(), n_chains_, machine_.n_visible,
                                      visible_width_, 1};
    weigh_rows(machine_, visible, chains, h);
    finish_rows(h, chains.size(), T{1});
    const double* of_hidden = draws + n_chains_ * machine_.n_visible;
    for (std::int64_t i = 0; i < chains.size(); ++i) {
      const std::int64_t c = chains[i];
      T* row = h + i * machine_.width;
      for (std::int64_t j = 0; j < machine_.n_hidden; ++j) {
        const double chance = static_cast<double>(row[j]);
        state(j, c) = of_hidden[c * machine_.n_hidden + j] < chance ? T{1} : T{0};
        row[j] *= -rate;
      }
    }
  }

  // Probabilities of the hidden units, times a factor; zero beyond them.
  void finish_rows(T* h, std::int64_t n, T factor) {
    GRAMIAN_DISPATCH(activate, Activation::logistic, h, static_cast<T*>(nullptr),
                     n * machine_.width);
    for (std::int64_t i = 0; i < n; ++i) {
      T* row = h + i * machine_.width;
      std::fill(row + machine_.n_hidden, row + machine_.width, T{0});
      if (factor != T{1})
        for (std::int64_t j = 0; j < machine_.n_hidden; ++j) row[j] *= factor;
    }
  }

  // Columns of `hidden_` are steps of the hidden units' biases; summed first, since they cancel.
  void step_biases(std::int64_t b) {
    const std::int64_t n = batch(b).size() + n_chains_;
    bias_steps_.assign(static_cast<std::size_t>(machine_.n_hidden), 0.0);
    for (std::int64_t i = 0; i < n; ++i) {
      const T* row = hidden_.data() + i * machine_.width;
      for (std::size_t j = 0; j < bias_steps_.size(); ++j)
        bias_steps_[j] += static_cast<double>(row[j]);
    }
    for (std::size_t j = 0; j < bias_steps_.size(); ++j)
      machine_.hidden_bias[j] += static_cast<T>(bias_steps_[j]);
  }

  const Machine<T>& machine_;
  const Contrast<T>& contrast_;
  std::int64_t n_chains_, chain_width_, visible_width_;
  Buffer<T> states_;   // of the hidden units, by unit
  Buffer<T> visible_;  // states of the chains
  Buffer<T> hidden_;
  Buffer<T> probabilities_;  // of the chains' visible units, by unit
  std::vector<double> bias_steps_;
  BatchColumns<T> columns_;
};

template <class T>
T entry(const MatrixView<const T>& X, std::int64_t row, std::int64_t col) {
  return X(row, col);
}
template <class T, class Index>
T entry(const CsrView<T, Index>& X, std::int64_t row, std::int64_t col) {
  const auto entries = X.row(row);
  const auto found = std::ranges::find(entries.cols, static_cast<Index>(col));
  const auto k = static_cast<std::size_t>(found - entries.cols.begin());
  return found == entries.cols.end() ? T{0} : entries.values[k];
}

// log s(x), of which neither tail overflows.
double log_logistic(double x) {
  return x > 0.0 ? -std::log1p(std::exp(-x)) : x - std::log1p(std::exp(x));
}

}  // namespace

template <class T>
void take_contrastive_steps(const Machine<T>& machine, const Contrast<T>& contrast,
                            const Context& ctx) {
  Steps<T>(machine, contrast).run(ctx);
}

template <class T>
void hidden_probabilities(const Machine<T>& machine, const Inputs<T>& X, MatrixView<T> out,
                          const Context& ctx) {
  const auto size = static_cast<double>(machine.n_visible * machine.width);
  const std::int64_t n = out.n_rows, width = machine.width;
  parallel_for(
      ctx, n_pieces(n, kScoreRows), kNsPerProduct * size * static_cast<double>(n),
      [&](std::int64_t task) {
        const RowRange rows{nullptr, task * kScoreRows, std::min((task + 1) * kScoreRows, n)};
        Buffer<T> h(rows.size() * width);
        std::visit([&](const auto& view) { weigh_rows(machine, view, rows, h.data()); }, X);
        GRAMIAN_DISPATCH(activate, Activation::logistic, h.data(), static_cast<T*>(nullptr),
                         rows.size() * width);
        for (std::int64_t i = 0; i < rows.size(); ++i)
          for (std::int64_t j = 0; j < machine.n_hidden; ++j) out(rows[i], j) = h[i * width + j];
      });
}

template <class T>
void pseudo_likelihood(const Machine<T>& machine, const Inputs<T>& X,
                       std::span<const std::int64_t> flips, std::span<double> out,
                       const Context& ctx) {
  const auto n = static_cast<std::int64_t>(out.size());
  const auto size = static_cast<double>(machine.n_visible * machine.width);
  const std::int64_t width = machine.width;
  parallel_for(
      ctx, n_pieces(n, kScoreRows), kNsPerProduct * size * static_cast<double>(n),
      [&](std::int64_t task) {
        const RowRange rows{nullptr, task * kScoreRows, std::min((task + 1) * kScoreRows, n)};
        Buffer<T> z(2 * rows.size() * width);
        T* flipped = z.data() + rows.size() * width;
        std::visit(
            [&](const auto& view) {
              weigh_rows(machine, view, rows, z.data());
              for (std::int64_t i = 0; i < rows.size(); ++i) {
                const std::int64_t unit = flips[static_cast<std::size_t>(rows[i])];
                const T turn = T{1} - T{2} * entry(view, rows[i], unit);
                const T* weights = machine.weights + unit * width;
                for (std::int64_t j = 0; j < width; ++j)
                  flipped[i * width + j] = z[i * width + j] + turn * weights[j];
                out[static_cast<std::size_t>(rows[i])] =
                    -static_cast<double>(turn) * static_cast<double>(machine.visible_bias[unit]);
              }
            },
            X);
        GRAMIAN_DISPATCH(activate, Activation::softplus, z.data(), static_cast<T*>(nullptr),
                         2 * rows.size() * width);
        for (std::int64_t i = 0; i < rows.size(); ++i) {
          double& score = out[static_cast<std::size_t>(rows[i])];
          for (std::int64_t j = 0; j < machine.n_hidden; ++j)
            score -=
                static_cast<double>(flipped[i * width + j]) - static_cast<double>(z[i * width + j]);
          score = static_cast<double>(machine.n_visible) * log_logistic(score);
        }
      });
}

#define GRAMIAN_BOLTZMANN(T)                                                                   \
  template void take_contrastive_steps(const Machine<T>&, const Contrast<T>&, const Context&); \
  template void hidden_probabilities(const Machine<T>&, const Inputs<T>&, MatrixView<T>,       \
                                     const Context&);                                          \
  template void pseudo_likelihood(const Machine<T>&, const Inputs<T>&,                         \
                                  std::span<const std::int64_t>, std::span<double>,            \
                                  const Context&);
GRAMIAN_FOR_EACH_NUMBER(GRAMIAN_BOLTZMANN)

}  // namespace gramian::network
