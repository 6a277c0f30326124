#include "linalg/chosen_panels_kernel.hpp"

#include "simd/simd.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

constexpr std::int64_t kWidth = VecD::kLanes;

template <class T>
std::int64_t row_of(const ChosenSource<T>& source, std::int64_t k) {
  return source.rows ? source.rows[k] : k;
}

template <class T>
const double* shift_of(const ChosenSource<T>& source, std::int64_t row) {
  return source.shift + (source.codes ? source.codes[row] * source.shift_stride : 0);
}

// Subtracts the shifts and multiplies in place, in panels of the rows as they are; the entries
// beyond the last column stay zero, as those of the shifts are.
template <class T>
void centre_panels(const ChosenSource<T>& source, double* panels) {
  for (std::int64_t k = 0; k < source.n_rows; ++k) {
    const double* shift = shift_of(source, k);
    const VecD scale = VecD::set1(source.row_scale ? source.row_scale[k] : 1.0);
    double* out = panels + k * kWidth;
    for (std::int64_t v = 0; v < n_panels(source.n_cols); ++v, out += kPanelStride) {
      const VecD apart = VecD::load(out) - VecD::load(shift + v * kWidth);
      (source.row_scale ? apart * scale : apart).store(out);
    }
  }
}

template <class T>
void pack_adjacent(const ChosenSource<T>& source, double* panels) {
  const std::int64_t whole = source.n_cols / kWidth, rest = source.n_cols - whole * kWidth;
  for (std::int64_t k = 0; k < source.n_rows; ++k) {
    const std::int64_t row = row_of(source, k);
    const T* x = source.data + row * source.row_stride;
    const double* shift = shift_of(source, row);
    const VecD scale = VecD::set1(source.row_scale ? source.row_scale[row] : 1.0);
    const auto put = [&](VecD values, std::int64_t v) {
      const VecD apart = values - VecD::load(shift + v * kWidth);
      (source.row_scale ? apart * scale : apart).store(panels + v * kPanelStride + k * kWidth);
    };
    for (std::int64_t v = 0; v < whole; ++v) put(VecD::load(x + v * kWidth), v);
    if (rest > 0) put(load_partial<VecD>(x + whole * kWidth, rest), whole);
  }
}

template <class T>
void pack_scattered(const ChosenSource<T>& source, double* panels) {
  for (std::int64_t j = 0; j < n_panels(source.n_cols) * kWidth; ++j) {
    const T* column = source.data + j * source.col_stride;
    double* out = panels + (j / kWidth) * kPanelStride + j % kWidth;
    for (std::int64_t k = 0; k < source.n_rows; ++k) {
      const std::int64_t row = row_of(source, k);
      double apart = 0.0;
      if (j < source.n_cols)
        apart = static_cast<double>(column[row * source.row_stride]) - shift_of(source, row)[j];
      out[k * kWidth] = source.row_scale ? apart * source.row_scale[row] : apart;
    }
  }
}

template <class T>
void pack(const ChosenSource<T>& source, double* panels) {
  if (source.col_stride == 1) return pack_adjacent(source, panels);
  if (source.rows) return pack_scattered(source, panels);
  const PackSource<T> plain{source.data, source.row_stride, source.col_stride, source.n_rows,
                            source.n_cols};
  pack_panels(plain, panels);
  centre_panels(source, panels);
}

}  // namespace

void pack_chosen(const ChosenSource<double>& source, double* panels) { pack(source, panels); }
void pack_chosen(const ChosenSource<float>& source, double* panels) { pack(source, panels); }

}  // namespace gramian::GRAMIAN_ISA
