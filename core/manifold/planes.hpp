// Points with few coordinates, one plane of memory for each of these, in whole vectors: behind the
// last point stand others, so far away that they exert no force.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/buffer.hpp"
#include "base/views.hpp"

namespace gramian::manifold {

inline constexpr std::int64_t kLanes = 16;  // floats of a vector
inline constexpr float kFar = 1e15f;        // its square is a float, the force over it is not

inline std::int64_t whole_vectors(std::int64_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

class Planes {
 public:
  Planes(std::int64_t n_points, int n_planes)
      : size_(n_points),
        stride_(whole_vectors(n_points)),
        n_planes_(n_planes),
        values_(stride_ * n_planes) {
    std::fill(values_.begin(), values_.end(), kFar);
  }

  std::int64_t size() const { return size_; }
  std::int64_t stride() const { return stride_; }
  int n_planes() const { return n_planes_; }
  float* data() { return values_.data(); }
  const float* data() const { return values_.data(); }
  float* plane(int k) { return values_.data() + k * stride_; }
  const float* plane(int k) const { return values_.data() + k * stride_; }

  void take(MatrixView<const float> points) {
    for (int k = 0; k < n_planes_; ++k)
      for (std::int64_t i = 0; i < size_; ++i) plane(k)[i] = points(i, k);
  }
  void give(MatrixView<float> points) const {
    for (int k = 0; k < n_planes_; ++k)
      for (std::int64_t i = 0; i < size_; ++i) points(i, k) = plane(k)[i];
  }

 private:
  std::int64_t size_;
  std::int64_t stride_;
  int n_planes_;
  Buffer<float> values_;
};

}  // namespace gramian::manifold
