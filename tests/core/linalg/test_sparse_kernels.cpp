// Runs of indices and offsets of sparse matrices against plain loops.
#include <limits>
#include <vector>

#include "check.hpp"
#include "linalg/sparse_kernel.hpp"
#include "random/philox.hpp"
#include "simd/each_level.hpp"

namespace {

template <class Index>
void check_indices(std::vector<Index> indices, Index last) {
  const auto n = static_cast<std::int64_t>(indices.size());
  for (const std::int64_t begin : {std::int64_t{0}, n / 3, n}) {
    gramian::IndexRun expected;
    for (auto k = static_cast<std::size_t>(begin); k < indices.size(); ++k) {
      expected.is_inside = expected.is_inside && indices[k] >= 0 && indices[k] <= last;
      expected.n_falls += k > 0 && indices[k] <= indices[k - 1] ? 1 : 0;
    }
    for (const auto level : test::levels()) {
      const auto run = AT_LEVEL(level, read_indices, indices.data(), begin, n, last);
      CHECK(run.is_inside == expected.is_inside && run.n_falls == expected.n_falls);
    }
  }
}

template <class Index>
void check_all_indices() {
  constexpr Index kLargest = std::numeric_limits<Index>::max();
  gramian::Stream stream(1, 0, 0);
  for (const std::uint32_t n : {0u, 1u, 2u, 7u, 8u, 9u, 31u, 33u, 100u}) {
    std::vector<Index> indices;
    for (std::uint32_t k = 0; k < n; ++k) indices.push_back(static_cast<Index>(stream.below(50)));
    for (const Index last : {Index{49}, Index{30}, Index{0}, kLargest})
      check_indices(indices, last);
    for (const Index outside : {Index{-1}, static_cast<Index>(-kLargest - 1), kLargest})
      for (const std::uint32_t place : {0u, n / 2, n - 1}) {
        if (n == 0) continue;
        auto broken = indices;
        broken[place] = outside;
        check_indices(broken, Index{49});
      }
  }
}

template <class Offset>
void check_offsets() {
  for (std::int64_t n = 0; n <= 40; ++n) {
    std::vector<Offset> offsets;
    for (std::int64_t i = 0; i <= n; ++i) offsets.push_back(static_cast<Offset>(i / 3));
    for (const auto level : test::levels()) {
      CHECK(AT_LEVEL(level, never_falls, offsets.data(), 0, n));
      for (std::size_t fall = 1; fall < offsets.size(); ++fall) {
        auto broken = offsets;
        broken[fall] = Offset{-1};
        CHECK(!AT_LEVEL(level, never_falls, broken.data(), 0, n));
        // Nor is the offset before the first looked at.
        CHECK(AT_LEVEL(level, never_falls, broken.data(), static_cast<std::int64_t>(fall), n));
      }
    }
  }
}

}  // namespace

TEST(runs_of_indices_count_falls_and_find_what_is_outside) {
  check_all_indices<std::int32_t>();
  check_all_indices<std::int64_t>();
}

TEST(a_single_fall_of_the_offsets_is_found) {
  check_offsets<std::int32_t>();
  check_offsets<std::int64_t>();
}
