// Growing one tree with a given criterion, by the search that its columns' form asks for.
#pragma once

#include <type_traits>

#include "tree/grow/grow.hpp"
#include "tree/grow/grower.hpp"
#include "tree/grow/node_search.hpp"
#include "tree/search/node_sorted.hpp"
#include "tree/search/presorted.hpp"
#include "tree/search/random_cuts.hpp"

namespace gramian::tree {

template <class Search, class Criterion>
void grow_by(TreeTask& task, const Criterion& criterion, GrownTrees& out) {
  Search search(task.columns, task.target, task.sample, task.options, task.seed, task.ctx);
  task.sample = {};  // the search has what it needs of it
  NodeSearchBy<Search, Criterion> node_search(search, criterion);
  grow_nodes(node_search, task.ctx, out);
  if (task.rows_by_leaf != nullptr) *task.rows_by_leaf = search.take_rows();
}

template <class Criterion>
void grow_by_form(TreeTask& task, const Criterion& criterion, GrownTrees& out) {
  switch (task.columns.form()) {
    case Columns::Form::sorted:
      return grow_by<PresortedSearch<Criterion>>(task, criterion, out);
    case Columns::Form::coded:
      return grow_by<NodeSortedSearch<Criterion>>(task, criterion, out);
    case Columns::Form::values:
      return grow_by<RandomCutSearch<Criterion>>(task, criterion, out);
  }
}

// make(std::bool_constant<is_weighted>) gives the criterion. Items without weights pay where they
// are read all over the table; beside sorting a weight of one does.
template <class Make>
void grow_with(TreeTask& task, const Make& make, GrownTrees& out) {
  if (task.columns.form() == Columns::Form::coded || !task.sample.weight.empty())
    return grow_by_form(task, make(std::true_type{}), out);
  const auto criterion = make(std::false_type{});
  using Criterion = std::remove_const_t<decltype(criterion)>;
  if (task.columns.form() == Columns::Form::sorted)
    return grow_by<PresortedSearch<Criterion>>(task, criterion, out);
  grow_by<RandomCutSearch<Criterion>>(task, criterion, out);
}

void grow_classifier(TreeTask& task, GrownTrees& out);
// Classes by random cuts, where word_cuts.hpp serves; returns whether it does.
bool grow_by_words(TreeTask& task, GrownTrees& out);
// Several classes by exact cuts, where class_lanes.hpp serves; returns whether it does.
bool grow_by_lanes(TreeTask& task, GrownTrees& out);
void grow_regressor(TreeTask& task, GrownTrees& out);
void grow_absolute(TreeTask& task, GrownTrees& out);

}  // namespace gramian::tree
