#include "mixture/components.hpp"

#include <cmath>
#include <numbers>

#include "base/instantiate.hpp"

namespace gramian::mixture {
namespace {

constexpr double kRootHalf = 1.0 / std::numbers::sqrt2;

}  // namespace

Components::Components(Form form, MatrixView<const double> mean, std::span<const double> factor,
                       std::span<const double> constant)
    : form_(form), mean_(mean), constant_(constant), shift_(Buffer<double>::zeros(mean.n_cols)) {
  for (std::int64_t j = 0; j < p(); ++j) {
    for (std::int64_t c = 0; c < k(); ++c) shift_[j] += mean_(c, j);
    shift_[j] /= static_cast<double>(k());
  }
  if (form == Form::full) full_ = std::make_unique<bayes::NormalClasses>(mean, factor, constant);
  if (form == Form::tied) set_tied(factor);
  if (form == Form::diagonal) set_diagonal(factor);
}

// With y = F (x - shift) the components are spheres around F (mean_c - shift).
void Components::set_tied(std::span<const double> factor) {
  const MatrixView<const double> origin(shift_.data(), 1, p());
  full_ = std::make_unique<bayes::NormalClasses>(origin, factor, std::span<const double>{});
  scale_ = Buffer<double>(k() * p());
  offset_ = Buffer<double>(k() * p());
  for (std::int64_t c = 0; c < k(); ++c)
    for (std::int64_t m = 0; m < p(); ++m) {
      double along = 0.0;
      for (std::int64_t j = 0; j <= m; ++j)
        along += factor[static_cast<std::size_t>(m * p() + j)] * (shift_[j] - mean_(c, j));
      scale_[c * p() + m] = kRootHalf;
      offset_[c * p() + m] = along * kRootHalf;
    }
}

void Components::set_diagonal(std::span<const double> factor) {
  scale_ = Buffer<double>(k() * p());
  offset_ = Buffer<double>(k() * p());
  for (std::int64_t c = 0; c < k(); ++c)
    for (std::int64_t j = 0; j < p(); ++j) {
      const double scale = factor[static_cast<std::size_t>(c * p() + j)] * kRootHalf;
      scale_[c * p() + j] = scale;
      offset_[c * p() + j] = (shift_[j] - mean_(c, j)) * scale;
    }
}

GaussianClasses Components::diagonal() const {
  const double* shift = form_ == Form::tied ? nullptr : shift_.data();
  return {shift, scale_.data(), offset_.data(), constant_.data(), k()};
}

template <class T>
ComponentReader<T>::ComponentReader(const Components& components)
    : components_(&components),
      block_(components.form() == Form::diagonal ? 0 : JointBlock::kMostRows * components.p()),
      mapped_(components.form() == Form::diagonal ? 0 : JointBlock::kMostRows * components.p()),
      scratch_(JointBlock::kMostRows * kJointColsAtOnce) {}

template <class T>
bool ComponentReader<T>::operator()(const T* data, std::int64_t row_stride, std::int64_t n,
                                    double* joint) {
  const std::int64_t p = components_->p();
  const DenseRows<T> rows{data, row_stride, 1, n, p};
  if (components_->form() == Form::full)
    return bayes::normal_joint(rows, components_->full(), block_.data(), mapped_.data(), joint);
  if (components_->form() == Form::diagonal)
    return GRAMIAN_DISPATCH(gaussian_joint, rows, components_->diagonal(), scratch_.data(), joint);
  const bayes::NormalClasses& map = components_->map();
  GRAMIAN_DISPATCH(read_block, rows, block_.data());
  GRAMIAN_DISPATCH(shift_block, block_.data(), map.mean(0), p, n, block_.data());
  GRAMIAN_DISPATCH(times_factor, block_.data(), map.packed(0), p, n, mapped_.data());
  const DenseRows<double> mapped{mapped_.data(), 1, JointBlock::kMostRows, n, p};
  return GRAMIAN_DISPATCH(gaussian_joint, mapped, components_->diagonal(), scratch_.data(), joint);
}

#define GRAMIAN_INSTANTIATE(T) template class ComponentReader<T>;
GRAMIAN_FOR_EACH_NUMBER(GRAMIAN_INSTANTIATE)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::mixture
