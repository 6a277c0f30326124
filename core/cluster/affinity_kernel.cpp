#include "cluster/affinity_kernel.hpp"

#include <limits>

#include "simd/order.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

using cluster::AffinityRow;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The largest entry, and the largest but for one place of it.
struct Largest {
  double first = -kInfinity, second = -kInfinity;

  void add(double value) {
    if (value > first) {
      second = first;
      first = value;
    } else if (value > second) {
      second = value;
    }
  }
};

// How far the responsibilities of the others are from lifting this one above its sum.
double excess(double responsibility, double sum) {
  const double positive = responsibility > 0.0 ? responsibility : 0.0;
  const double over = positive - sum;
  return over > 0.0 ? over : 0.0;
}

void take_available(const AffinityRow& row) {
  const double keep = row.damping, give = 1.0 - row.damping;
  const VecD keeps = VecD::set1(keep), gives = VecD::set1(give), zero = VecD::zero();
  const double own = row.A[row.i] * keep - (row.R[row.i] - row.sums[row.i]) * give;
  std::int64_t k = 0;
  for (; k + VecD::kLanes <= row.n; k += VecD::kLanes) {
    const VecD positive = max(VecD::load(row.R + k), zero);
    const VecD over = max(positive - VecD::load(row.sums + k), zero);
    (VecD::load(row.A + k) * keeps - over * gives).store(row.A + k);
  }
  for (; k < row.n; ++k) row.A[k] = row.A[k] * keep - excess(row.R[k], row.sums[k]) * give;
  row.A[row.i] = own;
}

Largest largest_of(const AffinityRow& row) {
  VecD first = VecD::set1(-kInfinity), second = first;
  Largest found;
  std::int64_t k = 0;
  for (; k + VecD::kLanes <= row.n; k += VecD::kLanes) {
    const VecD value = VecD::load(row.A + k) + VecD::load(row.S + k);
    second = max(second, min(first, value));
    first = max(first, value);
  }
  double lanes[2][VecD::kLanes];
  first.store(lanes[0]);
  second.store(lanes[1]);
  for (const auto& some : lanes)
    for (const double value : some) found.add(value);
  for (; k < row.n; ++k) found.add(row.A[k] + row.S[k]);
  return found;
}

// Where the largest stands twice, the second is as large: both places may be told from the others.
void take_responsible(const AffinityRow& row, const Largest& largest) {
  const double keep = row.damping, give = 1.0 - row.damping;
  const VecD keeps = VecD::set1(keep), gives = VecD::set1(give), zero = VecD::zero();
  const VecD first = VecD::set1(largest.first), second = VecD::set1(largest.second);
  double own = row.next[row.i];
  std::int64_t k = 0;
  for (; k + VecD::kLanes <= row.n; k += VecD::kLanes) {
    const VecD S = VecD::load(row.S + k);
    const VecD most = select_less(VecD::load(row.A + k) + S, first, first, second);
    const VecD R = VecD::load(row.R + k) * keeps + (S - most) * gives;
    R.store(row.R + k);
    (VecD::load(row.next + k) + max(R, zero)).store(row.next + k);
  }
  for (; k < row.n; ++k) {
    const double most = row.A[k] + row.S[k] < largest.first ? largest.first : largest.second;
    row.R[k] = row.R[k] * keep + (row.S[k] - most) * give;
    row.next[k] += row.R[k] > 0.0 ? row.R[k] : 0.0;
  }
  own += row.R[row.i];
  row.next[row.i] = own;
}

}  // namespace

void pass_messages(const AffinityRow& row) {
  if (row.sums != nullptr) take_available(row);
  take_responsible(row, largest_of(row));
}

}  // namespace gramian::GRAMIAN_ISA
