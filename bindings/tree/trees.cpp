// From Python's Trees to TreesView, its check, and what can be derived from it.
#include "bindings/tree/trees.hpp"

#include <string>

#include "bindings/binding.hpp"
#include "tree/format/topology.hpp"

namespace gramian {
namespace {

template <class T>
using InArray = Array<const T, nb::c_contig>;

[[noreturn]] void refuse(const char* name, const char* what) {
  throw nb::type_error((std::string(name) + " of the trees must be " + what).c_str());
}

template <class T>
bool find_span(nb::handle array, std::span<const T>& out) {
  InArray<T> found;
  if (!nb::try_cast(array, found, false)) return false;
  require_aligned(found);
  out = {found.data(), found.size()};
  return true;
}

}  // namespace

template <class T>
std::span<const T> TreesArrays::vector(nb::handle trees, const char* name) {
  const nb::object array = trees.attr(name);
  std::span<const T> out;
  if (!find_span(array, out)) refuse(name, "a contiguous array of its own dtype");
  held_.append(array);
  return out;
}

tree::RealSpan TreesArrays::reals(nb::handle trees, const char* name) {
  const nb::object array = trees.attr(name);
  held_.append(array);
  std::span<const double> doubles;
  if (find_span(array, doubles)) return doubles;
  std::span<const float> floats;
  if (find_span(array, floats)) return floats;
  refuse(name, "a contiguous array of float64 or float32");
}

TreesArrays::TreesArrays(nb::handle trees) {
  take(trees);
  view_.check(Context{});
}

TreesArrays TreesArrays::unchecked(nb::handle trees) {
  TreesArrays arrays;
  arrays.take(trees);
  return arrays;
}

void TreesArrays::take(nb::handle trees) {
  view_.node_offsets = vector<std::int64_t>(trees, "node_offsets");
  view_.feature = vector<std::int32_t>(trees, "feature");
  view_.threshold = vector<double>(trees, "threshold");
  view_.flags = vector<std::uint8_t>(trees, "flags");
  view_.category_words = vector<std::uint64_t>(trees, "category_words");
  view_.n_levels = vector<std::int32_t>(trees, "n_levels");
  view_.is_double = vector<std::uint8_t>(trees, "is_double");
  view_.leaf_value = reals(trees, "leaf_value");
  view_.leaf_count = vector<std::int32_t>(trees, "leaf_count");
  view_.leaf_weight = reals(trees, "leaf_weight");
  view_.leaf_impurity = vector<double>(trees, "leaf_impurity");
  view_.node_value = vector<double>(trees, "node_value");
  view_.node_impurity = vector<double>(trees, "node_impurity");
  view_.n_classes = vector<std::int32_t>(trees, "n_classes");
  const auto shape = nb::cast<nb::tuple>(trees.attr("leaf_value").attr("shape"));
  if (shape.size() != 2) refuse("leaf_value", "two-dimensional");
  view_.width = nb::cast<std::int64_t>(shape[1]);
}

namespace {

// A new array of Python's with its memory, by name in a dict.
template <class T>
std::span<T> new_array(nb::dict& out, const char* name, std::initializer_list<std::size_t> shape) {
  std::size_t size = 1;
  for (const auto n : shape) size *= n;
  T* data = new T[std::max<std::size_t>(size, 1)];
  const nb::capsule owner(data, [](void* memory) noexcept { delete[] static_cast<T*>(memory); });
  out[name] = nb::ndarray<nb::numpy, T>(data, shape, owner).cast();
  return {data, size};
}

nb::dict tree_topology(nb::handle trees, std::int64_t tree, std::string_view criterion) {
  const TreesArrays arrays(trees);
  const auto& view = arrays.view();
  require(tree >= 0 && tree < view.n_trees(), "there is no tree of this number");
  const auto n = static_cast<std::size_t>(view.first_node(tree + 1) - view.first_node(tree));
  nb::dict out;
  const tree::NodeArrays nodes{
      new_array<std::int64_t>(out, "children_left", {n}),
      new_array<std::int64_t>(out, "children_right", {n}),
      new_array<std::int64_t>(out, "depth", {n}),
      new_array<std::int64_t>(out, "n_node_samples", {n}),
      new_array<double>(out, "weighted_n_node_samples", {n}),
      new_array<double>(out, "value", {n, static_cast<std::size_t>(view.width)}),
      new_array<double>(out, "impurity", {n})};
  tree::derive_nodes(view, tree, tree::impurity_of(criterion), nodes);
  out["max_depth"] = std::ranges::max(nodes.depth);
  out["n_leaves"] = (n + 1) / 2;
  return out;
}

void impurity_decreases(nb::handle trees, std::string_view criterion, const OutMatrix<double>& out,
                        const Context& ctx) {
  const TreesArrays arrays(trees);
  const auto& view = arrays.view();
  const auto decreases = matrix(out);
  require(decreases.n_rows == view.n_trees() && decreases.n_cols == view.n_features(),
          "out must have one row per tree and one column per feature");
  const ReleasedGil nogil;
  tree::impurity_decreases(view, tree::impurity_of(criterion), decreases, ctx);
}

}  // namespace

void bind_trees(nb::module_& m) {
  m.def(
      "check_trees", [](nb::handle trees) { const TreesArrays checked(trees); }, "trees"_a,
      "Raise unless the arrays of these trees fit together and every index stays inside.");
  m.def("tree_topology", &tree_topology, "trees"_a, nb::kw_only(), "tree"_a, "criterion"_a,
        "Children, depth, counts, value and impurity of each node of one tree, as a dict.");
  m.def("tree_impurity_decreases", &impurity_decreases, "trees"_a, nb::kw_only(), "criterion"_a,
        "out"_a, "ctx"_a,
        "Decrease of impurity by the splits of each tree (row) on each feature (column).");
}

}  // namespace gramian
