// What native growing of trees is given: columns in the form that it needs, and how trees grow.
#pragma once

#include <string>

#include "bindings/binding.hpp"
#include "bindings/tree/grown_trees.hpp"
#include "tree/columns/columns.hpp"
#include "tree/format/grown_tree.hpp"
#include "tree/format/target.hpp"

namespace gramian {

// Criterion and limits, with the monotone constraints that tree::Options only points to.
class TreeOptions {
 public:
  TreeOptions(tree::Options options, OptionalVector<std::int8_t> monotone);

  const tree::Options& get() const { return options_; }
  TreeOptions(const TreeOptions&) = delete;
  TreeOptions& operator=(const TreeOptions&) = delete;

 private:
  std::vector<std::int8_t> monotone_;
  tree::Options options_;
};

// The columns of a matrix, which is kept alive, for trees grown with some options.
class TreeColumns {
 public:
  TreeColumns(InDense X, const OptionalVector<std::int32_t>& n_levels, const TreeOptions& options,
              std::int64_t n_trees, const Context& ctx);

  const tree::Columns& get() const { return *columns_; }
  std::int64_t n_rows() const { return columns_->n_rows(); }

  // Throws ValueError unless the columns are in a form that trees with these options can use.
  void require_for(const tree::Options& options) const;

 private:
  InDense X_;
  std::optional<tree::Columns> columns_;
};

// The criterion with this name; ValueError if there is none.
tree::CriterionKind criterion_of(std::string_view name);

// Throws ValueError unless labels or values, and the number of classes, fit so many rows.
void require_target(const tree::Target& target, std::int64_t n_rows);

// The arrays of the flat format by name.
nb::dict arrays_of(tree::GrownTrees&& trees, const tree::Columns& columns);

}  // namespace gramian
