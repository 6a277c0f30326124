// Clusters by their centroids, with the nearest one to any of them found in one pass.
//
// The centroids are held in float64, shifted by the medians of the columns, and in float32, scaled
// by a power of two so that none is longer than 1. With u = 2^-24 and scaled centroids x and y,
// rounded to x' and y', the distance d' that the pass computes satisfies
//
//   (1 - g) d' - h <= |x - y| <= (1 + g) d' + h,   g = (p + 8) u,  h = 4 u:
//
// each coordinate is rounded by at most u times itself, so that |x - y| and |x' - y'| differ by at
// most 2 u; the sum of p fused squares, and the weight, are right to g. A score is w d^2 with
// w <= n_a, so a cluster whose score s' has (1 - g) sqrt(s') - sqrt(n_a) h above an upper bound of
// the least is not the nearest; the others are scored again in float64.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "base/views.hpp"
#include "linkage/slots.hpp"

namespace gramian::linkage {

// How two clusters are scored, and where their union has its centre.
enum class Centre { ward, centroid, median };

class Centroids {
 public:
  template <class T>
  Centroids(MatrixView<const T> X, Centre centre, const Context& ctx);

  const Slots& slots() const { return slots_; }
  // The distance that SciPy gives to two clusters of this score.
  double height(double score) const;

  // The cluster nearest to `slot`: `preferred` if none is nearer, or the first one.
  Nearest nearest(std::int64_t slot, std::int64_t preferred, const Context& ctx);

  // The scores of all places against `slot`; infinite for itself and for places without a cluster.
  void score_all(std::int64_t slot, std::span<double> out, const Context& ctx);

  // The second of two clusters becomes their union.
  void merge(std::int64_t first, std::int64_t second, double score, const Context& ctx);

 private:
  double* wide(std::int64_t place) {
    return wide_.data() + place / kLanes * kLanes * p_ + place % kLanes;
  }
  float* narrow(std::int64_t place) {
    return narrow_.data() + place / kLanes * kLanes * p_ + place % kLanes;
  }
  double size_at(std::int64_t place) const { return sizes_[place]; }
  void set(std::int64_t place, const double* centre, double size);
  void clear(std::int64_t place);
  void take_query(std::int64_t place);
  const double* weights(std::int64_t block) const {
    return centre_ == Centre::ward ? sizes_.data() + block * kLanes : nullptr;
  }
  float scan(double size, const Context& ctx);
  float limit_for(float least, double size) const;
  void compact(const Context& ctx);

  static constexpr std::int64_t kLanes = 16;

  Centre centre_;
  std::int64_t p_;
  std::int64_t n_blocks_;  // a multiple of 4
  double scale_ = 1.0;
  Slots slots_;
  Buffer<double> wide_;
  Buffer<float> narrow_;
  Buffer<double> sizes_;
  Buffer<float> narrow_sizes_;
  Buffer<float> scores_;
  std::vector<std::int32_t> found_;
  std::vector<double> query_;
  std::vector<float> narrow_query_;
};

}  // namespace gramian::linkage
