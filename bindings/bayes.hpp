// What the bindings of naive Bayes share: classes of rows, and where answers go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "bayes/posterior.hpp"
#include "bindings/any_matrix.hpp"
#include "bindings/arrays.hpp"

namespace gramian {

using OutAnswers = std::variant<OutMatrix<double>, OutMatrix<float>, OutVector<std::int64_t>>;

inline void require_rows(const InVector<std::int64_t>& codes,
                         const std::optional<InVector<double>>& weight, std::int64_t n) {
  require(static_cast<std::int64_t>(codes.shape(0)) == n, "codes must have one entry per row of X");
  require(!weight || static_cast<std::int64_t>(weight->shape(0)) == n,
          "weight must have one entry per row of X");
}

inline Answer answer_named(const std::string& name) {
  if (name == "joint") return Answer::joint;
  if (name == "log_probability") return Answer::log_probability;
  if (name == "probability") return Answer::probability;
  require(name == "label", "answer must be 'joint', 'log_probability', 'probability' or 'label'");
  return Answer::label;
}

template <class T>
bayes::Asked<T> asked_of(const std::string& name, std::span<const double> log_prior,
                         const OutAnswers& out, std::int64_t n, std::int64_t k) {
  require(k > 0 && std::ssize(log_prior) == k, "constant and log_prior must have as many entries");
  bayes::Asked<T> asked{answer_named(name), log_prior, {}, nullptr};
  if (asked.answer == Answer::label) {
    const auto labels = vec(alternative<OutVector<std::int64_t>>(out, "out must hold labels"));
    require(std::ssize(labels) == n, "out must have one entry per row of X");
    asked.labels = labels.data();
    return asked;
  }
  asked.rows = matrix(alternative<OutMatrix<T>>(out, "out must hold the numbers of the answer"));
  require(asked.rows.is_c_contiguous() && asked.rows.n_rows == n && asked.rows.n_cols == k,
          "out must be n_rows x n_classes, C-contiguous");
  return asked;
}

}  // namespace gramian
