#include "distance/class_neighbours/objective_kernel.hpp"

#include <limits>

#include "simd/order.hpp"
#include "simd/vector_math.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

using distance::Choice;
using distance::CodedRows;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kBlock = 64;

VecD squares_to(const CodedRows& rows, std::int64_t i, std::int64_t j) {
  VecD sum = VecD::zero();
  for (std::int64_t k = 0; k < rows.n_features; ++k) {
    const double* entries = rows.entries + k * rows.stride;
    const VecD gap = VecD::load(entries + j) - VecD::set1(entries[i]);
    sum = fma(gap, gap, sum);
  }
  return sum;
}

// 1 where a row is of the class of row i, else 0.
VecD is_alike(const CodedRows& rows, std::int64_t i, std::int64_t j) {
  const VecD apart = abs(VecD::load(rows.codes + j) - VecD::set1(rows.codes[i]));
  return select_less(apart, VecD::set1(0.5), VecD::set1(1.0), VecD::zero());
}

}  // namespace

Choice choice_of_row(const CodedRows& rows, std::int64_t i, double* squares) {
  for (std::int64_t j = 0; j < rows.stride; j += VecD::kLanes)
    squares_to(rows, i, j).store(squares + j);
  squares[i] = kInfinity;
  for (std::int64_t j = rows.n_rows; j < rows.stride; ++j) squares[j] = kInfinity;
  double least = kInfinity;
  for (std::int64_t j = 0; j < rows.n_rows; ++j) least = squares[j] < least ? squares[j] : least;
  VecD total = VecD::zero(), alike = VecD::zero();
  for (std::int64_t j = 0; j < rows.stride; j += VecD::kLanes) {
    const VecD share = exp(VecD::set1(least) - VecD::load(squares + j));
    total = total + share;
    alike = fma(share, is_alike(rows, i, j), alike);
  }
  const double sum = hsum(total);
  double log_of_sum[VecD::kLanes];
  log(VecD::set1(sum)).store(log_of_sum);
  return {hsum(alike) / sum, least - log_of_sum[0]};
}

void pull_on_row(const CodedRows& rows, std::int64_t i, const double* probabilities,
                 const double* shifts, double* sums, double* pull) {
  for (std::int64_t k = 0; k < rows.n_features; ++k) VecD::zero().store(sums + k * VecD::kLanes);
  const VecD own = VecD::set1(probabilities[i]), own_shift = VecD::set1(shifts[i]);
  for (std::int64_t first = 0; first < rows.stride; first += kBlock) {
    const std::int64_t last = first + kBlock < rows.stride ? first + kBlock : rows.stride;
    double weights[kBlock];
    for (std::int64_t j = first; j < last; j += VecD::kLanes) {
      const VecD square = squares_to(rows, i, j), alike = is_alike(rows, i, j);
      const VecD from = exp(own_shift - square) * (alike - own);
      const VecD to =
          exp(VecD::load(shifts + j) - square) * (alike - VecD::load(probabilities + j));
      (from + to).store(weights + (j - first));
    }
    if (i >= first && i < last) weights[i - first] = 0.0;
    for (std::int64_t j = rows.n_rows; j < last; ++j) weights[j - first] = 0.0;
    for (std::int64_t k = 0; k < rows.n_features; ++k) {
      const double* entries = rows.entries + k * rows.stride;
      VecD sum = VecD::load(sums + k * VecD::kLanes);
      for (std::int64_t j = first; j < last; j += VecD::kLanes)
        sum = fma(VecD::load(weights + (j - first)),
                  VecD::load(entries + j) - VecD::set1(entries[i]), sum);
      sum.store(sums + k * VecD::kLanes);
    }
  }
  for (std::int64_t k = 0; k < rows.n_features; ++k)
    pull[k] = hsum(VecD::load(sums + k * VecD::kLanes));
}

}  // namespace gramian::GRAMIAN_ISA
