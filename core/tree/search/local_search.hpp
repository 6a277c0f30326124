// A search that copies the target and weight of a node's rows into small arrays of the node's own,
// and knows the rows by their number in the node.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/search/search.hpp"

namespace gramian::tree {

template <class Criterion>
class LocalSearch : public SearchBase {
 public:
  using Item = typename Criterion::Item;

  LocalSearch(const Columns& columns, const Target& target, Sample& sample, const Options& options,
              std::uint64_t seed)
      : SearchBase(columns, target, sample, options, seed) {}

  // `scratch` has the node's items and the criterion.
  template <class Scratch>
  void enter(const Node& node, Scratch& scratch) const {
    const auto rows = rows_of(node);
    if (scratch.items.size() < rows.size()) scratch.items.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) scratch.items[i] = items_[rows[i]];
    scratch.criterion.enter(scratch.items.data(), node.size(), own_number);
  }

  template <class Scratch>
  double impurity(const Node& node, const Scratch& scratch) const {
    return scratch.criterion.impurity(node.size(), own_number);
  }

 protected:
  // Must be called before enter() is.
  void make_items(const Sample& sample) { items_ = Criterion::items(target_, sample.weight); }

  static constexpr auto own_number = [](std::int64_t i) { return static_cast<std::uint32_t>(i); };

 private:
  std::vector<Item> items_;  // by row number
};

}  // namespace gramian::tree
