#include "tree/criterion/criterion_absolute.hpp"
#include "tree/grow/grow_with.hpp"

namespace gramian::tree {

void grow_absolute(TreeTask& task, GrownTrees& out) {
  grow_by_form(task, AbsoluteCriterion(task.target), out);
}

}  // namespace gramian::tree
