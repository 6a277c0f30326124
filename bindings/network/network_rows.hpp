// The rows that a network is trained on, as Python hands them over.
#pragma once

#include <concepts>
#include <optional>
#include <utility>
#include <variant>

#include "bindings/binding.hpp"
#include "network/training.hpp"

namespace gramian {

template <class T>
network::Inputs<T> inputs_of(const AnyMatrix& X) {
  return std::visit(
      []<class View>(const View& view) -> network::Inputs<T> {
        if constexpr (std::same_as<typename View::Number, T>)
          return view;
        else
          throw nb::type_error("X must have the dtype of the network");
      },
      X);
}

// Rows to train on, with what keeps their memory alive.
class NetworkRows {
 public:
  NetworkRows(InRows X, std::optional<InDense> values, std::optional<InVector<std::int32_t>> codes,
              OptionalVector<double> weight)
      : X_(std::move(X)),
        values_(std::move(values)),
        codes_(std::move(codes)),
        weight_(std::move(weight)),
        view_(X_.contiguous_rows()) {
    require(values_.has_value() != codes_.has_value(), "targets are either numbers or codes");
    require_entries(n_rows(), "codes and weight must have one entry per row", weight_);
    if (codes_) require_entries(n_rows(), "one code per row", *codes_);
  }

  std::int64_t n_rows() const { return n_rows_of(view_); }

  template <class T>
  network::TrainingRows<T> rows(const network::Design& design,
                                const OptionalVector<std::int64_t>& order) const {
    network::TrainingRows<T> out;
    out.X = inputs_of<T>(view_);
    require(n_cols_of(view_) == design.n_inputs(), "X must have the columns of the network");
    require(!design.embeds() || !std::holds_alternative<MatrixView<const T>>(out.X),
            "embeddings are of sparse rows");
    const bool has_codes = design.output == network::Activation::softmax;
    require(has_codes == codes_.has_value(), "codes are for softmax outputs, numbers for others");
    if (codes_) {
      out.targets.codes = vec(*codes_);
      for (const std::int32_t code : out.targets.codes)
        require(code >= 0 && code < design.n_outputs(), "codes must be those of the outputs");
    } else {
      const auto values =
          alternative<MatrixView<const T>>(values_->view(), "targets must have the dtype of X");
      require(values.n_rows == n_rows() && values.n_cols == design.n_outputs(),
              "targets must be n_rows x n_outputs");
      out.targets.values = values;
    }
    out.targets.weight = or_empty(weight_);
    out.order = or_empty(order);
    for (const std::int64_t row : out.order)
      require(row >= 0 && row < n_rows(), "the order must name rows");
    out.n_rows = order ? static_cast<std::int64_t>(out.order.size()) : n_rows();
    require(out.n_rows >= 1, "a network needs rows");
    return out;
  }

 private:
  InRows X_;
  std::optional<InDense> values_;
  std::optional<InVector<std::int32_t>> codes_;
  OptionalVector<double> weight_;
  AnyMatrix view_;
};

}  // namespace gramian
