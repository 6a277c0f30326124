#include "linalg/block_design.hpp"

#include <algorithm>
#include <vector>

#include "linalg/row_guess.hpp"

namespace gramian::linalg {
namespace {

struct AddedMoments {
  Moments moments;

  AddedMoments& operator+=(const AddedMoments& next) {
    add_each(moments.gram, next.moments.gram);
    add_each(moments.cross, next.moments.cross);
    add_each(moments.sum_x, next.moments.sum_x);
    add_each(moments.sum_y, next.moments.sum_y);
    add_each(moments.yy, next.moments.yy);
    moments.weight += next.moments.weight;
    return *this;
  }
};

struct AddedGradient {
  Gradient gradient;

  AddedGradient& operator+=(const AddedGradient& next) {
    add_each(gradient.values, next.gradient.values);
    add_each(gradient.rss, next.gradient.rss);
    return *this;
  }
};

class BlockDesign final : public Design {
 public:
  BlockDesign(const RowBlocks& X, MatrixView<const double> Y, std::span<const double> weight)
      : X_(X), Y_(Y), weight_(weight) {}

  std::int64_t n_rows() const override { return X_.n_rows(); }
  std::int64_t n_features() const override { return X_.n_cols(); }
  std::int64_t n_targets() const override { return Y_.n_cols; }
  bool can_shift() const override { return true; }

  Moments moments(std::span<const double> shift_x, std::span<const double> shift_y,
                  const Context& ctx) const override {
    BlockSums<AddedMoments> sums(X_);
    for_designs([&](std::int64_t first, const Design& part) {
      sums.add(first, {part.moments(shift_x, shift_y, ctx)});
    });
    return sums.total().moments;
  }

  Gradient gradient(const AffineMap& at, double* residuals, const Context& ctx) const override {
    BlockSums<AddedGradient> sums(X_);
    for_designs([&](std::int64_t first, const Design& part) {
      double* own = residuals ? residuals + first * Y_.n_cols : nullptr;
      sums.add(first, {part.gradient(at, own, ctx)});
    });
    return sums.total().gradient;
  }

  void guess_means(std::span<double> mean_x, std::span<double> mean_y) const override {
    MeanGuess guess(mean_x, mean_y);
    X_.pass([&](std::int64_t first, const AnyDense& rows) {
      const std::int64_t n = n_rows_of(rows);
      return std::visit(
          [&](const auto& own) {
            return guess.add(own, Y_.rows(first, first + n), part_of(weight_, first, n));
          },
          rows);
    });
    guess.finish();
  }

 private:
  template <class Use>
  void for_designs(const Use& use) const {
    X_.pass([&](std::int64_t first, const AnyDense& rows) {
      const std::int64_t n = n_rows_of(rows);
      const auto own = [&](const auto& view) {
        use(first, DenseDesign(view, Y_.rows(first, first + n), part_of(weight_, first, n)));
      };
      std::visit(own, rows);
      return true;
    });
  }

  const RowBlocks& X_;
  MatrixView<const double> Y_;
  std::span<const double> weight_;
};

}  // namespace

std::unique_ptr<Design> design_of(const RowBlocks& X, MatrixView<const double> Y,
                                  std::span<const double> weight) {
  return std::make_unique<BlockDesign>(X, Y, weight);
}

void column_means(const RowBlocks& X, std::span<const double> weight, std::span<double> out,
                  const Context& ctx) {
  const auto heavy = std::ranges::find_if(weight, [](double w) { return w > 0.0; });
  const std::int64_t origin_row = weight.empty() ? 0 : heavy - weight.begin();
  std::vector<double> origin(out.size(), 0.0);
  BlockSums<ColumnSums> sums(X);
  X.pass([&](std::int64_t first, const AnyDense& rows) {
    const std::int64_t n = n_rows_of(rows);
    const auto of_block = [&](const auto& view) {
      // The blocks before have no weight: their sums are zero about any origin.
      if (first <= origin_row && origin_row < first + n) origin = row_of(view, origin_row - first);
      sums.add(first, column_sums(view, part_of(weight, first, n), origin, ctx));
    };
    std::visit(of_block, rows);
    return true;
  });
  sums.total().means(origin, out);
}

}  // namespace gramian::linalg
