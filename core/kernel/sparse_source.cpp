#include <algorithm>

#include "kernel/source.hpp"

namespace gramian::kernel {
namespace {

template <class T>
class SparseSource final : public Source<T> {
 public:
  static constexpr std::int64_t kLanes = kPanelCols<T>;

  SparseSource(const Function& function, std::int64_t n_features)
      : function_(function), n_features_(n_features), indptr_{0} {}

  template <class S, class Index>
  void add(std::span<const S> values, std::span<const Index> cols) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      values_.push_back(static_cast<T>(values[k]));
      indices_.push_back(static_cast<std::int32_t>(cols[k]));
    }
    indptr_.push_back(static_cast<std::int64_t>(values_.size()));
    norms_.push_back(norm_of_last());
  }

  // The row added last, brought to length 1.
  void scale_last() {
    const auto begin = static_cast<std::size_t>(indptr_[indptr_.size() - 2]);
    T* row = values_.data() + begin;
    const auto n = static_cast<std::int64_t>(values_.size() - begin);
    const UnitLength unit(n, [&](std::int64_t k) { return static_cast<double>(row[k]); });
    for (std::int64_t k = 0; k < n; ++k) row[k] = static_cast<T>(unit(static_cast<double>(row[k])));
  }

  std::int64_t n_rows() const override { return static_cast<std::int64_t>(norms_.size()); }

  double entry_ns() const override {
    const double stored = static_cast<double>(values_.size());
    const double per_row = stored / static_cast<double>(std::max<std::size_t>(norms_.size(), 1));
    const double each = function_.kind == Kind::chi2 ? 10.0 : 1.0;
    return (2.0 + each * per_row) / static_cast<double>(kLanes);
  }

  void block(const Source<T>& of, std::span<const std::int64_t> which, std::int64_t begin,
             std::int64_t end, T* out, std::int64_t stride) const override {
    const auto& rows = static_cast<const SparseSource&>(of);
    // Zero between uses: only what a batch of rows wrote is cleared.
    static thread_local std::vector<T> scattered;
    const auto needed = static_cast<std::size_t>(n_features_ * kLanes);
    if (scattered.size() < needed) scattered.resize(needed);
    Buffer<T> tile((end - begin) * kLanes);
    const auto count = static_cast<std::int64_t>(which.size());
    for (std::int64_t first = 0; first < count; first += kLanes) {
      const std::int64_t n = std::min(kLanes, count - first);
      T norms[kLanes] = {};
      for (std::int64_t r = 0; r < n; ++r)
        norms[r] = rows.scatter(which[static_cast<std::size_t>(first + r)], r, scattered, false);
      const auto col = static_cast<std::size_t>(begin);
      const SparseTile<T> part{function_,           scattered.data(), norms,
                               values_.data(),      indices_.data(),  indptr_.data() + col,
                               norms_.data() + col, end - begin,      tile.data()};
      GRAMIAN_DISPATCH(kernel_tile, part);
      for (std::int64_t r = 0; r < n; ++r) {
        T* row = out + (first + r) * stride;
        for (std::int64_t c = 0; c < end - begin; ++c) row[c] = tile[c * kLanes + r];
        rows.scatter(which[static_cast<std::size_t>(first + r)], r, scattered, true);
      }
    }
  }

  std::unique_ptr<Source<T>> subset(std::span<const std::int64_t> kept) const override {
    auto part = std::make_unique<SparseSource>(function_, n_features_);
    for (const std::int64_t i : kept) {
      const auto at = static_cast<std::size_t>(i);
      const auto begin = static_cast<std::size_t>(indptr_[at]);
      const auto n = static_cast<std::size_t>(indptr_[at + 1]) - begin;
      part->add(std::span<const T>(values_).subspan(begin, n),
                std::span<const std::int32_t>(indices_).subspan(begin, n));
    }
    return part;
  }

 private:
  T norm_of_last() const {
    const bool is_absolute = function_.kind == Kind::laplacian || function_.kind == Kind::chi2;
    T norm{0};
    for (auto k = static_cast<std::size_t>(indptr_[indptr_.size() - 2]); k < values_.size(); ++k) {
      const T x = values_[k];
      if (is_absolute)
        norm += std::abs(x);
      else if constexpr (sizeof(T) == sizeof(float))
        norm = __builtin_fmaf(x, x, norm);
      else
        norm = __builtin_fma(x, x, norm);
    }
    return norm;
  }

  // Writes row i, or zeros in its places, into lane r; returns its squared norm.
  T scatter(std::int64_t i, std::int64_t r, std::vector<T>& out, bool clear) const {
    const auto at = static_cast<std::size_t>(i);
    for (auto k = static_cast<std::size_t>(indptr_[at]);
         k < static_cast<std::size_t>(indptr_[at + 1]); ++k)
      out[static_cast<std::size_t>(indices_[k] * kLanes + r)] = clear ? T{0} : values_[k];
    return norms_[at];
  }

  Function function_;
  std::int64_t n_features_;
  std::vector<T> values_;
  std::vector<std::int32_t> indices_;
  std::vector<std::int64_t> indptr_;
  std::vector<T> norms_;
};

}  // namespace

template <class T, class S, class Index>
std::unique_ptr<Source<T>> sparse_source(const Function& function, const CsrView<S, Index>& X,
                                         const Context& ctx) {
  auto source = std::make_unique<SparseSource<T>>(function, X.n_cols);
  for (std::int64_t i = 0; i < X.n_rows(); ++i) {
    ctx.check();
    const auto row = X.row(i);
    source->add(row.values, row.cols);
    if (function.kind == Kind::cosine) source->scale_last();
  }
  return source;
}

#define GRAMIAN_INSTANTIATE(T, S, Index)                                                       \
  template std::unique_ptr<Source<T>> sparse_source(const Function&, const CsrView<S, Index>&, \
                                                    const Context&);
GRAMIAN_INSTANTIATE(float, float, std::int32_t)
GRAMIAN_INSTANTIATE(float, float, std::int64_t)
GRAMIAN_INSTANTIATE(float, double, std::int32_t)
GRAMIAN_INSTANTIATE(float, double, std::int64_t)
GRAMIAN_INSTANTIATE(double, float, std::int32_t)
GRAMIAN_INSTANTIATE(double, float, std::int64_t)
GRAMIAN_INSTANTIATE(double, double, std::int32_t)
GRAMIAN_INSTANTIATE(double, double, std::int64_t)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::kernel
