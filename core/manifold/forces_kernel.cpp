#include "manifold/forces_kernel.hpp"

#include <cstring>
#include <limits>

#include "simd/gather.hpp"
#include "simd/order.hpp"
#include "simd/reciprocal.hpp"
#include "simd/vector_math.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

constexpr int kLanes = VecF::kLanes;

// The number of planes, which the compiler knows for kPlanes > 0.
template <int kPlanes>
struct Student {
  explicit Student(int n)
      : n_planes(n), inverse_freedom(1.0f / static_cast<float>(n > 2 ? n - 1 : 1)) {}

  int planes() const { return kPlanes > 0 ? kPlanes : n_planes; }
  VecF denominator(VecF squared) const {
    const VecF one = VecF::set1(1.0f);
    return kPlanes == 2 ? one + squared : fma(squared, VecF::set1(inverse_freedom), one);
  }
  // w of q: q^(planes / 2) in three planes and more.
  VecF weight(VecF q) const {
    if constexpr (kPlanes == 2) return q;
    const VecF root = sqrt(q);
    VecF w = root;
    for (int k = 1; k < planes(); ++k) w = w * root;
    return w;
  }

  int n_planes;
  float inverse_freedom;
};

template <int kPlanes>
VecF squared_distance(const Student<kPlanes>& student, const PointPlanes& targets, std::int64_t i,
                      const PointPlanes& sources, std::int64_t j) {
  VecF squared = VecF::zero();
  for (int k = 0; k < student.planes(); ++k) {
    const VecF offset = VecF::set1(targets.values[k * targets.stride + i]) -
                        VecF::load(sources.values + k * sources.stride + j);
    squared = k == 0 ? offset * offset : fma(offset, offset, squared);
  }
  return squared;
}

template <int kPlanes>
double repel_in(const PointRun& targets, const PointRun& sources, const float* masses,
                const ForcePlanes& forces) {
  const Student<kPlanes> student(targets.points.n_planes);
  double total = 0.0;
  for (std::int64_t i = targets.first; i < targets.end; ++i) {
    for (int k = 0; k < student.planes(); ++k) forces.values[k * forces.stride + i] = 0.0f;
    constexpr int kHeld = kPlanes > 0 ? kPlanes : 1;
    VecF sum = VecF::zero(), force[kHeld];
    for (VecF& f : force) f = VecF::zero();
    for (std::int64_t j = sources.first; j < sources.end; j += kLanes) {
      const VecF q = reciprocal(
          student.denominator(squared_distance(student, targets.points, i, sources.points, j)));
      VecF w = student.weight(q);
      if (masses != nullptr) w = w * VecF::load(masses + j);
      sum = sum + w;
      const VecF strength = w * q;
      for (int k = 0; k < student.planes(); ++k) {
        const VecF offset = VecF::set1(targets.points.values[k * targets.points.stride + i]) -
                            VecF::load(sources.points.values + k * sources.points.stride + j);
        if constexpr (kPlanes > 0)
          force[k] = fma(strength, offset, force[k]);
        else
          forces.values[k * forces.stride + i] += hsum(strength * offset);
      }
    }
    total += static_cast<double>(hsum(sum));
    if constexpr (kPlanes > 0)
      for (int k = 0; k < kPlanes; ++k) forces.values[k * forces.stride + i] = hsum(force[k]);
  }
  return total;
}

// Forces of kRows points from i on and all of b on each other.
template <int kRows>
VecF repel_rows(const PointRun& a, std::int64_t i, const PointRun& b, const ForcePlanes& on_a,
                const ForcePlanes& on_b) {
  const float *ax = a.points.values, *ay = ax + a.points.stride;
  const float *bx = b.points.values, *by = bx + b.points.stride;
  float *fx = on_b.values, *fy = fx + on_b.stride;
  VecF sum = VecF::zero(), x[kRows], y[kRows], force_x[kRows], force_y[kRows];
  for (int r = 0; r < kRows; ++r) {
    x[r] = VecF::set1(ax[i + r]);
    y[r] = VecF::set1(ay[i + r]);
    force_x[r] = force_y[r] = VecF::zero();
  }
  const VecF one = VecF::set1(1.0f);
  for (std::int64_t j = b.first; j < b.end; j += kLanes) {
    const VecF xj = VecF::load(bx + j), yj = VecF::load(by + j);
    VecF other_x = VecF::load(fx + j), other_y = VecF::load(fy + j);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      const VecF dx = x[r] - xj, dy = y[r] - yj;
      const VecF q = reciprocal(fma(dx, dx, fma(dy, dy, one)));
      sum = sum + q;
      const VecF strength = q * q, away = VecF::zero() - strength;
      force_x[r] = fma(strength, dx, force_x[r]);
      force_y[r] = fma(strength, dy, force_y[r]);
      other_x = fma(away, dx, other_x);
      other_y = fma(away, dy, other_y);
    }
    other_x.store(fx + j);
    other_y.store(fy + j);
  }
  for (int r = 0; r < kRows; ++r) {
    on_a.values[i + r] = hsum(force_x[r]);
    on_a.values[on_a.stride + i + r] = hsum(force_y[r]);
  }
  return sum;
}

// Affinities of a row and the points they are to, a vector at a time.
class RowReader {
 public:
  RowReader(const PointPlanes& points, std::int64_t i, const AffinityRow& row)
      : points_(points), row_(row) {
    const std::int64_t n_left = row.size % kLanes;
    for (int lane = 0; lane < kLanes; ++lane) tail_[lane] = static_cast<std::int32_t>(i);
    if (row.places != nullptr && n_left > 0)
      std::memcpy(tail_, row.places + row.size - n_left, at_bytes(n_left));
  }

  VecF affinity(std::int64_t j) const {
    const std::int64_t n_left = row_.size - j;
    return n_left >= kLanes ? VecF::load(row_.values + j)
                            : load_partial<VecF>(row_.values + j, n_left);
  }
  VecF coordinate(int k, std::int64_t j) const {
    const float* plane = points_.values + k * points_.stride;
    if (row_.places == nullptr) return VecF::load(plane + j);
    return gather(plane, row_.size - j >= kLanes ? row_.places + j : tail_);
  }

 private:
  static std::size_t at_bytes(std::int64_t n) {
    return static_cast<std::size_t>(n) * sizeof(std::int32_t);
  }

  const PointPlanes& points_;
  const AffinityRow& row_;
  std::int32_t tail_[kLanes];  // behind the last place that of the point itself
};

template <int kPlanes>
VecF row_squared(const Student<kPlanes>& student, const PointPlanes& points, std::int64_t i,
                 const RowReader& reader, std::int64_t j) {
  VecF squared = VecF::zero();
  for (int k = 0; k < student.planes(); ++k) {
    const VecF offset = VecF::set1(points.values[k * points.stride + i]) - reader.coordinate(k, j);
    squared = k == 0 ? offset * offset : fma(offset, offset, squared);
  }
  return squared;
}

template <int kPlanes>
void attract_in(const PointPlanes& points, std::int64_t i, const AffinityRow& row,
                const ForcePlanes& forces) {
  const Student<kPlanes> student(points.n_planes);
  const RowReader reader(points, i, row);
  constexpr int kHeld = kPlanes > 0 ? kPlanes : 1;
  VecF force[kHeld];
  for (VecF& f : force) f = VecF::zero();
  for (int k = 0; k < student.planes(); ++k) forces.values[k * forces.stride + i] = 0.0f;
  for (std::int64_t j = 0; j < row.size; j += kLanes) {
    VecF offset[kHeld], squared = VecF::zero();
    if constexpr (kPlanes > 0) {
      for (int k = 0; k < kPlanes; ++k) {
        offset[k] = VecF::set1(points.values[k * points.stride + i]) - reader.coordinate(k, j);
        squared = k == 0 ? offset[k] * offset[k] : fma(offset[k], offset[k], squared);
      }
    } else {
      squared = row_squared(student, points, i, reader, j);
    }
    const VecF strength = reader.affinity(j) * reciprocal(student.denominator(squared));
    for (int k = 0; k < student.planes(); ++k) {
      if constexpr (kPlanes > 0)
        force[k] = fma(strength, offset[k], force[k]);
      else
        forces.values[k * forces.stride + i] +=
            hsum(strength *
                 (VecF::set1(points.values[k * points.stride + i]) - reader.coordinate(k, j)));
    }
  }
  if constexpr (kPlanes > 0)
    for (int k = 0; k < kPlanes; ++k) forces.values[k * forces.stride + i] = hsum(force[k]);
}

}  // namespace

double repel(const PointRun& targets, const PointRun& sources, const float* masses,
             const ForcePlanes& forces) {
  if (targets.points.n_planes == 2) return repel_in<2>(targets, sources, masses, forces);
  if (targets.points.n_planes == 3) return repel_in<3>(targets, sources, masses, forces);
  return repel_in<0>(targets, sources, masses, forces);
}

double repel_each_other(const PointRun& a, const PointRun& b, const ForcePlanes& on_a,
                        const ForcePlanes& on_b) {
  for (int k = 0; k < 2; ++k)
    for (std::int64_t j = b.first; j < b.end; j += kLanes)
      VecF::zero().store(on_b.values + k * on_b.stride + j);
  VecD total = VecD::zero();
  float lanes[kLanes];
  const auto add = [&](VecF sum) {
    sum.store(lanes);
    total = total + (VecD::load(lanes) + VecD::load(lanes + VecD::kLanes));
  };
  std::int64_t i = a.first;
  for (; i + 4 <= a.end; i += 4) add(repel_rows<4>(a, i, b, on_a, on_b));
  for (; i < a.end; ++i) add(repel_rows<1>(a, i, b, on_a, on_b));
  return hsum(total);
}

void attract(const PointPlanes& points, std::int64_t i, const AffinityRow& row,
             const ForcePlanes& forces) {
  if (points.n_planes == 2) return attract_in<2>(points, i, row, forces);
  if (points.n_planes == 3) return attract_in<3>(points, i, row, forces);
  attract_in<0>(points, i, row, forces);
}

double attraction_energy(const PointPlanes& points, std::int64_t i, const AffinityRow& row) {
  const Student<0> student(points.n_planes);
  const RowReader reader(points, i, row);
  VecD total = VecD::zero();
  float bases[kLanes], affinities[kLanes];
  for (std::int64_t j = 0; j < row.size; j += kLanes) {
    student.denominator(row_squared(student, points, i, reader, j)).store(bases);
    reader.affinity(j).store(affinities);
    for (int lane = 0; lane < kLanes; lane += VecD::kLanes)
      total = fma(VecD::load(affinities + lane), log(VecD::load(bases + lane)), total);
  }
  const int freedom = points.n_planes > 2 ? points.n_planes - 1 : 1;
  return 0.5 * (freedom + 1) * hsum(total);
}

double negative_entropy(const float* values, std::int64_t n) {
  VecD total = VecD::zero();
  const VecD least = VecD::set1(std::numeric_limits<double>::min());
  for (std::int64_t j = 0; j < n; j += VecD::kLanes) {
    const VecD p =
        n - j >= VecD::kLanes ? VecD::load(values + j) : load_partial<VecD>(values + j, n - j);
    total = fma(p, log(max(p, least)), total);
  }
  return hsum(total);
}

}  // namespace gramian::GRAMIAN_ISA
