// Rows without columns: the scores are given ones plus a constant for each output.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "linalg/panels_kernel.hpp"
#include "parallel/tiles.hpp"
#include "solve/glm/row_sums.hpp"
#include "solve/glm/rows.hpp"

namespace gramian::solve {

class OffsetRows final : public Rows {
 public:
  // `scores` is n x outputs.
  OffsetRows(std::vector<double> scores, std::int64_t n_outputs)
      : scores_(std::move(scores)), n_outputs_(n_outputs) {}

  std::int64_t n_rows() const override {
    return static_cast<std::int64_t>(scores_.size()) / n_outputs_;
  }
  std::int64_t n_features() const override { return 0; }
  std::span<const double> shift() const override { return {}; }
  PassSums pass(std::span<const double> params, std::int64_t n_outputs, const OnBlock& on_block,
                const Context& ctx) const override {
    const std::int64_t ld = n_outputs == 1 ? 1 : n_panels(n_outputs) * kLanes;
    const auto of_tile = [&](std::int64_t first, std::int64_t last) {
      PassSums partial{0.0, std::vector<double>(params.size()), std::vector<double>(params.size())};
      std::vector<double> z(static_cast<std::size_t>(kBlockRows * ld));
      for (std::int64_t begin = first; begin < last; begin += kBlockRows) {
        const std::int64_t end = std::min<std::int64_t>(begin + kBlockRows, last);
        for (std::int64_t i = begin; i < end; ++i) {
          const double* given = scores_.data() + i * n_outputs_;
          // Fewer outputs are differences from the last class.
          const double base = n_outputs < n_outputs_ ? given[n_outputs] : 0.0;
          for (std::int64_t c = 0; c < n_outputs; ++c)
            z[static_cast<std::size_t>((i - begin) * ld + c)] =
                (given[c] - base) + params[static_cast<std::size_t>(c)];
        }
        partial.value += on_block({begin, end, z.data(), ld, partial.values.data()});
        for (std::int64_t i = begin; i < end; ++i)
          for (std::int64_t c = 0; c < n_outputs; ++c)
            partial.products[static_cast<std::size_t>(c)] +=
                z[static_cast<std::size_t>((i - begin) * ld + c)];
      }
      return partial;
    };
    const auto combine = [](PassSums& total, const PassSums& next) {
      total.value += next.value;
      for (std::size_t c = 0; c < total.products.size(); ++c) {
        total.products[c] += next.products[c];
        total.values[c] += next.values[c];
      }
    };
    return parallel_reduce(ctx, Tiles::of_rows(n_rows(), kFoldRows), pass_ns(n_outputs), of_tile,
                           combine);
  }
  linalg::Moments moments(std::span<const double> d, const Context& ctx) const override {
    linalg::Moments out(0, 0);
    out.weight = sum_rows<1>(
        n_rows(), [&](std::size_t i, std::array<double, 1>& sum) { sum[0] += d[i]; }, ctx)[0];
    return out;
  }
  std::vector<double> squares(std::span<const double>, const Context&) const override { return {}; }
  std::unique_ptr<Rows> sample(std::int64_t stride) const override {
    std::vector<double> kept;
    for (std::int64_t i = 0; i < n_rows(); i += stride) {
      const auto row = scores_.begin() + i * n_outputs_;
      kept.insert(kept.end(), row, row + n_outputs_);
    }
    return std::make_unique<OffsetRows>(std::move(kept), n_outputs_);
  }
  std::unique_ptr<Rows> columns(std::span<const std::int64_t>, const Context&) const override {
    return std::make_unique<OffsetRows>(scores_, n_outputs_);
  }
  double pass_ns(std::int64_t n_outputs) const override {
    return 4.0 * static_cast<double>(n_rows() * n_outputs);
  }
  double moments_ns() const override { return static_cast<double>(n_rows()); }

 private:
  std::vector<double> scores_;
  std::int64_t n_outputs_;
};

}  // namespace gramian::solve
