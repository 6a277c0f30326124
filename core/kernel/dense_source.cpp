#include <algorithm>

#include "kernel/source.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::kernel {
namespace {

// The rows in panels of kPanelCols, padded with zeros: entry k of row i of panel v stands at
// panels[(v * n_features + k) * kPanelCols + i].
template <class T>
class DenseSource final : public Source<T> {
 public:
  static constexpr std::int64_t kCols = kPanelCols<T>;

  DenseSource(const Function& function, std::int64_t n_rows, std::int64_t n_features)
      : function_(function),
        n_rows_(n_rows),
        n_features_(n_features),
        panels_(Buffer<T>::zeros(padded(n_rows) * n_features)),
        norms_(Buffer<T>::zeros(padded(n_rows))) {}

  T& at(std::int64_t i, std::int64_t k) {
    return panels_[(i / kCols * n_features_ + k) * kCols + i % kCols];
  }
  const T& at(std::int64_t i, std::int64_t k) const {
    return panels_[(i / kCols * n_features_ + k) * kCols + i % kCols];
  }

  // Of the panels that hold the rows begin .. end, once these are set.
  void set_norms(std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; i += kCols)
      GRAMIAN_DISPATCH(kernel_norms, panels_.data() + i * n_features_, n_features_,
                       norms_.data() + i);
  }

  std::int64_t n_rows() const override { return n_rows_; }

  double entry_ns() const override {
    const double bytes = static_cast<double>(sizeof(T));
    double each = 0.006;
    if (function_.kind == Kind::laplacian) each = 0.015;
    if (function_.kind == Kind::chi2) each = 0.06;
    return bytes * (0.1 + each * static_cast<double>(n_features_));
  }

  void block(const Source<T>& of, std::span<const std::int64_t> which, std::int64_t begin,
             std::int64_t end, T* out, std::int64_t stride) const override {
    const auto& rows = static_cast<const DenseSource&>(of);
    Buffer<T> packed = Buffer<T>::zeros(kTileRows * n_features_);
    T norms[kTileRows] = {};
    const auto count = static_cast<std::int64_t>(which.size());
    for (std::int64_t first = 0; first < count; first += kTileRows) {
      const std::int64_t n = std::min<std::int64_t>(kTileRows, count - first);
      for (std::int64_t r = 0; r < n; ++r) {
        const std::int64_t i = which[static_cast<std::size_t>(first + r)];
        for (std::int64_t k = 0; k < n_features_; ++k) packed[r * n_features_ + k] = rows.at(i, k);
        norms[r] = rows.norms_[i];
      }
      const DenseTile<T> tile{function_,
                              packed.data(),
                              norms,
                              panels_.data() + begin * n_features_,
                              norms_.data() + begin,
                              n_features_,
                              (end - begin + kCols - 1) / kCols,
                              n,
                              out + first * stride,
                              stride};
      GRAMIAN_DISPATCH(kernel_tile, tile);
    }
  }

  std::unique_ptr<Source<T>> subset(std::span<const std::int64_t> kept) const override {
    const auto n = static_cast<std::int64_t>(kept.size());
    auto part = std::make_unique<DenseSource>(function_, n, n_features_);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t from = kept[static_cast<std::size_t>(i)];
      for (std::int64_t k = 0; k < n_features_; ++k) part->at(i, k) = at(from, k);
      part->norms_[i] = norms_[from];
    }
    return part;
  }

 private:
  Function function_;
  std::int64_t n_rows_;
  std::int64_t n_features_;
  Buffer<T> panels_;
  Buffer<T> norms_;
};

}  // namespace

template <class T, class S>
std::unique_ptr<Source<T>> dense_source(const Function& function, MatrixView<const S> X,
                                        std::span<const double> shift, const Context& ctx) {
  auto source = std::make_unique<DenseSource<T>>(function, X.n_rows, X.n_cols);
  if (X.n_cols == 0) return source;
  const std::int64_t n_tasks = (X.n_rows + kChunkCols - 1) / kChunkCols;  // whole panels each
  const double cost = 2.0 * static_cast<double>(X.n_rows) * static_cast<double>(X.n_cols);
  parallel_for(ctx, n_tasks, cost, [&](std::int64_t task) {
    const std::int64_t begin = task * kChunkCols;
    const std::int64_t end = std::min(X.n_rows, begin + kChunkCols);
    for (std::int64_t i = begin; i < end; ++i) {
      T* entry = &source->at(i, 0);
      if (function.kind == Kind::cosine) {
        const auto value = [&](std::int64_t k) { return static_cast<double>(X(i, k)); };
        const UnitLength unit(X.n_cols, value);
        for (std::int64_t k = 0; k < X.n_cols; ++k, entry += kPanelCols<T>)
          *entry = static_cast<T>(unit(value(k)));
        continue;
      }
      for (std::int64_t k = 0; k < X.n_cols; ++k, entry += kPanelCols<T>) {
        const double by = shift.empty() ? 0.0 : shift[static_cast<std::size_t>(k)];
        *entry = static_cast<T>(static_cast<double>(X(i, k)) - by);
      }
    }
    if (function.kind != Kind::cosine) source->set_norms(begin, end);
  });
  return source;
}

#define GRAMIAN_INSTANTIATE(T, S)                                                        \
  template std::unique_ptr<Source<T>> dense_source(const Function&, MatrixView<const S>, \
                                                   std::span<const double>, const Context&);
GRAMIAN_INSTANTIATE(float, float)
GRAMIAN_INSTANTIATE(float, double)
GRAMIAN_INSTANTIATE(double, float)
GRAMIAN_INSTANTIATE(double, double)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::kernel
