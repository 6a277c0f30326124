#include "cluster/centroid_kernel.hpp"

#include "simd/order.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

using cluster::CentreScores;
using cluster::kRowLanes;
using cluster::kTrialLanes;
using cluster::NearestTwo;
static_assert(kRowLanes == VecF::kLanes && kTrialLanes == VecD::kLanes);

// Register tiles: centres x panels of rows, with 32 registers of 512 bits or 16 of 256. Centres
// come in panels of 16, which a tile must not straddle.
#if defined(__AVX512F__)
constexpr int kCentres = 8;
constexpr int kPanels = 3;
#else
constexpr int kCentres = 4;
constexpr int kPanels = 1;
#endif

template <int kCount>
struct Leaders {
  VecF best[kCount];
  VecF second[kCount];
  VecF centre[kCount];
};

template <int kCount>
void score_centres(const CentreScores& all, const float* x, std::int64_t first,
                   Leaders<kCount>& leaders) {
  const std::int64_t p = all.n_features;
  const float* c = all.centres + first / kRowLanes * kRowLanes * p + first % kRowLanes;
  VecF sums[kCentres][kCount];
  for (int j = 0; j < kCentres; ++j)
    for (int v = 0; v < kCount; ++v) sums[j][v] = VecF::zero();
  for (std::int64_t k = 0; k < p; ++k) {
    VecF rows[kCount];
    for (int v = 0; v < kCount; ++v) rows[v] = VecF::load(x + (v * p + k) * kRowLanes);
    for (int j = 0; j < kCentres; ++j) {
      const VecF entry = VecF::set1(c[k * kRowLanes + j]);
      for (int v = 0; v < kCount; ++v) sums[j][v] = fma(entry, rows[v], sums[j][v]);
    }
  }
  for (int j = 0; j < kCentres; ++j) {
    const VecF half_norm = VecF::set1(all.half_norms[first + j]);
    const VecF number = VecF::set1(static_cast<float>(first + j));
    for (int v = 0; v < kCount; ++v) {
      const VecF score = half_norm - sums[j][v];
      VecF& best = leaders.best[v];
      leaders.second[v] = min(leaders.second[v], max(best, score));
      leaders.centre[v] = select_less(score, best, number, leaders.centre[v]);
      best = min(best, score);
    }
  }
}

template <int kCount>
void nearest_of_panels(const CentreScores& all, std::int64_t panel, const NearestTwo& out) {
  Leaders<kCount> leaders;
  for (int v = 0; v < kCount; ++v) {
    leaders.best[v] = leaders.second[v] = VecF::set1(__builtin_inff());
    leaders.centre[v] = VecF::zero();
  }
  const float* x = all.x + panel * all.n_features * kRowLanes;
  for (std::int64_t first = 0; first < all.n_centres; first += kCentres)
    score_centres(all, x, first, leaders);
  for (int v = 0; v < kCount; ++v) {
    const std::int64_t row = (panel + v) * kRowLanes;
    leaders.best[v].store(out.best + row);
    leaders.second[v].store(out.second + row);
    leaders.centre[v].store(out.centre + row);
  }
}

template <class T>
void add_shifted_row(const T* x, const double* shift, double weight, std::int64_t n, double* sums) {
  const VecD factor = VecD::set1(weight);
  std::int64_t k = 0;
  for (; k + VecD::kLanes <= n; k += VecD::kLanes)
    fma(factor, VecD::load(x + k) - VecD::load(shift + k), VecD::load(sums + k)).store(sums + k);
  for (; k < n; ++k) sums[k] = __builtin_fma(weight, static_cast<double>(x[k]) - shift[k], sums[k]);
}

template <class T>
void add_labelled_rows(const cluster::LabelledRows<T>& rows, const cluster::PaddedSums& out) {
  const std::int64_t p = rows.n_features, whole = p / VecD::kLanes * VecD::kLanes;
  const std::int64_t stride = (p + VecD::kLanes - 1) / VecD::kLanes * VecD::kLanes;
  std::int64_t copy = 0;
  for (std::int64_t i = 0; i < rows.n_rows; ++i) {
    const double w = rows.weight ? rows.weight[i] : 1.0;
    const std::int64_t place = copy * out.n_clusters + rows.labels[i];
    copy = copy + 1 == out.n_copies ? 0 : copy + 1;
    if (w == 0.0) continue;
    const T* x = rows.x + i * rows.row_stride;
    double* sums = out.sums + place * stride;
    const VecD factor = VecD::set1(w);
    const auto add = [&](VecD entries, std::int64_t k) {
      fma(factor, entries - VecD::load(rows.shift + k), VecD::load(sums + k)).store(sums + k);
    };
    for (std::int64_t k = 0; k < whole; k += VecD::kLanes) add(VecD::load(x + k), k);
    if (whole < p) add(load_partial<VecD>(x + whole, p - whole), whole);
    out.weights[place] += w;
  }
}

template <class T>
double squared_apart_rows(const T* x, const T* y, std::int64_t n) {
  VecD sums = VecD::zero();
  std::int64_t k = 0;
  for (; k + VecD::kLanes <= n; k += VecD::kLanes) {
    const VecD apart = VecD::load(x + k) - VecD::load(y + k);
    sums = fma(apart, apart, sums);
  }
  double lanes[VecD::kLanes];
  sums.store(lanes);
  for (std::int64_t l = 0; k < n; ++k, ++l) {
    const double apart = static_cast<double>(x[k]) - static_cast<double>(y[k]);
    lanes[l] = __builtin_fma(apart, apart, lanes[l]);
  }
  for (int half = VecD::kLanes / 2; half > 0; half /= 2)
    for (int l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  return lanes[0];
}

template <int kRows, class T>
void trials_of_rows(const T* x, std::int64_t stride, const std::int32_t* places,
                    const double* panel, std::int64_t n_features, double* out) {
  VecD sums[kRows];
  const T* rows[kRows];
  for (int i = 0; i < kRows; ++i) {
    sums[i] = VecD::zero();
    rows[i] = x + places[i] * stride;
  }
  for (std::int64_t k = 0; k < n_features; ++k) {
    const VecD y = VecD::load(panel + k * kTrialLanes);
    for (int i = 0; i < kRows; ++i) {
      const VecD apart = VecD::set1(static_cast<double>(rows[i][k])) - y;
      sums[i] = fma(apart, apart, sums[i]);
    }
  }
  for (int i = 0; i < kRows; ++i) sums[i].store(out + i * kTrialLanes);
}

template <class T>
void trials_of_all(const T* x, std::int64_t stride, const std::int32_t* places, std::int64_t n,
                   const double* panel, std::int64_t n_features, double* out) {
  constexpr int kAtOnce = 6;
  std::int64_t i = 0;
  for (; i + kAtOnce <= n; i += kAtOnce)
    trials_of_rows<kAtOnce>(x, stride, places + i, panel, n_features, out + i * kTrialLanes);
  for (; i < n; ++i)
    trials_of_rows<1>(x, stride, places + i, panel, n_features, out + i * kTrialLanes);
}

}  // namespace

void nearest_two(const CentreScores& scores, const NearestTwo& out) {
  std::int64_t panel = 0;
  for (; panel + kPanels <= scores.n_panels; panel += kPanels)
    nearest_of_panels<kPanels>(scores, panel, out);
  for (; panel < scores.n_panels; ++panel) nearest_of_panels<1>(scores, panel, out);
}

void add_shifted(const double* x, const double* shift, double weight, std::int64_t n,
                 double* sums) {
  add_shifted_row(x, shift, weight, n, sums);
}

void add_shifted(const float* x, const double* shift, double weight, std::int64_t n, double* sums) {
  add_shifted_row(x, shift, weight, n, sums);
}

void add_rows_to_clusters(const cluster::LabelledRows<double>& rows,
                          const cluster::PaddedSums& out) {
  add_labelled_rows(rows, out);
}

void add_rows_to_clusters(const cluster::LabelledRows<float>& rows,
                          const cluster::PaddedSums& out) {
  add_labelled_rows(rows, out);
}

double squared_apart(const double* x, const double* y, std::int64_t n) {
  return squared_apart_rows(x, y, n);
}

double squared_apart(const float* x, const float* y, std::int64_t n) {
  return squared_apart_rows(x, y, n);
}

void trial_distances(const double* x, std::int64_t row_stride, const std::int32_t* places,
                     std::int64_t n, const double* panel, std::int64_t n_features, double* out) {
  trials_of_all(x, row_stride, places, n, panel, n_features, out);
}

void trial_distances(const float* x, std::int64_t row_stride, const std::int32_t* places,
                     std::int64_t n, const double* panel, std::int64_t n_features, double* out) {
  trials_of_all(x, row_stride, places, n, panel, n_features, out);
}

}  // namespace gramian::GRAMIAN_ISA
