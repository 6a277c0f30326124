// Dense moments: Gram matrices by tiles, with the products of the columns and the targets.
#include <algorithm>
#include <cmath>

#include "base/instantiate.hpp"
#include "linalg/gram_tiles.hpp"
#include "linalg/moments.hpp"
#include "linalg/panels_kernel.hpp"
#include "parallel/tiles.hpp"

namespace gramian::linalg {
namespace {

// Blocks of [Y - b, 1] times the square root of the weights, packed like the columns of X. With the
// column of ones the narrow product X' [Y, 1] gives the sums of the columns too.
class Targets {
 public:
  Targets(MatrixView<const double> Y, std::span<const double> shift,
          std::span<const double> root_weight)
      : Y_(Y), shift_(shift), root_weight_(root_weight), n_cols_((Y.n_cols + 2) / 2 * 2) {}

  std::int64_t n_cols() const { return n_cols_; }  // targets and ones, filled up to an even number

  void pack(std::int64_t begin, std::int64_t end, double* panels) const {
    for (std::int64_t i = begin; i < end; ++i) {
      const double scale = root_weight_.empty() ? 1.0 : root_weight_[static_cast<std::size_t>(i)];
      for (std::int64_t c = 0; c < Y_.n_cols; ++c)
        at(panels, i - begin, c) = scale * (Y_(i, c) - shift_[static_cast<std::size_t>(c)]);
      at(panels, i - begin, Y_.n_cols) = scale;
      for (std::int64_t c = Y_.n_cols + 1; c < n_cols_; ++c) at(panels, i - begin, c) = 0.0;
    }
  }

  static double& at(double* panels, std::int64_t row, std::int64_t col) {
    return panels[(col / kLanes) * kPanelStride + row * kLanes + col % kLanes];
  }

 private:
  MatrixView<const double> Y_;
  std::span<const double> shift_;
  std::span<const double> root_weight_;
  std::int64_t n_cols_;
};

}  // namespace

TargetMoments target_moments(MatrixView<const double> Y, std::span<const double> shift,
                             std::span<const double> weight, const Context& ctx) {
  constexpr double kEntryNs = 1.0;
  const auto of_tile = [&](std::int64_t begin, std::int64_t end) {
    TargetMoments out{0.0, std::vector<double>(shift.size()), std::vector<double>(shift.size())};
    for (std::int64_t i = begin; i < end; ++i) {
      const double w = weight.empty() ? 1.0 : weight[static_cast<std::size_t>(i)];
      out.weight += w;
      for (std::int64_t c = 0; c < Y.n_cols; ++c) {
        const auto k = static_cast<std::size_t>(c);
        const double y = Y(i, c) - shift[k];
        out.sum[k] += w * y;
        out.squares[k] += w * y * y;
      }
    }
    return out;
  };
  const auto combine = [](TargetMoments& total, const TargetMoments& next) {
    total.weight += next.weight;
    add_each(total.sum, next.sum);
    add_each(total.squares, next.squares);
  };
  const double cost_ns = kEntryNs * static_cast<double>(Y.n_rows * (Y.n_cols + 1));
  return parallel_reduce(ctx, Tiles::of_rows(Y.n_rows, 8192), cost_ns, of_tile, combine);
}

void Moments::set_targets(TargetMoments&& targets) {
  weight = targets.weight;
  sum_y = std::move(targets.sum);
  yy = std::move(targets.squares);
}

Moments::Moments(std::int64_t n_features, std::int64_t n_targets)
    : p(n_features),
      t(n_targets),
      gram(n_features * n_features),
      cross(n_features * n_targets),
      sum_x(static_cast<std::size_t>(n_features)),
      sum_y(static_cast<std::size_t>(n_targets)),
      yy(static_cast<std::size_t>(n_targets)) {}

template <class T>
DenseDesign<T>::DenseDesign(MatrixView<const T> X, MatrixView<const double> Y,
                            std::span<const double> weight)
    : X_(X), Y_(Y), weight_(weight), root_weight_(weight.begin(), weight.end()) {
  for (double& w : root_weight_) w = std::sqrt(w);
}

template <class T>
Moments DenseDesign<T>::moments(std::span<const double> shift_x, std::span<const double> shift_y,
                                const Context& ctx) const {
  const std::int64_t p = X_.n_cols;
  const std::int64_t t = Y_.n_cols;
  Moments out(p, t);
  const GramPlan plan(X_.n_rows, p, ctx);
  const Targets targets(Y_, shift_y, root_weight_);
  std::vector<double> padded_shift(static_cast<std::size_t>(padded(p)), 0.0);
  std::copy(shift_x.begin(), shift_x.end(), padded_shift.begin());

  const auto pack = [&](const GramBlock& block, double* panels) {
    auto source = source_of(X_, block);
    source.col_shift = padded_shift.data() + block.first_col;
    if (!root_weight_.empty()) source.row_scale = root_weight_.data() + block.begin;
    GRAMIAN_DISPATCH(pack_panels, source, panels);
  };
  const auto add_targets = [&](const GramBlock& block, const double* panels, double* narrow) {
    Buffer<double> packed(n_panels(targets.n_cols()) * kPanelStride);
    targets.pack(block.begin, block.end, packed.data());
    GRAMIAN_DISPATCH(add_narrow_product, panels, n_panels(block.n_cols), packed.data(),
                     targets.n_cols(), block.end - block.begin, narrow, padded(block.n_cols));
  };
  const auto finish = [&](const GramPlan::Tile& tile, const double* narrow) {
    for (std::int64_t j = 0; j < tile.ni; ++j) {
      const double* sums = narrow + j;  // column c of the narrow product is padded(ni) further on
      for (std::int64_t c = 0; c < t; ++c)
        out.cross[(tile.i + j) * t + c] = sums[c * padded(tile.ni)];
      out.sum_x[static_cast<std::size_t>(tile.i + j)] = sums[t * padded(tile.ni)];
    }
  };
  multiply_tiles(plan, targets.n_cols(), pack, add_targets, finish, out.gram.data(), ctx);
  out.set_targets(target_moments(Y_, shift_y, weight_, ctx));
  return out;
}

template <class T>
void centred_gram(MatrixView<const T> Z, std::span<const double> row_shift, double* out,
                  const Context& ctx) {
  const GramPlan plan(Z.n_rows, Z.n_cols, ctx);
  const auto pack = [&](const GramBlock& block, double* panels) {
    auto source = source_of(Z, block);
    source.row_shift = row_shift.data() + block.begin;
    GRAMIAN_DISPATCH(pack_panels, source, panels);
  };
  const auto no_targets = [](const GramBlock&, const double*, double*) {};
  const auto no_finish = [](const GramPlan::Tile&, const double*) {};
  multiply_tiles(plan, 0, pack, no_targets, no_finish, out, ctx);
}

#define GRAMIAN_INSTANTIATE(T)                                                               \
  template DenseDesign<T>::DenseDesign(MatrixView<const T>, MatrixView<const double>,        \
                                       std::span<const double>);                             \
  template Moments DenseDesign<T>::moments(std::span<const double>, std::span<const double>, \
                                           const Context&) const;                            \
  template void centred_gram(MatrixView<const T>, std::span<const double>, double*, const Context&);
GRAMIAN_FOR_EACH_NUMBER(GRAMIAN_INSTANTIATE)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::linalg
