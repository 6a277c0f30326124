#include "tree/predict/leaf_answers.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <span>

#include "base/index.hpp"
#include "base/memory.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::tree {
namespace {

// Nanoseconds for a number in a leaf, to decide on threads; and leaves of a task.
constexpr double kValueCost = 2.0;
constexpr std::int64_t kLeavesAtOnce = std::int64_t{1} << 14;

// For the leaves of a task after another.
template <class Function>
void each_leaves(const TreesView& trees, const Context& ctx, const Function& function) {
  const auto chunks = Chunks::of_rows(trees.n_leaves(), kLeavesAtOnce);
  const double cost_ns = kValueCost * static_cast<double>(trees.leaf_value.size());
  parallel_for(ctx, chunks.count(), cost_ns,
               [&](std::int64_t i) { function(chunks.begin(i), chunks.end(i)); });
}

// The proportions of one output's classes in a leaf.
void divide(std::span<double> counts) {
  double total = 0.0;
  for (const double count : counts) total += count;
  if (!(total > 0.0)) return;
  for (double& count : counts) count /= total;
}

bool is_zero(float count) { return std::bit_cast<std::uint32_t>(count) << 1 == 0; }
bool is_zero(double count) { return std::bit_cast<std::uint64_t>(count) << 1 == 0; }

// The votes of leaves as long as they are all of one class: whether they are. Nothing branches on
// which class it is.
template <class Count>
bool find_votes(const Count* counts, std::int64_t n_leaves, std::span<const std::int32_t> n_classes,
                std::int64_t width, std::int32_t* votes) {
  constexpr std::int64_t kLeaves = 64;  // at once
  const auto n_outputs = static_cast<std::int64_t>(n_classes.size());
  Buffer<std::int64_t> found(kLeaves * width + 1);  // places of the counts that are not zero
  for (std::int64_t first = 0; first < n_leaves; first += kLeaves) {
    const auto n = std::min(kLeaves, n_leaves - first);
    const Count* own = counts + first * width;
    std::int64_t n_found = 0;
    for (std::int64_t i = 0; i < n * width; ++i) {
      found[n_found] = i;
      n_found += is_zero(own[i]) ? 0 : 1;
    }
    if (n_found != n * n_outputs) return false;
    bool is_pure = true;
    const std::int64_t* next = found.data();
    for (std::int64_t leaf = 0; leaf < n; ++leaf)
      for (std::int64_t output = 0, column = 0; output < n_outputs; ++output, ++next) {
        const auto vote = *next - leaf * width;
        const auto count = own[*next];
        const auto end = column + n_classes[at(output)];
        is_pure &= vote >= column && vote < end && count > Count{0} &&
                   count <= std::numeric_limits<Count>::max();
        *votes++ = static_cast<std::int32_t>(vote);
        column = end;
      }
    if (!is_pure) return false;
  }
  return true;
}

}  // namespace

LeafAnswers::LeafAnswers(const TreesView& trees, const Context& ctx) {
  if (trees.is_classification())
    keep_classes(trees, ctx);
  else
    keep_values(trees, ctx);
}

void LeafAnswers::keep_values(const TreesView& trees, const Context& ctx) {
  const std::int64_t width = trees.width;
  value = large_buffer<double>(static_cast<std::int64_t>(trees.leaf_value.size()));
  each_leaves(trees, ctx, [&](std::int64_t begin, std::int64_t end) {
    trees.leaf_value.visit([&](const auto* values) {
      std::copy(values + begin * width, values + end * width, value.data() + begin * width);
    });
  });
}

// Where every leaf is of one class, the vote says it all: the proportions are 1 and 0.
void LeafAnswers::keep_classes(const TreesView& trees, const Context& ctx) {
  const std::int64_t n_outputs = trees.n_outputs(), width = trees.width;
  vote = large_buffer<std::int32_t>(trees.n_leaves() * n_outputs);
  std::atomic<bool> is_pure = true;
  each_leaves(trees, ctx, [&](std::int64_t begin, std::int64_t end) {
    trees.leaf_value.visit([&](const auto* counts) {
      if (is_pure && !find_votes(counts + begin * width, end - begin, trees.n_classes, width,
                                 vote.data() + begin * n_outputs))
        is_pure = false;
    });
  });
  if (is_pure) return;
  keep_values(trees, ctx);
  each_leaves(trees, ctx, [&](std::int64_t begin, std::int64_t end) {
    double* counts = value.data() + begin * width;
    std::int32_t* next = vote.data() + begin * n_outputs;
    for (auto leaf = begin; leaf < end; ++leaf) {
      std::int32_t column = 0;
      for (const auto n_classes : trees.n_classes) {
        divide({counts, at(n_classes)});
        *next++ = column +
                  static_cast<std::int32_t>(std::max_element(counts, counts + n_classes) - counts);
        counts += n_classes;
        column += n_classes;
      }
    }
  });
}

}  // namespace gramian::tree
