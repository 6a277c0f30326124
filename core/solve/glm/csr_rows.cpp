#include <algorithm>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/instantiate.hpp"
#include "linalg/centred_block.hpp"
#include "linalg/panels_kernel.hpp"
#include "linalg/sparse_pass.hpp"
#include "parallel/tiles.hpp"
#include "solve/glm/rows.hpp"

namespace gramian::solve {
namespace {

constexpr double kEntryNs = 1.5;

template <class T, class Index>
class CsrRows final : public Rows {
 public:
  struct Storage {
    std::vector<T> values;
    std::vector<Index> indices, indptr;
  };
  explicit CsrRows(CsrView<T, Index> X, std::shared_ptr<const Storage> owned = nullptr)
      : X_(X), shift_(at(X.n_cols), 0.0), owned_(std::move(owned)) {}

  std::int64_t n_rows() const override { return X_.n_rows(); }
  std::int64_t n_features() const override { return X_.n_cols; }
  std::span<const double> shift() const override { return shift_; }
  PassSums pass(std::span<const double> params, std::int64_t n_outputs, const OnBlock& on_block,
                const Context& ctx) const override;
  linalg::Moments moments(std::span<const double> d, const Context& ctx) const override {
    return linalg::CsrDesign<T, Index>(X_, MatrixView<const double>(nullptr, n_rows(), 0), d)
        .moments(shift_, {}, ctx);
  }
  std::vector<double> squares(std::span<const double> d, const Context& ctx) const override {
    return linalg::CsrDesign<T, Index>(X_, MatrixView<const double>(nullptr, n_rows(), 0), d)
        .squares_about(shift_, ctx);
  }
  std::unique_ptr<Rows> sample(std::int64_t stride) const override;
  std::unique_ptr<Rows> columns(std::span<const std::int64_t> kept,
                                const Context& ctx) const override;
  double pass_ns(std::int64_t n_outputs) const override {
    return kEntryNs * static_cast<double>(X_.n_stored()) *
           (0.5 + 0.5 * static_cast<double>(n_outputs));
  }
  double moments_ns() const override {
    const auto stored = static_cast<double>(X_.n_stored());
    const auto p = static_cast<double>(X_.n_cols);
    return stored *
               (0.5 * stored / static_cast<double>(std::max<std::int64_t>(n_rows(), 1)) + 2.0) +
           p * p;
  }

 private:
  CsrView<T, Index> X_;
  std::vector<double> shift_;
  std::shared_ptr<const Storage> owned_;  // what X_ refers to, if nobody else holds it
};

template <class T, class Index>
std::unique_ptr<Rows> CsrRows<T, Index>::sample(std::int64_t stride) const {
  auto owned = std::make_shared<Storage>();
  owned->indptr.push_back(0);
  for (std::int64_t i = 0; i < n_rows(); i += stride) {
    const auto row = X_.row(i);
    owned->values.insert(owned->values.end(), row.values.begin(), row.values.end());
    owned->indices.insert(owned->indices.end(), row.cols.begin(), row.cols.end());
    owned->indptr.push_back(static_cast<Index>(owned->values.size()));
  }
  const CsrView<T, Index> view{owned->values, owned->indices, owned->indptr, X_.n_cols};
  return std::make_unique<CsrRows>(view, std::move(owned));
}

template <class T, class Index>
std::unique_ptr<Rows> CsrRows<T, Index>::columns(std::span<const std::int64_t> kept,
                                                 const Context& ctx) const {
  std::vector<std::int64_t> place(at(X_.n_cols), -1);
  for (std::size_t k = 0; k < kept.size(); ++k) place[at(kept[k])] = static_cast<std::int64_t>(k);
  auto owned = std::make_shared<Storage>();
  owned->indptr.push_back(0);
  for (std::int64_t i = 0; i < n_rows(); ++i) {
    ctx.check();
    const auto row = X_.row(i);
    for (std::size_t e = 0; e < row.cols.size(); ++e) {
      const std::int64_t j = place[at(static_cast<std::int64_t>(row.cols[e]))];
      if (j < 0) continue;
      owned->values.push_back(row.values[e]);
      owned->indices.push_back(static_cast<Index>(j));
    }
    owned->indptr.push_back(static_cast<Index>(owned->values.size()));
  }
  const CsrView<T, Index> view{owned->values, owned->indices, owned->indptr,
                               static_cast<std::int64_t>(kept.size())};
  return std::make_unique<CsrRows>(view, std::move(owned));
}

// What OnBlock sums.
struct BlockSums {
  double value = 0.0;
  std::vector<double> values;
  void add(const BlockSums& next) {
    value += next.value;
    add_each(values, next.values);
  }
};

template <class T, class Index>
PassSums CsrRows<T, Index>::pass(std::span<const double> params, std::int64_t n_outputs,
                                 const OnBlock& on_block, const Context& ctx) const {
  const std::int64_t p = X_.n_cols;
  const std::int64_t ld = n_outputs == 1 ? 1 : n_panels(n_outputs) * kLanes;
  auto coef = Buffer<double>::zeros((p + 1) * ld);  // a column's coefficients side by side
  for (std::int64_t c = 0; c < n_outputs; ++c)
    for (std::int64_t j = 0; j <= p; ++j) coef[j * ld + c] = params[at(c * (p + 1) + j)];
  const auto total = linalg::SparsePass(X_, coef.data(), ld)
                         .sums(
                             BlockSums{0.0, std::vector<double>(at(ld))},
                             linalg::kPassesInSeries * pass_ns(n_outputs),
                             [&](std::int64_t begin, std::int64_t end, double* z, BlockSums& own) {
                               own.value += on_block({begin, end, z, ld, own.values.data()});
                             },
                             ctx);
  PassSums out{total.own.value, std::vector<double>(at(n_outputs * (p + 1))), total.own.values};
  for (std::int64_t c = 0; c < n_outputs; ++c)
    for (std::int64_t j = 0; j <= p; ++j)
      out.products[at(c * (p + 1) + j)] = total.products[j * ld + c];
  return out;
}

}  // namespace

template <class T, class Index>
std::unique_ptr<Rows> csr_rows(CsrView<T, Index> X) {
  return std::make_unique<CsrRows<T, Index>>(X);
}

#define GRAMIAN_INSTANTIATE(T, Index) template std::unique_ptr<Rows> csr_rows(CsrView<T, Index>);
GRAMIAN_FOR_EACH_SPARSE(GRAMIAN_INSTANTIATE)
#undef GRAMIAN_INSTANTIATE

std::unique_ptr<Rows> rows_for_passes(const AnyMatrix& X, std::span<const double> weight,
                                      bool centred) {
  return std::visit(
      [&]<class View>(const View& rows) {
        if constexpr (kIsSparse<View>)
          return csr_rows(rows);
        else
          return dense_rows(rows, weight, centred);
      },
      X);
}

}  // namespace gramian::solve
