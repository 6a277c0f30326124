// From Python's Trees to TreesView, and its check.
#include "bindings/trees.hpp"

#include <string>

using namespace nanobind::literals;

namespace gramian {
namespace {

template <class T>
using InArray = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

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
  view_.check();
}

void bind_trees(nb::module_& m) {
  m.def(
      "check_trees", [](nb::handle trees) { const TreesArrays checked(trees); }, "trees"_a,
      "Raise unless the arrays of these trees fit together and every index stays inside.");
}

}  // namespace gramian
