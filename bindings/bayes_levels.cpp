// Naive Bayes on codes of levels: shapes checked, GIL released, results written into arrays that
// Python allocated.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <algorithm>
#include <optional>
#include <string>

#include "bayes/levels.hpp"
#include "bindings/arrays.hpp"
#include "bindings/bayes.hpp"
#include "bindings/gil.hpp"

using namespace nanobind::literals;

namespace gramian {
namespace {

bayes::LevelRows level_rows(const InMatrix<std::int32_t>& codes,
                            const InVector<std::int64_t>& first, std::int64_t n_levels) {
  const bayes::LevelRows rows{matrix(codes), vec(first)};
  require(std::ssize(rows.first) == rows.codes.n_cols + 1 && rows.first.front() == 0 &&
              rows.first.back() == n_levels && std::ranges::is_sorted(rows.first),
          "first must say where the levels of each column begin, and how many there are");
  return rows;
}

void level_counts(const InMatrix<std::int32_t>& codes, const InVector<std::int64_t>& first,
                  const InVector<std::int64_t>& classes,
                  const std::optional<InVector<double>>& weight, const OutMatrix<double>& counts,
                  const Context& ctx) {
  const auto out = matrix(counts);
  const auto rows = level_rows(codes, first, out.n_rows);
  require(out.n_rows == 0 || out.is_c_contiguous(), "counts must be C-contiguous");
  require_rows(classes, weight, rows.codes.n_rows);
  const ReleasedGil nogil;
  bayes::level_counts(rows, vec(classes), or_empty(weight), out, ctx);
}

void level_answers(const InMatrix<std::int32_t>& codes, const InVector<std::int64_t>& first,
                   const InMatrix<double>& table, const InVector<double>& constant,
                   const InVector<double>& log_prior, const std::string& answer,
                   const OutAnswers& out, const Context& ctx) {
  const auto terms = matrix(table);
  const auto rows = level_rows(codes, first, terms.n_rows);
  require(
      (terms.n_rows == 0 || terms.is_c_contiguous()) && std::ssize(vec(constant)) == terms.n_cols,
      "table must be n_levels x n_classes, C-contiguous");
  const auto asked = asked_of<double>(answer, vec(log_prior), out, rows.codes.n_rows, terms.n_cols);
  const ReleasedGil nogil;
  bayes::level_answers(rows, terms, vec(constant), asked, ctx);
}

}  // namespace

void bind_bayes_levels(nb::module_& m) {
  m.def("level_counts", &level_counts, "codes"_a.noconvert(), "first"_a.noconvert(),
        "classes"_a.noconvert(), "weight"_a.noconvert().none(), nb::kw_only(),
        "counts"_a.noconvert(), "ctx"_a, "Weight of the rows of each class with each level.");
  m.def("level_answers", &level_answers, "codes"_a.noconvert(), "first"_a.noconvert(),
        "table"_a.noconvert(), "constant"_a.noconvert(), "log_prior"_a.noconvert(), nb::kw_only(),
        "answer"_a, "out"_a.noconvert(), "ctx"_a,
        "Answers about classes with a table of log-probabilities of the levels of columns.");
}

}  // namespace gramian
