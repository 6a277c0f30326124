// Fourier transforms of one length, sixteen at a time (see fft_kernel.hpp for the layout).
#pragma once

#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "manifold/fft_kernel.hpp"

namespace gramian::manifold {

class Fft {
 public:
  explicit Fft(std::int64_t length);

  // The least length that can be transformed, at least n and a multiple of 32.
  static std::int64_t length_for(std::int64_t n);

  std::int64_t length() const { return length_; }

  // Transforms `data` in place; scratch is as long.
  void operator()(float* data, float* scratch, bool inverse) const;

 private:
  std::int64_t length_;
  std::vector<FftStage> stages_;
  Buffer<float> roots_;
};

}  // namespace gramian::manifold
