#include "linalg/sparse_structure.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "linalg/sparse_kernel.hpp"
#include "parallel/parallel_for.hpp"
#include "parallel/tiles.hpp"

namespace gramian::linalg {
namespace {

constexpr std::int64_t kRun = 1 << 16;  // entries of a task: some tens of microseconds
constexpr double kNsPerByte = 0.1;      // of a read from memory
constexpr std::int64_t kNowhere = std::numeric_limits<std::int64_t>::max();

template <class T>
double read_cost_ns(std::span<const T> values) {
  return kNsPerByte * static_cast<double>(values.size_bytes());
}

// What one run of indices shows.
struct Run {
  std::int64_t first_outside = kNowhere;
  std::int64_t n_falls = 0;  // indices not above the one before them, which may be another row's
};

void add(Run& total, const Run& next) {
  total.first_outside = std::min(total.first_outside, next.first_outside);
  total.n_falls += next.n_falls;
}

// The largest index that is allowed. All of a narrow type may be.
template <class Index>
Index last_index(std::int64_t size) {
  return static_cast<Index>(std::min<std::int64_t>(size - 1, std::numeric_limits<Index>::max()));
}

template <class Index>
std::int64_t first_outside(const Index* indices, std::int64_t begin, std::int64_t end, Index last) {
  while (begin < end && indices[begin] >= 0 && indices[begin] <= last) ++begin;
  return begin < end ? begin : kNowhere;
}

template <class Index>
Run read_run(const Index* indices, std::int64_t begin, std::int64_t end, Index last) {
  const IndexRun seen = GRAMIAN_DISPATCH(read_indices, indices, begin, end, last);
  return {seen.is_inside ? kNowhere : first_outside(indices, begin, end, last), seen.n_falls};
}

// How many rows start in begin .. end with an index that is not above the one before: no fault.
// Requires offsets that do not fall.
template <class Index, class Offset>
std::int64_t count_falls_between_rows(const Index* indices, std::span<const Offset> indptr,
                                      std::int64_t begin, std::int64_t end) {
  const auto first =
      std::lower_bound(indptr.begin(), indptr.end(), std::max<std::int64_t>(begin, 1));
  const auto stop = std::lower_bound(first, indptr.end(), end);
  std::int64_t count = 0;
  for (auto start = first; start < stop; ++start) {
    const auto k = static_cast<std::int64_t>(*start);  // below end, so that a row still follows
    count += (start[1] > start[0]) & (indices[k] <= indices[k - 1]);
  }
  return count;
}

// The first i with indptr[i] < indptr[i - 1], or kNowhere.
template <class Offset>
std::int64_t first_fall(std::span<const Offset> indptr, const Context& ctx) {
  const auto n_rows = static_cast<std::int64_t>(indptr.size()) - 1;
  const auto of_rows = [&](std::int64_t begin, std::int64_t end) {
    const Offset* starts = indptr.data();
    if (GRAMIAN_DISPATCH(never_falls, starts, begin, end)) return kNowhere;
    while (starts[begin + 1] >= starts[begin]) ++begin;
    return begin + 1;
  };
  return parallel_reduce_exact(
      ctx, Chunks::of_rows(n_rows, kRun), read_cost_ns(indptr), of_rows,
      [](std::int64_t& total, std::int64_t next) { total = std::min(total, next); });
}

template <class Offset>
SparseStructure check_offsets(std::span<const Offset> indptr, std::size_t n_indices,
                              const Context& ctx) {
  if (indptr.front() != 0) return {SparseFault::first_offset, 0, indptr.front()};
  if (const auto i = first_fall(indptr, ctx); i != kNowhere)
    return {SparseFault::falling_offset, i - 1, indptr[static_cast<std::size_t>(i)]};
  const auto n = static_cast<std::int64_t>(n_indices);
  if (indptr.back() <= n) return {};
  const auto end = std::upper_bound(indptr.begin(), indptr.end(), n);
  return {SparseFault::last_offset, end - indptr.begin() - 1, *end};
}

}  // namespace

template <std::signed_integral Index, std::signed_integral Offset>
SparseStructure check_compressed(std::span<const Index> indices, std::span<const Offset> indptr,
                                 std::int64_t n_cols, const Context& ctx) {
  SparseStructure found = check_offsets(indptr, indices.size(), ctx);
  if (found.fault != SparseFault::none) return found;
  const Index last = last_index<Index>(n_cols);
  const auto stored = indices.first(static_cast<std::size_t>(indptr.back()));
  const auto of_entries = [&](std::int64_t begin, std::int64_t end) {
    Run run = read_run(stored.data(), begin, end, last);
    run.n_falls -= count_falls_between_rows(stored.data(), indptr, begin, end);
    return run;
  };
  const auto n_stored = static_cast<std::int64_t>(stored.size());
  const Run all =
      parallel_reduce_exact(ctx, Chunks::of_rows(n_stored, kRun),
                            read_cost_ns(stored) + read_cost_ns(indptr), of_entries, add);
  if (all.first_outside != kNowhere) {
    const auto next_row = std::upper_bound(indptr.begin(), indptr.end(), all.first_outside);
    return {SparseFault::index, next_row - indptr.begin() - 1,
            stored[static_cast<std::size_t>(all.first_outside)]};
  }
  found.is_canonical = all.n_falls == 0;
  return found;
}

template <std::signed_integral Index>
std::int64_t find_outside(std::span<const Index> indices, std::int64_t size, const Context& ctx) {
  const Index last = last_index<Index>(size);
  const auto of_entries = [&](std::int64_t begin, std::int64_t end) {
    return read_run(indices.data(), begin, end, last);
  };
  const auto n = static_cast<std::int64_t>(indices.size());
  const Run all =
      parallel_reduce_exact(ctx, Chunks::of_rows(n, kRun), read_cost_ns(indices), of_entries, add);
  return all.first_outside == kNowhere ? -1 : all.first_outside;
}

#define GRAMIAN_INSTANTIATE(Index)                                                                 \
  template SparseStructure check_compressed(std::span<const Index>, std::span<const std::int32_t>, \
                                            std::int64_t, const Context&);                         \
  template SparseStructure check_compressed(std::span<const Index>, std::span<const std::int64_t>, \
                                            std::int64_t, const Context&);                         \
  template std::int64_t find_outside(std::span<const Index>, std::int64_t, const Context&);
GRAMIAN_INSTANTIATE(std::int32_t)
GRAMIAN_INSTANTIATE(std::int64_t)
#undef GRAMIAN_INSTANTIATE

}  // namespace gramian::linalg
