// Ordered target statistics of categorical columns. Shapes and codes checked, GIL released.
#include "boost/objective/target_statistics.hpp"

#include "bindings/binding.hpp"
#include "bindings/tree/grown_trees.hpp"

namespace gramian {
namespace {

using Codes = InVector<std::int32_t>;
using Order = InVector<std::uint32_t>;

void require_codes(std::span<const std::int32_t> codes, std::int32_t n_levels) {
  const auto fits = [&](std::int32_t code) { return code >= 0 && code <= n_levels; };
  require(n_levels >= 0 && std::all_of(codes.begin(), codes.end(), fits),
          "codes must be from 0 to the number of levels");
}

boost::LevelRows level_rows(const InMatrix<std::int32_t>& codes, const Codes& n_levels,
                            const InVector<double>& target, const OptionalVector<double>& weight,
                            const Order& order) {
  const std::size_t n = codes.shape(1);
  const boost::LevelRows rows{matrix(codes), vec(n_levels), vec(target), or_empty(weight)};
  require(rows.codes.is_c_contiguous(), "codes must be in C order");
  require_entries(codes.shape(0), "n_levels must have one entry per column", n_levels);
  require_entries(n, "target and weight must have one entry per row", target, weight);
  for (std::int64_t column = 0; column < rows.n_columns(); ++column)
    require_codes(rows.codes.row(column), rows.n_levels[static_cast<std::size_t>(column)]);
  for (const std::uint32_t row : vec(order))
    require(row < n, "order must name rows below their number");
  return rows;
}

boost::Smoothing smoothing_of(double prior, double strength) {
  require(strength > 0.0, "strength must be above 0");
  return {prior, strength};
}

template <class T>
void ordered_statistics(const InMatrix<std::int32_t>& codes, const Codes& n_levels,
                        const InVector<double>& target, const OptionalVector<double>& weight,
                        const Order& order, double prior, double strength, const OutMatrix<T>& out,
                        const Context& ctx) {
  const auto rows = level_rows(codes, n_levels, target, weight, order);
  const auto smoothing = smoothing_of(prior, strength);
  const MatrixView<T> statistics = matrix(out);
  require(has_shape(codes.shape(0), codes.shape(1), out) && statistics.has_contiguous_rows(),
          "out must be of the shape of codes, its rows contiguous");
  const ReleasedGil nogil;
  boost::ordered_statistics<T>(rows, vec(order), smoothing, statistics, ctx);
}

nb::object ordered_errors(const InMatrix<std::int32_t>& codes, const Codes& n_levels,
                          const InVector<double>& target, const OptionalVector<double>& weight,
                          const Order& order, double prior, double strength, const Context& ctx) {
  const auto rows = level_rows(codes, n_levels, target, weight, order);
  const auto smoothing = smoothing_of(prior, strength);
  return owned(
      without_gil([&] { return boost::ordered_errors(rows, vec(order), smoothing, ctx); }));
}

void require_pairs(const Codes& first, const Codes& second, std::int32_t n_first,
                   std::int32_t n_second) {
  require(first.shape(0) == second.shape(0), "both columns must have the same rows");
  require_codes(vec(first), n_first);
  require_codes(vec(second), n_second);
}

template <class T>
void bind_statistics(nb::module_& m) {
  m.def("boost_ordered_statistics", &ordered_statistics<T>, "codes"_a, nb::kw_only(), "n_levels"_a,
        "target"_a, "weight"_a, "order"_a, "prior"_a, "strength"_a, "out"_a, "ctx"_a,
        "Write the ordered target statistics of columns x rows.");
}

void bind_pairs(nb::module_& m) {
  m.def(
      "boost_pair_keys",
      [](const Codes& first, const Codes& second, std::int32_t n_first, std::int32_t n_second) {
        require_pairs(first, second, n_first, n_second);
        return owned(boost::pair_keys(vec(first), vec(second), n_first, n_second));
      },
      "first"_a, "second"_a, "n_first"_a, "n_second"_a,
      "The pairs of levels that occur, as ascending keys.");
  m.def(
      "boost_pair_codes",
      [](const Codes& first, const Codes& second, std::int32_t n_first, std::int32_t n_second,
         const InVector<std::int64_t>& keys, const OutVector<std::int32_t>& out) {
        require_pairs(first, second, n_first, n_second);
        require(out.shape(0) == first.shape(0), "out must have one entry per row");
        require(keys.shape(0) < INT32_MAX, "there are too many keys");
        boost::pair_codes(vec(first), vec(second), n_second, vec(keys), vec(out));
      },
      "first"_a, "second"_a, "n_first"_a, "n_second"_a, "keys"_a, "out"_a,
      "Write the place of each row's pair among the keys, their number for any other.");
}

}  // namespace

void bind_target_statistics(nb::module_& m) {
  m.def(
      "boost_random_order",
      [](std::int64_t n, std::uint64_t seed) {
        require(n >= 0 && n < INT32_MAX, "n must be below 2^31");
        return owned(boost::random_order(n, seed));
      },
      "n"_a, "seed"_a, "Row numbers in a random order.");
  bind_statistics<float>(m);
  bind_statistics<double>(m);
  m.def("boost_ordered_errors", &ordered_errors, "codes"_a, nb::kw_only(), "n_levels"_a, "target"_a,
        "weight"_a, "order"_a, "prior"_a, "strength"_a, "ctx"_a,
        "How far the target is from the statistics of each column, as a sum of squares.");
  bind_pairs(m);
}

}  // namespace gramian
