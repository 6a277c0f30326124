#include "boost/grow/linear_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "boost/grow/linear_kernel.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"

namespace gramian::boost {
namespace {

constexpr std::int64_t kBlockRows = 512;
constexpr std::int64_t kTileRows = 1 << 15;  // of all leaves: one of thirty has some blocks of them
// A column of which the others leave less than this share of its variance is one of them.
constexpr double kLeastShare = 1e-10;
// A column that varies by less than this share of its mean is constant but for rounding.
constexpr double kLeastVariation = 1e-14;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::int64_t triangle(std::int64_t j, std::int64_t l) { return j * (j + 1) / 2 + l; }

// Sums over rows of a leaf about the weighted means of its columns.
struct Moments {
  double gradient = 0.0;
  double hessian = 0.0;
  std::vector<double> mean;
  std::vector<double> slope;     // sum of g (x_j - mean_j)
  std::vector<double> products;  // sum of h (x_j - mean_j) (x_l - mean_l), l <= j

  bool empty() const { return mean.empty(); }

  // Adds those of other rows (Chan, Golub and LeVeque, 1979).
  Moments& operator+=(const Moments& other) {
    if (other.empty()) return *this;
    if (empty()) return *this = other;
    const double total = hessian + other.hessian;
    const double share = total > 0.0 ? other.hessian / total : 0.0;
    const auto k = static_cast<std::int64_t>(mean.size());
    std::vector<double> step(at(k));
    for (std::int64_t j = 0; j < k; ++j) step[at(j)] = other.mean[at(j)] - mean[at(j)];
    for (std::int64_t j = 0; j < k; ++j) {
      for (std::int64_t l = 0; l <= j; ++l)
        products[at(triangle(j, l))] +=
            other.products[at(triangle(j, l))] + hessian * share * step[at(j)] * step[at(l)];
      slope[at(j)] +=
          other.slope[at(j)] + (other.gradient * (1.0 - share) - gradient * share) * step[at(j)];
      mean[at(j)] += share * step[at(j)];
    }
    gradient += other.gradient;
    hessian = total;
    return *this;
  }
};

// The rows of a block that have all columns, column after column.
class LeafBlock {
 public:
  explicit LeafBlock(std::span<const std::int32_t> columns)
      : columns_(columns),
        values_(static_cast<std::int64_t>(columns.size()) * kBlockRows),
        gradient_(kBlockRows),
        hessian_(kBlockRows),
        weighted_(kBlockRows),
        row_(columns.size()) {}

  template <class T>
  void read(const MatrixView<const T>& X, const GrowRows& target,
            std::span<const std::uint32_t> rows) {
    const auto n = static_cast<std::int64_t>(rows.size());
    stride_ = (n + kProductLanes - 1) / kProductLanes * kProductLanes;
    n_ = 0;
    for (const std::uint32_t row : rows) {
      double size = 0.0;
      for (std::size_t j = 0; j < row_.size(); ++j) {
        row_[j] = static_cast<double>(X(row, columns_[j]));
        size += row_[j];
      }
      if (!std::isfinite(size)) continue;
      for (std::size_t j = 0; j < row_.size(); ++j) column(j)[n_] = row_[j];
      const double w = target.weight.empty() ? 1.0 : target.weight[row];
      gradient_[n_] = w * static_cast<double>(target.gradient[row]);
      hessian_[n_] = target.hessian.empty() ? w : w * static_cast<double>(target.hessian[row]);
      ++n_;
    }
    for (std::size_t j = 0; j < row_.size(); ++j)
      std::fill(column(j) + n_, column(j) + stride_, 0.0);
    std::fill(gradient_.data() + n_, gradient_.data() + stride_, 0.0);
    std::fill(hessian_.data() + n_, hessian_.data() + stride_, 0.0);
  }

  // Centres the columns.
  Moments moments() {
    Moments out;
    if (n_ == 0) return out;
    const std::size_t k = row_.size();
    for (std::int64_t i = 0; i < n_; ++i) {
      out.gradient += gradient_[i];
      out.hessian += hessian_[i];
    }
    out.mean.resize(k);
    out.slope.resize(k);
    out.products.resize(k * (k + 1) / 2);
    ProductBlock block{values_.data(), static_cast<std::int64_t>(k), stride_, hessian_.data(),
                       weighted_.data()};
    GRAMIAN_DISPATCH(weighted_sums, block, out.mean.data());
    for (std::size_t j = 0; j < k; ++j) {
      out.mean[j] = out.hessian > 0.0 ? out.mean[j] / out.hessian : column(j)[0];
      for (std::int64_t i = 0; i < n_; ++i) column(j)[i] -= out.mean[j];
    }
    GRAMIAN_DISPATCH(weighted_products, block, out.products.data());
    block.weight = gradient_.data();
    GRAMIAN_DISPATCH(weighted_sums, block, out.slope.data());
    return out;
  }

 private:
  double* column(std::size_t j) { return values_.data() + static_cast<std::int64_t>(j) * stride_; }

  std::span<const std::int32_t> columns_;
  Buffer<double> values_, gradient_, hessian_, weighted_;
  std::vector<double> row_;
  std::int64_t stride_ = 0;  // of a column: the rows that were read, and some more
  std::int64_t n_ = 0;
};

Moments moments_of(const AnyDense& X, const GrowRows& target, std::span<const std::int32_t> columns,
                   std::span<const std::uint32_t> rows) {
  Moments out;
  LeafBlock block(columns);
  const Tiles blocks = Tiles::of_rows(static_cast<std::int64_t>(rows.size()), kBlockRows);
  for (std::int64_t b = 0; b < blocks.count(); ++b) {
    const auto part = rows.subspan(at(blocks.begin(b)), at(blocks.end(b) - blocks.begin(b)));
    std::visit([&](const auto& view) { block.read(view, target, part); }, X);
    out += block.moments();
  }
  return out;
}

// The slopes, by Cholesky's method; zero for columns that the ones before determine.
std::vector<double> solve(const Moments& sums, double lambda) {
  const auto k = static_cast<std::int64_t>(sums.mean.size());
  std::vector<double> root(sums.products.size()), slopes(at(k));
  const double ridge = 1.0 + lambda / sums.hessian;
  for (std::int64_t j = 0; j < k; ++j) {
    const auto row = [&](std::int64_t l) -> double& { return root[at(triangle(j, l))]; };
    const double size = ridge * sums.products[at(triangle(j, j))];
    double left = size, target = -sums.slope[at(j)];
    for (std::int64_t l = 0; l < j; ++l) {
      const double pivot = root[at(triangle(l, l))];
      if (pivot == 0.0) continue;
      double product = sums.products[at(triangle(j, l))];
      for (std::int64_t m = 0; m < l; ++m) product -= row(m) * root[at(triangle(l, m))];
      row(l) = product / pivot;
      left -= row(l) * row(l);
      target -= row(l) * slopes[at(l)];
    }
    const double rounding = kLeastVariation * sums.mean[at(j)];
    if (!(left > std::max(kLeastShare * size, sums.hessian * rounding * rounding))) {
      std::fill_n(root.begin() + triangle(j, 0), j, 0.0);
      continue;
    }
    row(j) = std::sqrt(left);
    slopes[at(j)] = target / row(j);
  }
  for (std::int64_t j = k - 1; j >= 0; --j) {
    const double pivot = root[at(triangle(j, j))];
    if (pivot == 0.0) continue;
    for (std::int64_t l = j + 1; l < k; ++l)
      slopes[at(j)] -= root[at(triangle(l, j))] * slopes[at(l)];
    slopes[at(j)] /= pivot;
  }
  return slopes;
}

struct LeafModel {
  double intercept = 0.0;
  std::vector<double> slopes;  // empty: none
};

LeafModel model_of(const Moments& sums, double lambda, const TreeOptions& options) {
  if (sums.empty() || !(sums.hessian > 0.0)) return {};
  LeafModel model{options.learning_rate * newton_step(sums.gradient, sums.hessian, options),
                  solve(sums, lambda)};
  for (std::size_t j = 0; j < model.slopes.size(); ++j) {
    model.slopes[j] *= options.learning_rate;
    model.intercept -= model.slopes[j] * sums.mean[j];
  }
  return std::isfinite(model.intercept) ? model : LeafModel{};
}

tree::LinearLeaves joined(std::span<const LeafModel> models,
                          std::span<const std::vector<std::int32_t>> columns) {
  tree::LinearLeaves out;
  for (std::size_t leaf = 0; leaf < models.size(); ++leaf) {
    const auto& slopes = models[leaf].slopes;
    for (std::size_t j = 0; j < slopes.size(); ++j) {
      if (slopes[j] == 0.0) continue;
      out.column.push_back(columns[leaf][j]);
      out.coefficient.push_back(slopes[j]);
    }
    out.offsets.push_back(static_cast<std::int64_t>(out.column.size()));
    out.intercept.push_back(models[leaf].intercept);
  }
  out.lower.assign(models.size(), -kInfinity);
  out.upper.assign(models.size(), kInfinity);
  return out;
}

// The rows of one leaf in one tile.
struct Task {
  std::int64_t leaf, tile;
  std::span<const std::uint32_t> rows;
};

std::vector<Task> tasks_of(const TreeGrower& grower,
                           std::span<const std::vector<std::int32_t>> columns) {
  std::vector<Task> tasks;
  for (std::int64_t leaf = 0; leaf < grower.n_leaves(); ++leaf) {
    if (columns[at(leaf)].empty()) continue;
    auto rows = std::span<const std::uint32_t>(grower.leaf_rows(leaf));  // ascending
    while (!rows.empty()) {
      const std::int64_t tile = rows.front() / kTileRows;
      const auto end = std::partition_point(
          rows.begin(), rows.end(), [=](std::uint32_t row) { return row / kTileRows == tile; });
      tasks.push_back({leaf, tile, rows.first(at(end - rows.begin()))});
      rows = rows.subspan(at(end - rows.begin()));
    }
  }
  return tasks;
}

void set_bounds(std::span<const Task> tasks, const AnyDense& X, const BoostedTree& tree,
                tree::LinearLeaves& linear, double cost, const Context& ctx) {
  struct Range {
    double least = kInfinity, largest = -kInfinity;
  };
  std::vector<Range> ranges(tasks.size());
  parallel_for(ctx, static_cast<std::int64_t>(tasks.size()), cost, [&](std::int64_t t) {
    const auto [leaf, tile, rows] = tasks[at(t)];
    Range& range = ranges[at(t)];
    const auto look = [&](const auto& view) {
      for (const std::uint32_t row : rows) {
        const double given = linear.at(leaf, tree.leaf(leaf).value, view, row);
        range = {std::min(range.least, given), std::max(range.largest, given)};
      }
    };
    std::visit(look, X);
  });
  std::vector<Range> of_leaf(at(linear.n_leaves()));
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    Range& range = of_leaf[at(tasks[t].leaf)];
    range = {std::min(range.least, ranges[t].least), std::max(range.largest, ranges[t].largest)};
  }
  for (const Task& task : tasks) {
    linear.lower[at(task.leaf)] = of_leaf[at(task.leaf)].least;
    linear.upper[at(task.leaf)] = of_leaf[at(task.leaf)].largest;
  }
}

}  // namespace

void fit_linear_leaves(const TreeGrower& grower, const GrowRows& target, const AnyDense& X,
                       const LinearOptions& options, BoostedTree& tree, const Context& ctx) {
  const std::vector<std::vector<std::int32_t>> columns = tree.path_columns(grower.bins());
  const std::vector<Task> tasks = tasks_of(grower, columns);
  double n_values = 0.0, n_products = 0.0;
  for (const Task& task : tasks) {
    const auto k = static_cast<double>(columns[at(task.leaf)].size());
    n_values += k * static_cast<double>(task.rows.size());
    n_products += 0.5 * k * k * static_cast<double>(task.rows.size());
  }
  std::vector<Moments> sums(tasks.size());
  const double cost = 3.0 * n_values + 0.4 * n_products;
  parallel_for(ctx, static_cast<std::int64_t>(tasks.size()), cost, [&](std::int64_t t) {
    const auto [leaf, tile, rows] = tasks[at(t)];
    sums[at(t)] = moments_of(X, target, columns[at(leaf)], rows);
  });
  std::vector<TreeSums<Moments>> of_leaf(columns.size());
  for (std::size_t t = 0; t < tasks.size(); ++t)
    of_leaf[at(tasks[t].leaf)].add(tasks[t].tile, std::move(sums[t]));
  std::vector<LeafModel> models(columns.size());
  for (std::size_t leaf = 0; leaf < models.size(); ++leaf) {
    ctx.check();
    models[leaf] = model_of(of_leaf[leaf].total(), options.lambda, grower.options());
  }
  tree::LinearLeaves linear = joined(models, columns);
  if (options.is_bounded) set_bounds(tasks, X, tree, linear, 2.0 * n_values, ctx);
  tree.set_linear(std::move(linear));
}

}  // namespace gramian::boost
