// A row's gradient and hessian as two whole numbers in one, and sums of them.
//
// Both are scaled by a power of two and rounded such that the sums over all rows stay below 2^31
// and 2^32: sums of pairs are exact in any order, so that the tree is the same for any number of
// threads and any order of the rows, and a histogram minus that of one child is that of the other.
// The rounding is about 2^-31 of the sum of the sizes of all gradients.
#pragma once

#include <cmath>
#include <cstdint>

namespace gramian::boost {

using Pair = std::int64_t;

constexpr std::int64_t gradient_of(Pair pair) { return pair >> 32; }
constexpr std::int64_t hessian_of(Pair pair) { return pair & 0xFFFFFFFF; }
constexpr Pair make_pair(std::int64_t gradient, std::int64_t hessian) {
  return gradient * (std::int64_t{1} << 32) + hessian;
}

// What one unit of the whole numbers stands for, and what a sum of hessians tells about the number
// of rows in it: a row of weight k counts k times where all weights are whole numbers, else once.
struct Units {
  double gradient = 1.0;
  double hessian = 1.0;
  std::int64_t least_hessian = 1;    // of a row
  std::int64_t largest_hessian = 1;  // of a row

  bool counts_rows() const { return least_hessian == largest_hessian; }
};

}  // namespace gramian::boost
