#include "mixture/em.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/index.hpp"
#include "base/instantiate.hpp"
#include "linalg/centred_block.hpp"
#include "linalg/chosen_panels_kernel.hpp"
#include "linalg/class_moments_kernel.hpp"
#include "linalg/panels_kernel.hpp"
#include "mixture/responsibilities_kernel.hpp"
#include "parallel/tiles.hpp"

namespace gramian::mixture {
namespace {

using linalg::padded;

constexpr std::int64_t kMostRows = JointBlock::kMostRows;
constexpr std::int64_t kJoints = kBlockRows / kMostRows;  // blocks of log-densities to one of sums
constexpr double kLeastPart = 0x1p-100;

// The sums of a tile; scatter matrices column-major with whole panels, lower half.
struct Sums {
  Sums(Form form, std::int64_t k, std::int64_t p)
      : weight(Buffer<double>::zeros(k)),
        sum(Buffer<double>::zeros(k * padded(p))),
        scatter(Buffer<double>::zeros(form == Form::tied       ? 0
                                      : form == Form::diagonal ? k * padded(p)
                                                               : k * padded(p) * padded(p))) {}

  void add(const Sums& next) {
    add_each(weight, next.weight);
    add_each(sum, next.sum);
    add_each(scatter, next.scatter);
    figures.likelihood += next.figures.likelihood;
    figures.entropy += next.figures.entropy;
    figures.is_finite = figures.is_finite && next.figures.is_finite;
  }

  Buffer<double> weight, sum, scatter;
  StepFigures figures;
};

// Rows of a block, adjacent in memory: those of X, or a copy of columns that lie apart.
template <class T>
class AdjacentRows {
 public:
  explicit AdjacentRows(MatrixView<const T> X)
      : X_(X), copy_(X.has_contiguous_rows() ? 0 : kBlockRows * X.n_cols) {}

  void read(std::int64_t begin, std::int64_t end) {
    data_ = X_.data + begin * X_.row_stride;
    if (copy_.size() == 0) return;
    for (std::int64_t j = 0; j < X_.n_cols; ++j)
      for (std::int64_t i = begin; i < end; ++i) copy_[(i - begin) * X_.n_cols + j] = X_(i, j);
    data_ = copy_.data();
  }
  const T* row(std::int64_t i) const { return data_ + i * stride(); }
  std::int64_t stride() const { return copy_.size() == 0 ? X_.row_stride : X_.n_cols; }

 private:
  MatrixView<const T> X_;
  Buffer<T> copy_;
  const T* data_ = nullptr;
};

// What the step does with blocks of rows.
template <class T>
class BlockStep {
 public:
  BlockStep(MatrixView<const T> X, std::span<const double> weight, const Components& components,
            const double* padded_mean, Sums& sums)
      : p_(X.n_cols),
        weight_(weight),
        components_(components),
        mean_(padded_mean),
        sums_(sums),
        rows_(X),
        reader_(components),
        joint_(Buffer<double>::zeros(kJoints * components.k() * kMostRows)),
        panels_(components.form() == Form::full ? n_panels(p_) * kPanelStride : 0) {}

  void read(std::int64_t begin, std::int64_t end) {
    begin_ = begin;
    n_ = end - begin;
    rows_.read(begin, end);
  }

  // The parts of the components in the rows of the block.
  void share() {
    double evidence[kMostRows], entropy[kMostRows];
    for (std::int64_t first = 0; first < n_; first += kMostRows) {
      const std::int64_t n = std::min(n_ - first, kMostRows);
      const JointBlock block{joint(first / kMostRows), n, components_.k(), nullptr};
      const bool is_finite = reader_(rows_.row(first), rows_.stride(), n, block.joint);
      sums_.figures.is_finite = sums_.figures.is_finite && is_finite;
      GRAMIAN_DISPATCH(share_rows, block, evidence, entropy);
      for (std::int64_t i = 0; i < n; ++i) {
        sums_.figures.likelihood += weight_of(first + i) * evidence[i];
        sums_.figures.entropy += weight_of(first + i) * entropy[i];
      }
    }
  }

  void take(MatrixView<const double> parts) {
    for (std::int64_t i = 0; i < n_; ++i)
      for (std::int64_t c = 0; c < components_.k(); ++c)
        joint(i / kMostRows)[c * kMostRows + i % kMostRows] = parts(begin_ + i, c);
  }

  void add() {
    for (std::int64_t c = 0; c < components_.k(); ++c) {
      choose(c);
      if (n_chosen_ == 0) continue;
      if (components_.form() == Form::full)
        add_scatter(c);
      else
        add_squares(c);
    }
  }

 private:
  double* joint(std::int64_t block) { return joint_.data() + block * components_.k() * kMostRows; }
  double weight_of(std::int64_t i) const { return weight_.empty() ? 1.0 : weight_[at(begin_ + i)]; }

  // Lists the rows in which component c has a part, and adds these up.
  void choose(std::int64_t c) {
    for (std::int64_t first = 0; first < n_; first += kMostRows) {
      const double* own = joint(first / kMostRows) + c * kMostRows;
      std::copy_n(own, std::min(n_ - first, kMostRows), part_ + first);
    }
    if (!weight_.empty())
      for (std::int64_t i = 0; i < n_; ++i) part_[i] *= weight_[at(begin_ + i)];
    double total = 0.0;
    std::int64_t n_chosen = 0;
    for (std::int64_t i = 0; i < n_; ++i) {
      chosen_[n_chosen] = static_cast<std::int32_t>(i);
      n_chosen += part_[i] > kLeastPart ? 1 : 0;
      total += part_[i];
    }
    n_chosen_ = n_chosen;
    sums_.weight[c] += total;
  }

  void add_scatter(std::int64_t c) {
    const std::int64_t ld = padded(p_);
    for (std::int64_t i = 0; i < n_chosen_; ++i) {
      root_[chosen_[i]] = std::sqrt(part_[chosen_[i]]);
      chosen_root_[i] = root_[chosen_[i]];
    }
    const ChosenSource<T> source{rows_.row(0), rows_.stride(), 1,  p_,      chosen_,
                                 n_chosen_,    mean_ + c * ld, ld, nullptr, root_};
    GRAMIAN_DISPATCH(pack_chosen, source, panels_.data());
    GRAMIAN_DISPATCH(add_gram, panels_.data(), n_panels(p_), n_chosen_,
                     sums_.scatter.data() + c * ld * ld, ld);
    GRAMIAN_DISPATCH(add_transposed_times_vector, panels_.data(), n_panels(p_), n_chosen_,
                     chosen_root_, sums_.sum.data() + c * ld);
  }

  void add_squares(std::int64_t c) {
    const std::int64_t ld = padded(p_);
    double* squares =
        components_.form() == Form::diagonal ? sums_.scatter.data() + c * ld : nullptr;
    const ChosenRows<T> chosen{rows_.row(0), rows_.stride(), kLanes, p_,
                               chosen_,      n_chosen_,      part_,  0};
    GRAMIAN_DISPATCH(add_class_sums, chosen, mean_ + c * ld, sums_.sum.data() + c * ld, squares);
  }

  std::int64_t p_;
  std::span<const double> weight_;
  const Components& components_;
  const double* mean_;
  Sums& sums_;
  AdjacentRows<T> rows_;
  ComponentReader<T> reader_;
  Buffer<double> joint_, panels_;
  std::int64_t begin_ = 0, n_ = 0, n_chosen_ = 0;
  std::int32_t chosen_[kBlockRows + 1];
  double part_[kBlockRows], root_[kBlockRows], chosen_root_[kBlockRows];
};

double row_cost_ns(const Components& components) {
  const auto k = static_cast<double>(components.k()), p = static_cast<double>(components.p());
  return k * (3.0 + p * (0.4 + (components.form() == Form::full ? p / 15.0 : 0.0)));
}

// Tiles of so many rows that the sums of one cost little beside them.
Tiles tiles_of(std::int64_t n, const Components& components) {
  const std::int64_t rows = components.form() == Form::full ? 64 * components.p() : 2048;
  return Tiles::of_rows(n, tile_size(rows, 2048, 8192));
}

template <class T, class OfBlock>
StepFigures sum_blocks(MatrixView<const T> X, std::span<const double> weight,
                       const Components& components, const StepSums& out, const Context& ctx,
                       const OfBlock& of_block) {
  const std::int64_t k = components.k(), p = components.p(), ld = padded(p);
  auto mean = Buffer<double>::zeros(k * ld);
  for (std::int64_t c = 0; c < k; ++c)
    for (std::int64_t j = 0; j < p; ++j) mean[c * ld + j] = components.mean()(c, j);
  const auto of_tile = [&](std::int64_t first, std::int64_t last) {
    Sums sums(components.form(), k, p);
    BlockStep<T> block(X, weight, components, mean.data(), sums);
    for (std::int64_t begin = first; begin < last; begin += kBlockRows) {
      ctx.check();
      block.read(begin, std::min<std::int64_t>(begin + kBlockRows, last));
      of_block(block);
      block.add();
    }
    return sums;
  };
  const double cost_ns = static_cast<double>(X.n_rows) * row_cost_ns(components);
  const Sums total = parallel_reduce(ctx, tiles_of(X.n_rows, components), cost_ns, of_tile,
                                     [](Sums& sums, const Sums& next) { sums.add(next); });
  for (std::int64_t c = 0; c < k; ++c) {
    out.weight[at(c)] = total.weight[c];
    for (std::int64_t j = 0; j < p; ++j) out.sum(c, j) = total.sum[c * ld + j];
    if (components.form() == Form::diagonal)
      std::copy_n(total.scatter.data() + c * ld, p, out.scatter.data() + c * p);
    if (components.form() != Form::full) continue;
    for (std::int64_t j = 0; j < p; ++j)
      for (std::int64_t i = j; i < p; ++i) {
        const double entry = total.scatter[c * ld * ld + j * ld + i];
        out.scatter[at((c * p + i) * p + j)] = entry;
        out.scatter[at((c * p + j) * p + i)] = entry;
      }
  }
  return total.figures;
}

// Reads blocks of rows of any layout for answers about each of them.
template <class T>
struct AnyReader {
  AnyReader(MatrixView<const T> X, const Components& components) : rows(X), reader(components) {}

  bool operator()(std::int64_t begin, std::int64_t end, double* joint) {
    rows.read(begin, end);
    return reader(rows.row(0), rows.stride(), end - begin, joint);
  }

  AdjacentRows<T> rows;
  ComponentReader<T> reader;
};

}  // namespace

template <class T>
StepFigures step(MatrixView<const T> X, std::span<const double> weight,
                 const Components& components, const StepSums& out, const Context& ctx) {
  return sum_blocks(X, weight, components, out, ctx, [](BlockStep<T>& block) { block.share(); });
}

template <class T>
void sum_parts(MatrixView<const T> X, std::span<const double> weight,
               MatrixView<const double> parts, const Components& components, const StepSums& out,
               const Context& ctx) {
  sum_blocks(X, weight, components, out, ctx, [&](BlockStep<T>& block) { block.take(parts); });
}

template <class T>
bool evidence(MatrixView<const T> X, const Components& components, std::span<double> out,
              const Context& ctx) {
  constexpr std::int64_t kTaskRows = 2048;
  const Chunks chunks = Chunks::of_rows(X.n_rows, kTaskRows);
  const double cost_ns = static_cast<double>(X.n_rows) * row_cost_ns(components);
  std::atomic<bool> all_finite = true;
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t task) {
    AnyReader<T> reader(X, components);
    auto joint = Buffer<double>::zeros(components.k() * kMostRows);
    double found[kMostRows];
    for (std::int64_t begin = chunks.begin(task); begin < chunks.end(task); begin += kMostRows) {
      ctx.check();
      const std::int64_t end = std::min(begin + kMostRows, chunks.end(task));
      if (!reader(begin, end, joint.data())) all_finite.store(false, std::memory_order_relaxed);
      const JointBlock block{joint.data(), end - begin, components.k(), nullptr};
      GRAMIAN_DISPATCH(sum_evidence, block, found);
      std::copy_n(found, end - begin, out.data() + begin);
    }
  });
  return all_finite;
}

template <class T>
bool answers(MatrixView<const T> X, const Components& components, const bayes::Asked<double>& asked,
             const Context& ctx) {
  std::atomic<bool> all_finite = true;
  const auto make_reader = [&] {
    return [&, reader = AnyReader<T>(X, components)](std::int64_t begin, std::int64_t end,
                                                     double* joint) mutable {
      if (!reader(begin, end, joint)) all_finite.store(false, std::memory_order_relaxed);
    };
  };
  const double cost_ns = static_cast<double>(X.n_rows) * row_cost_ns(components);
  bayes::answer_rows(X.n_rows, asked, cost_ns, ctx, make_reader);
  return all_finite;
}

#define GRAMIAN_INSTANTIATE(T)                                                                    \
  template StepFigures step(MatrixView<const T>, std::span<const double>, const Components&,      \
                            const StepSums&, const Context&);                                     \
  template void sum_parts(MatrixView<const T>, std::span<const double>, MatrixView<const double>, \
                          const Components&, const StepSums&, const Context&);                    \
  template bool evidence(MatrixView<const T>, const Components&, std::span<double>,               \
                         const Context&);                                                         \
  template bool answers(MatrixView<const T>, const Components&, const bayes::Asked<double>&,      \
                        const Context&);
GRAMIAN_FOR_EACH_NUMBER(GRAMIAN_INSTANTIATE)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::mixture
