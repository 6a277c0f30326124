#include "solve/glm/block_rows.hpp"

#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "linalg/block_design.hpp"
#include "solve/glm/dense_rows.hpp"

namespace gramian::solve {
namespace {

using linalg::BlockSums;
using linalg::part_of;

struct Squares {
  std::vector<double> values;

  Squares& operator+=(const Squares& next) {
    add_each(values, next.values);
    return *this;
  }
};

struct SeveralMoments {
  std::vector<linalg::AddedMoments> each;

  SeveralMoments& operator+=(const SeveralMoments& next) {
    for (std::size_t k = 0; k < each.size(); ++k) each[k] += next.each[k];
    return *this;
  }
};

class BlockRows final : public Rows {
 public:
  BlockRows(const RowBlocks& X, std::vector<double> shift) : X_(X), shift_(std::move(shift)) {}

  std::int64_t n_rows() const override { return X_.n_rows(); }
  std::int64_t n_features() const override { return X_.n_cols(); }
  std::span<const double> shift() const override { return shift_; }

  PassSums pass(std::span<const double> params, std::int64_t n_outputs, const OnBlock& on_block,
                const Context& ctx) const override {
    BlockSums<RawSums> sums(X_);
    for_blocks([&](std::int64_t first, const auto& rows) {
      const auto shifted = [&](const ScoreBlock& scores) {
        return on_block(
            {scores.begin + first, scores.end + first, scores.z, scores.ld, scores.values});
      };
      sums.add(first, rows.raw_pass(params, n_outputs, shifted, ctx));
    });
    return sums.total().about(shift_, n_outputs);
  }

  linalg::Moments moments(std::span<const double> d, const Context& ctx) const override {
    const MatrixView<const double> no_targets(nullptr, X_.n_rows(), 0);
    return linalg::design_of(X_, no_targets, d)->moments(shift_, {}, ctx);
  }

  std::vector<linalg::Moments> moments_of(std::int64_t count, const RowWeights& weights,
                                          const Context& ctx) const override {
    if (X_.is_elsewhere()) return Rows::moments_of(count, weights, ctx);
    BlockSums<SeveralMoments> sums(X_);
    for_blocks([&](std::int64_t first, const auto& rows) {
      SeveralMoments of_block;
      std::vector<double> d(at(rows.n_rows()));
      for (std::int64_t k = 0; k < count; ++k) {
        weights(k, first, first + rows.n_rows(), d.data());
        of_block.each.push_back({rows.moments(d, ctx)});
      }
      sums.add(first, std::move(of_block));
    });
    std::vector<linalg::Moments> out;
    for (auto& added : sums.total().each) out.push_back(std::move(added.moments));
    return out;
  }

  std::vector<double> squares(std::span<const double> d, const Context& ctx) const override {
    BlockSums<Squares> sums(X_);
    for_blocks([&](std::int64_t first, const auto& rows) {
      sums.add(first, {rows.squares(part_of(d, first, rows.n_rows()), ctx)});
    });
    return sums.total().values;
  }

  std::unique_ptr<Rows> sample(std::int64_t stride) const override {
    return X_.holds_doubles() ? gathered<double>(stride) : gathered<float>(stride);
  }

  std::unique_ptr<Rows> columns(std::span<const std::int64_t>, const Context&) const override {
    throw InvalidArgument("rows in blocks have no columns of their own");
  }

  const RowBlocks* elsewhere() const override { return X_.is_elsewhere() ? &X_ : nullptr; }

  double pass_ns(std::int64_t n_outputs) const override {
    return dense_pass_ns(n_rows(), n_features(), n_outputs);
  }
  double moments_ns() const override { return dense_moments_ns(n_rows(), n_features()); }

 private:
  template <class Use>
  void for_blocks(const Use& use) const {
    X_.pass([&](std::int64_t first, const AnyDense& rows) {
      std::visit([&]<class T>(MatrixView<const T> own) { use(first, DenseRows<T>(own, shift_)); },
                 rows);
      return true;
    });
  }

  template <class T>
  std::unique_ptr<Rows> gathered(std::int64_t stride) const {
    const std::int64_t p = X_.n_cols(), count = (X_.n_rows() + stride - 1) / stride;
    Buffer<T> kept(count * p);
    if (X_.is_elsewhere())
      bring(stride, kept);
    else
      read(stride, kept);
    const MatrixView<const T> view(kept.data(), count, p);
    return std::make_unique<DenseRows<T>>(view, shift_, std::move(kept));
  }

  template <class T>
  void read(std::int64_t stride, Buffer<T>& kept) const {
    const std::int64_t p = X_.n_cols();
    X_.pass([&](std::int64_t first, const AnyDense& rows) {
      const auto& own = std::get<MatrixView<const T>>(rows);
      const std::int64_t begin = (first + stride - 1) / stride;
      for (std::int64_t k = begin; k * stride < first + own.n_rows; ++k)
        for (std::int64_t j = 0; j < p; ++j) kept[k * p + j] = own(k * stride - first, j);
      return true;
    });
  }

  template <class T>
  void bring(std::int64_t stride, Buffer<T>& kept) const {
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = 0; i < X_.n_rows(); i += stride) numbers.push_back(i);
    X_.bring(numbers, [&](const AnyDense& rows) {
      const auto& own = std::get<MatrixView<const T>>(rows);
      for (std::int64_t k = 0; k < own.n_rows; ++k)
        for (std::int64_t j = 0; j < own.n_cols; ++j) kept[k * own.n_cols + j] = own(k, j);
    });
  }

  const RowBlocks& X_;
  std::vector<double> shift_;
};

}  // namespace

std::unique_ptr<Rows> rows_for_passes(const RowBlocks& X, std::span<const double> weight,
                                      bool centred) {
  std::vector<double> shift(at(X.n_cols()), 0.0);
  if (centred)
    linalg::design_of(X, MatrixView<const double>(nullptr, X.n_rows(), 0), weight)
        ->guess_means(shift, {});
  return std::make_unique<BlockRows>(X, std::move(shift));
}

}  // namespace gramian::solve
