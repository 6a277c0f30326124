#include "linalg/block_design.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "base/index.hpp"
#include "linalg/centred_block.hpp"
#include "linalg/row_guess.hpp"

namespace gramian::linalg {
namespace {

struct AddedGradient {
  Gradient gradient;

  AddedGradient& operator+=(const AddedGradient& next) {
    add_each(gradient.values, next.gradient.values);
    add_each(gradient.rss, next.gradient.rss);
    return *this;
  }
  template <class Use>
  void for_each_part(const Use& use) {
    use(std::span(gradient.values));
    use(std::span(gradient.rss));
  }
};

constexpr std::string_view kColumnSums = "column sums", kMoments = "moments",
                           kGradient = "gradient";

void append(std::vector<double>& numbers, std::span<const double> more) {
  numbers.insert(numbers.end(), more.begin(), more.end());
}

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
    const auto none = [&] { return AddedMoments{Moments(X_.n_cols(), Y_.n_cols)}; };
    const auto of_block = [&](std::int64_t first, const auto& own) {
      return AddedMoments{design_at(first, own).moments(shift_x, shift_y, ctx)};
    };
    std::vector<double> held;
    return sum_blocks(X_, asked(kMoments, {shift_x, shift_y}, held), none, of_block).moments;
  }

  Gradient gradient(const AffineMap& point, double* residuals, const Context& ctx) const override {
    if (residuals != nullptr) throw std::logic_error("rows in blocks keep their residuals");
    const auto none = [&] {
      const auto t = static_cast<std::size_t>(Y_.n_cols);
      return AddedGradient{{std::vector<double>(point.coef.size()), std::vector<double>(t)}};
    };
    const auto of_block = [&](std::int64_t first, const auto& own) {
      return AddedGradient{design_at(first, own).gradient(point, nullptr, ctx)};
    };
    std::vector<double> held;
    const RowSum sum = asked(kGradient, {point.coef, point.shift_x, point.shift_y}, held);
    return sum_blocks(X_, sum, none, of_block).gradient;
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
  template <class T>
  DenseDesign<T> design_at(std::int64_t first, MatrixView<const T> rows) const {
    return {rows, Y_.rows(first, first + rows.n_rows), part_of(weight_, first, rows.n_rows)};
  }

  // `held` keeps a copy of targets that are not stored row by row.
  RowSum asked(std::string_view what, std::initializer_list<std::span<const double>> point,
               std::vector<double>& held) const {
    RowSum sum{what, {}, {}};
    if (!X_.is_elsewhere()) return sum;
    for (const auto part : point) append(sum.point, part);
    std::span<const double> targets;
    if (Y_.n_cols > 0 && Y_.is_c_contiguous()) {
      targets = {Y_.data, at(Y_.n_rows * Y_.n_cols)};
    } else if (Y_.n_cols > 0) {
      for (std::int64_t i = 0; i < Y_.n_rows; ++i)
        for (std::int64_t c = 0; c < Y_.n_cols; ++c) held.push_back(Y_(i, c));
      targets = held;
    }
    sum.of_rows = {{targets, Y_.n_cols}, {weight_, 1}};
    return sum;
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

namespace {

std::int64_t first_that_counts(std::span<const double> weight) {
  const auto heavy = std::ranges::find_if(weight, [](double w) { return w > 0.0; });
  return weight.empty() ? 0 : heavy - weight.begin();
}

// Into `origin`, if the row is in the block.
bool take_origin(std::int64_t row, std::int64_t first, const AnyDense& rows,
                 std::vector<double>& origin) {
  if (row < first || row >= first + n_rows_of(rows)) return false;
  std::visit([&](const auto& own) { origin = row_of(own, row - first); }, rows);
  return true;
}

}  // namespace

BlockMeans::BlockMeans(std::int64_t n_cols, std::int64_t block_rows, std::span<const double> weight)
    : weight_(weight),
      origin_row_(first_that_counts(weight)),
      origin_(at(n_cols), 0.0),
      sums_(block_rows) {}

bool BlockMeans::add(std::int64_t first, const AnyDense& rows, const Context& ctx) {
  // The blocks before have no weight: any origin gives zeros.
  take_origin(origin_row_, first, rows, origin_);
  ColumnSums sums = std::visit(
      [&](const auto& own) {
        return column_sums(own, part_of(weight_, first, own.n_rows), origin_, ctx);
      },
      rows);
  const bool is_finite =
      std::ranges::all_of(sums.sum, [](double value) { return std::isfinite(value); });
  sums_.add(first, std::move(sums));
  return is_finite;
}

void BlockMeans::write(std::span<double> out) { sums_.total().means(origin_, out); }

void column_means(const RowBlocks& X, std::span<const double> weight, std::span<double> out,
                  const Context& ctx) {
  if (!X.is_elsewhere()) {
    BlockMeans means(X.n_cols(), X.block_rows(), weight);
    X.pass([&](std::int64_t first, const AnyDense& rows) {
      means.add(first, rows, ctx);
      return true;
    });
    return means.write(out);
  }
  std::vector<double> origin(out.size(), 0.0);
  const std::int64_t origin_row = first_that_counts(weight);
  if (origin_row < X.n_rows())
    X.pass([&](std::int64_t first, const AnyDense& rows) {
      return !take_origin(origin_row, first, rows, origin);
    });
  BlockSums<ColumnSums> sums(X);
  X.sums({kColumnSums, origin, {{weight, 1}}},
         [&](std::int64_t first, std::span<const double> found) {
           ColumnSums sum{0.0, std::vector<double>(at(padded(X.n_cols())))};
           unpack(found, sum);
           sums.add(first, std::move(sum));
         });
  sums.total().means(origin, out);
}

std::optional<std::vector<double>> design_sums(const RowSum& asked, const AnyDense& rows,
                                               const Context& ctx) {
  return std::visit(
      [&]<class T>(MatrixView<const T> X) -> std::optional<std::vector<double>> {
        const std::int64_t n = X.n_rows, p = X.n_cols;
        AskedNumbers numbers(asked);
        if (asked.what == kColumnSums)
          return packed(column_sums(X, numbers.of_rows(0, n), numbers.next(p), ctx));
        if (asked.what != kMoments && asked.what != kGradient) return std::nullopt;
        const auto targets = numbers.of_rows(0, n);
        const std::int64_t t = asked.of_rows[0].width;
        const MatrixView<const double> Y(targets.data(), n, targets.empty() ? 0 : t);
        const DenseDesign<T> design(X, Y, numbers.of_rows(1, n));
        const auto coef = numbers.next(asked.what == kGradient ? p * t : 0);
        const auto shift_x = numbers.next(p), shift_y = numbers.next(Y.n_cols);
        if (asked.what == kMoments)
          return packed(AddedMoments{design.moments(shift_x, shift_y, ctx)});
        return packed(AddedGradient{design.gradient({coef, shift_x, shift_y}, nullptr, ctx)});
      },
      rows);
}

}  // namespace gramian::linalg
