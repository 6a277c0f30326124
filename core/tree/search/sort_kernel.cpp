#include "tree/search/sort_kernel.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

// The place of a key is the number of smaller ones: n^2 comparisons without a branch, which the
// compiler turns into vectors. All keys must be different.
template <class Key>
void sort_by_counting(const Key* keys, std::int64_t n, Key* sorted) {
  for (std::int64_t i = 0; i < n; ++i) {
    const Key key = keys[i];
    Key place = 0;
    for (std::int64_t j = 0; j < n; ++j) place += keys[j] < key ? Key{1} : Key{0};
    sorted[place] = key;
  }
}

}  // namespace

void sort_few_keys(const std::uint32_t* keys, std::int64_t n, std::uint32_t* sorted) {
  sort_by_counting(keys, n, sorted);
}

void sort_few_keys(const std::uint64_t* keys, std::int64_t n, std::uint64_t* sorted) {
  sort_by_counting(keys, n, sorted);
}

}  // namespace gramian::GRAMIAN_ISA
