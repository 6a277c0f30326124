#include "bayes/sparse_joint_kernel.hpp"

#include <algorithm>

#include "bayes/posterior_kernel.hpp"
#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

constexpr std::int64_t kLanes = VecD::kLanes;
constexpr std::int64_t kStride = JointBlock::kMostRows;
constexpr int kMostVectors = 4;      // of classes, in registers
constexpr std::int64_t kAhead = 16;  // entries whose part of the table is asked for early

// The classes from `first` on, kVectors vectors of them, of the entries of one row.
template <int kVectors, class T, class Index>
void add_entries(const T* values, const Index* cols, std::int64_t n, const ClassTable& classes,
                 std::int64_t first, double* sums) {
  const double* table = classes.table + first;
  const double* tail = classes.tail + first;
  VecD sum[kVectors];
  for (int v = 0; v < kVectors; ++v) sum[v] = VecD::zero();
  for (std::int64_t e = 0; e < n; ++e) {
    const double* later =
        table + static_cast<std::int64_t>(cols[std::min(e + kAhead, n - 1)]) * classes.k;
    const auto col = static_cast<std::int64_t>(cols[e]);
    const double* coef = col < classes.n_whole ? table + col * classes.k
                                               : tail + (col - classes.n_whole) * classes.k;
    const VecD x = VecD::set1(static_cast<double>(values[e]));
    for (int v = 0; v < kVectors; ++v) {
      __builtin_prefetch(later + v * kLanes);
      sum[v] = fma(x, VecD::load(coef + v * kLanes), sum[v]);
    }
  }
  for (int v = 0; v < kVectors; ++v) sum[v].store(sums + v * kLanes);
}

template <class T, class Index>
void joint_of(const CsrView<T, Index>& rows, const ClassTable& classes, double* joint) {
  double sums[kMostVectors * kLanes];
  for (std::int64_t i = 0; i < rows.n_rows(); ++i) {
    const Index begin = rows.indptr.data()[i];
    const auto n = static_cast<std::int64_t>(rows.indptr.data()[i + 1] - begin);
    const T* values = rows.values.data() + begin;
    const Index* cols = rows.indices.data() + begin;
    for (std::int64_t first = 0; first < classes.k; first += kMostVectors * kLanes) {
      switch ((classes.k - first + kLanes - 1) / kLanes) {
        case 1:
          add_entries<1>(values, cols, n, classes, first, sums);
          break;
        case 2:
          add_entries<2>(values, cols, n, classes, first, sums);
          break;
        case 3:
          add_entries<3>(values, cols, n, classes, first, sums);
          break;
        default:
          add_entries<kMostVectors>(values, cols, n, classes, first, sums);
      }
      const std::int64_t last = std::min(first + kMostVectors * kLanes, classes.k);
      for (std::int64_t c = first; c < last; ++c)
        joint[c * kStride + i] = sums[c - first] + classes.constant[c];
    }
  }
}

}  // namespace

#define GRAMIAN_SPARSE_JOINT(T, Index)                                                         \
  void sparse_joint(const CsrView<T, Index>& rows, const ClassTable& classes, double* joint) { \
    joint_of(rows, classes, joint);                                                            \
  }
GRAMIAN_SPARSE_JOINT(float, std::int32_t)
GRAMIAN_SPARSE_JOINT(float, std::int64_t)
GRAMIAN_SPARSE_JOINT(double, std::int32_t)
GRAMIAN_SPARSE_JOINT(double, std::int64_t)
#undef GRAMIAN_SPARSE_JOINT

}  // namespace gramian::GRAMIAN_ISA
