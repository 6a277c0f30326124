#include "linalg/class_moments_kernel.hpp"

#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

constexpr std::int64_t kLanes = VecD::kLanes;
constexpr int kMostPanels = 4;  // whose sums, squares and shifts stay in registers

template <class T>
VecD load_lanes(const T* x, std::int64_t n) {
  return n >= kLanes ? VecD::load(x) : load_partial<VecD>(x, n);
}

// The columns from 8 first on, kPanels vectors of them.
template <int kPanels, bool kWeighted, bool kSquares, class T>
void add_panels(const ChosenRows<T>& rows, std::int64_t first, const double* shift, double* sum,
                double* squares) {
  VecD origin[kPanels], s[kPanels], q[kPanels];
  for (int v = 0; v < kPanels; ++v) {
    const std::int64_t j = (first + v) * kLanes;
    origin[v] = VecD::load(shift + j);
    s[v] = VecD::load(sum + j);
    if constexpr (kSquares) q[v] = VecD::load(squares + j);
  }
  const std::int64_t last = rows.n_cols - (first + kPanels - 1) * kLanes;
  const T* data = rows.data + first * rows.panel_stride;
  for (std::int64_t i = 0; i < rows.n_rows; ++i) {
    const T* x = data + rows.rows[i] * rows.row_stride;
    VecD w = VecD::zero();
    if constexpr (kWeighted) w = VecD::set1(rows.weight[rows.rows[i]]);
    for (int v = 0; v < kPanels; ++v) {
      __builtin_prefetch(x + v * rows.panel_stride + rows.ahead);
      const VecD d =
          load_lanes(x + v * rows.panel_stride, v + 1 < kPanels ? kLanes : last) - origin[v];
      VecD wd = d;
      if constexpr (kWeighted) wd = w * d;
      s[v] = s[v] + wd;
      if constexpr (kSquares) q[v] = fma(wd, d, q[v]);
    }
  }
  for (int v = 0; v < kPanels; ++v) {
    s[v].store(sum + (first + v) * kLanes);
    if constexpr (kSquares) q[v].store(squares + (first + v) * kLanes);
  }
}

template <int kPanels, class T>
void add_some(const ChosenRows<T>& rows, std::int64_t first, const double* shift, double* sum,
              double* squares) {
  if (rows.weight != nullptr && squares != nullptr)
    add_panels<kPanels, true, true>(rows, first, shift, sum, squares);
  else if (squares != nullptr)
    add_panels<kPanels, false, true>(rows, first, shift, sum, squares);
  else if (rows.weight != nullptr)
    add_panels<kPanels, true, false>(rows, first, shift, sum, squares);
  else
    add_panels<kPanels, false, false>(rows, first, shift, sum, squares);
}

template <class T>
void add_all(const ChosenRows<T>& rows, const double* shift, double* sum, double* squares) {
  const std::int64_t n_panels = (rows.n_cols + kLanes - 1) / kLanes;
  for (std::int64_t first = 0; first < n_panels; first += kMostPanels) switch (n_panels - first) {
      case 1:
        add_some<1>(rows, first, shift, sum, squares);
        break;
      case 2:
        add_some<2>(rows, first, shift, sum, squares);
        break;
      case 3:
        add_some<3>(rows, first, shift, sum, squares);
        break;
      default:
        add_some<kMostPanels>(rows, first, shift, sum, squares);
    }
}

}  // namespace

void add_class_sums(const ChosenRows<double>& rows, const double* shift, double* sum,
                    double* squares) {
  add_all(rows, shift, sum, squares);
}
void add_class_sums(const ChosenRows<float>& rows, const double* shift, double* sum,
                    double* squares) {
  add_all(rows, shift, sum, squares);
}

}  // namespace gramian::GRAMIAN_ISA
