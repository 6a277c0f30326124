// A potential on a grid: charges spread by cubic splines, convolved by Fourier transforms, and read
// back by the same splines. See grid_repulsion.cpp for what it is for.
//
// The grid has `height` rows of `width` nodes, and a margin that keeps the circular convolution of
// one end away from the other. Rows come in blocks: node (row, column) of a block of kBlock rows is
// at column * 32 + lane, so that the sixteen lanes of a batch of transforms are rows. Spectra come
// in blocks of sixteen columns, whose lanes are columns.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "base/spare_buffers.hpp"
#include "manifold/fft.hpp"

namespace gramian::manifold {

inline constexpr std::int64_t kRowsOfBlock = 32;   // of charges: two real rows in a complex one
inline constexpr std::int64_t kRowsOfFields = 16;  // of two fields: one in either part

// Transforms of a grid of one size with the spectra of the three kernels.
class Convolution {
 public:
  // Grids of that spacing and these numbers of nodes in use, within the margins.
  Convolution(double spacing, std::int64_t width, std::int64_t height, const Context& ctx);

  double spacing() const { return spacing_; }
  std::int64_t full_width() const { return across_.length(); }
  std::int64_t full_height() const { return down_.length(); }
  bool suits(double spacing, std::int64_t width, std::int64_t height) const;

  // fill(block, values) writes the charges of kRowsOfBlock rows. Fields x and y are left in
  // `fields`, blocks of kRowsOfFields rows; returns the sum of 1 / (1 + d^2) over pairs of charges.
  using Fill = std::function<void(std::int64_t block, float* values)>;
  double operator()(std::int64_t n_rows, const Fill& fill, Buffer<float>& fields,
                    const Context& ctx);

 private:
  void transform_rows(std::int64_t n_rows, const Fill& fill, const Context& ctx);
  void add_spectrum(int kernel, const Context& ctx);
  double convolve(std::int64_t block, std::int64_t n_rows);
  void fields_of_rows(std::int64_t block, float* values);
  void transform(const Fft& fft, float* data, bool inverse);

  double spacing_;
  Fft across_;
  Fft down_;
  std::int64_t n_blocks_;     // of sixteen columns of a spectrum, of which half and one are kept
  Buffer<float> spectrum_;    // of the charges, then of field x
  Buffer<float> spectrum_y_;  // of field y
  Buffer<float> kernels_;     // three for each entry of the spectrum
  SpareBuffers<float> spare_;
};

}  // namespace gramian::manifold
