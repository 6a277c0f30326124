#include "tree/search/node_values.hpp"

#include <type_traits>

#include "tree/search/search.hpp"

namespace gramian::tree {

NodeValues::NodeValues(const Columns& columns, bool may_read_rows, std::int64_t max_features,
                       const Context& ctx)
    : columns_(columns),
      reads_rows_(columns.is_single() ? take_table<float>(may_read_rows, max_features)
                                      : take_table<double>(may_read_rows, max_features)) {
  if (!reads_rows_) columns.make_columns(ctx);
}

template <class T>
bool NodeValues::take_table(bool may_read_rows, std::int64_t max_features) {
  auto& table = std::get<RowTable<T>>(tables_);
  table = columns_.row_table<T>();
  return may_read_rows && RowCuts<T>::pays(table, max_features);
}

// Calls function(value_of) to read values by row number. In a node of few rows each value of a
// column has a line of the cache to itself: the values of a row, side by side, share it with the
// columns that the node and those below it look at.
template <class T, class Function>
void NodeValues::visit(std::size_t n_rows, std::int64_t feature, const Function& function) const {
  constexpr std::int64_t kLine = 64 / sizeof(T);
  const auto n = static_cast<std::int64_t>(n_rows);
  const RowTable<T>& own = table<T>();
  if (reads_rows_ || (own.values != nullptr && n * kLine < own.n_rows))
    return function([from = own.values + feature, stride = own.row_stride](std::uint32_t row) {
      return from[row * stride];
    });
  const T* values = nullptr;
  if constexpr (std::is_same_v<T, float>)
    values = columns_.singles(feature).data();
  else
    values = columns_.doubles(feature).data();
  function([values](std::uint32_t row) { return values[row]; });
}

void NodeValues::read(std::span<const std::uint32_t> rows, std::int64_t feature,
                      float* values) const {
  visit<float>(rows.size(), feature, [&](const auto& value_of) {
    for (std::size_t i = 0; i < rows.size(); ++i) values[i] = value_of(rows[i]);
  });
}

void NodeValues::read(std::span<const std::uint32_t> rows, std::int64_t feature,
                      double* values) const {
  visit<double>(rows.size(), feature, [&](const auto& value_of) {
    for (std::size_t i = 0; i < rows.size(); ++i) values[i] = value_of(rows[i]);
  });
}

template <class T>
void NodeValues::part_as(const Split& split, std::span<std::uint32_t> rows,
                         std::vector<std::uint32_t>& scratch) const {
  visit<T>(rows.size(), split.feature, [&](const auto& value_of) {
    if (split.is_categorical() || split.saw_missing)
      return part_stably(
          rows, [&](std::uint32_t row) { return !value_goes_left(split, value_of(row)); }, scratch);
    part_stably(
        rows,
        [&value_of, threshold = split.threshold](std::uint32_t row) {
          return static_cast<double>(value_of(row)) > threshold;
        },
        scratch);
  });
}

void NodeValues::part(const Split& split, std::span<std::uint32_t> rows,
                      std::vector<std::uint32_t>& scratch) const {
  columns_.is_single() ? part_as<float>(split, rows, scratch)
                       : part_as<double>(split, rows, scratch);
}

}  // namespace gramian::tree
