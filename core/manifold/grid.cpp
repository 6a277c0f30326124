#include "manifold/grid.hpp"

#include <algorithm>
#include <utility>

#include "base/index.hpp"
#include "manifold/grid_kernel.hpp"
#include "parallel/tiles.hpp"

namespace gramian::manifold {
namespace {

constexpr std::int64_t kMargin = 16;  // the splines' inverse dies away within
constexpr double kNanosecondsOfNode = 1.0;

// At each frequency 1 over the transform of a cubic spline's values at the nodes, squared: once for
// spreading and once for reading, so that a potential is met at the nodes.
std::vector<double> sharpening(std::int64_t length) {
  constexpr double kTurn = 6.283185307179586476925;
  std::vector<double> out(at(length));
  for (std::int64_t k = 0; k < length; ++k) {
    // cos by doubling: cos x = 2 cos^2(x / 2) - 1, from where two terms of its series are exact
    const double x = kTurn * static_cast<double>(k) / static_cast<double>(length) / 1024.0;
    double cosine = 1.0 - x * x / 2.0 + x * x * x * x / 24.0;
    for (int step = 0; step < 10; ++step) cosine = 2.0 * cosine * cosine - 1.0;
    const double spline = (4.0 + 2.0 * cosine) / 6.0;
    out[at(k)] = 1.0 / (spline * spline);
  }
  return out;
}

// Offset number k of a circle, 0 opposite of 0 for kernels that are odd.
double offset(std::int64_t k, std::int64_t length) {
  return static_cast<double>(2 * k > length ? k - length : k);
}

}  // namespace

Convolution::Convolution(double spacing, std::int64_t width, std::int64_t height,
                         const Context& ctx)
    : spacing_(spacing),
      across_(Fft::length_for(2 * width + kMargin)),
      down_(Fft::length_for(2 * height + kMargin)),
      n_blocks_((across_.length() / 2 + 1 + 15) / 16),
      spectrum_(n_blocks_ * down_.length() * kFftElement),
      spectrum_y_(n_blocks_ * down_.length() * kFftElement),
      kernels_(n_blocks_ * down_.length() * 3 * 16) {
  for (int kernel = 0; kernel < 3; ++kernel) add_spectrum(kernel, ctx);
}

bool Convolution::suits(double spacing, std::int64_t width, std::int64_t height) const {
  return spacing == spacing_ && Fft::length_for(2 * width + kMargin) == across_.length() &&
         Fft::length_for(2 * height + kMargin) == down_.length();
}

// The spectrum of 1 / (1 + d^2), or of one of its two fields (x or y) / (1 + d^2)^2.
void Convolution::add_spectrum(int kernel, const Context& ctx) {
  const std::int64_t width = full_width(), height = full_height();
  const Fill fill = [&](std::int64_t block, float* values) {
    for (std::int64_t c = 0; c < width; ++c)
      for (std::int64_t lane = 0; lane < kRowsOfBlock; ++lane) {
        const std::int64_t row = block * kRowsOfBlock + lane;
        const double x = spacing_ * offset(c, width), y = spacing_ * offset(row, height);
        const double q = 1.0 / (1.0 + x * x + y * y);
        double value = q;
        if (kernel == 1) value = 2 * c == width ? 0.0 : q * q * x;
        if (kernel == 2) value = 2 * row == height ? 0.0 : q * q * y;
        values[c * kRowsOfBlock + lane] = static_cast<float>(value);
      }
  };
  transform_rows(height, fill, ctx);
  const double scale = 1.0 / (static_cast<double>(width) * static_cast<double>(height));
  const double cost_ns = 4.0 * kNanosecondsOfNode * static_cast<double>(width * height);
  const auto sharp_across = sharpening(width), sharp_down = sharpening(height);
  parallel_for(ctx, n_blocks_, cost_ns, [&](std::int64_t block) {
    float* column = spectrum_.data() + block * height * kFftElement;
    transform(down_, column, false);
    float* out = kernels_.data() + block * height * 3 * 16;
    for (std::int64_t k = 0; k < height; ++k)
      for (std::int64_t lane = 0; lane < 16; ++lane) {
        const std::int64_t place = std::min(block * 16 + lane, width - 1);
        const double sharp = scale * sharp_down[at(k)] * sharp_across[at(place)];
        const float part = column[k * kFftElement + (kernel == 0 ? lane : 16 + lane)];
        out[(k * 3 + kernel) * 16 + lane] = static_cast<float>(sharp * part);
      }
  });
}

// The first half of the rows' spectra, and room for those of the margin.
void Convolution::transform_rows(std::int64_t n_rows, const Fill& fill, const Context& ctx) {
  const std::int64_t n_row_blocks = (n_rows + kRowsOfBlock - 1) / kRowsOfBlock;
  const std::int64_t width = full_width(), block_stride = full_height() * kFftElement;
  const double cost_ns = kNanosecondsOfNode * static_cast<double>(width * n_rows);
  parallel_for(ctx, n_row_blocks, cost_ns, [&](std::int64_t block) {
    Buffer<float> values = spare_.take(width * kFftElement);
    fill(block, values.data());
    transform(across_, values.data(), false);
    GRAMIAN_DISPATCH(part_rows, values.data(), width, block_stride,
                     spectrum_.data() + block * kRowsOfBlock * kFftElement);
    spare_.give_back(std::move(values));
  });
}

double Convolution::operator()(std::int64_t n_rows, const Fill& fill, Buffer<float>& fields,
                               const Context& ctx) {
  transform_rows(n_rows, fill, ctx);
  const double cost_ns = kNanosecondsOfNode * static_cast<double>(full_width() * full_height());
  const double total = parallel_reduce(
      ctx, Tiles::of_rows(n_blocks_, 1), 2.0 * cost_ns,
      [&](std::int64_t block, std::int64_t) { return convolve(block, n_rows); },
      [](double& sum, double next) { sum += next; });
  const std::int64_t n_field_blocks = (n_rows + kRowsOfFields - 1) / kRowsOfFields;
  const std::int64_t size = full_width() * kFftElement;
  if (fields.size() < n_field_blocks * size) fields = Buffer<float>(n_field_blocks * size);
  parallel_for(ctx, n_field_blocks, cost_ns,
               [&](std::int64_t block) { fields_of_rows(block, fields.data() + block * size); });
  return total;
}

double Convolution::convolve(std::int64_t block, std::int64_t n_rows) {
  const std::int64_t height = full_height(), size = height * kFftElement;
  float* x = spectrum_.data() + block * size;
  float* y = spectrum_y_.data() + block * size;
  const std::int64_t n_written = (n_rows + kRowsOfBlock - 1) / kRowsOfBlock * kRowsOfBlock;
  std::fill(x + n_written * kFftElement, x + size, 0.0f);
  transform(down_, x, false);
  float weights[16];  // columns of the other half have the same squares
  for (std::int64_t lane = 0; lane < 16; ++lane) {
    const std::int64_t column = block * 16 + lane;
    weights[lane] = column == 0 || 2 * column == full_width() ? 1.0f : 2.0f;
  }
  const double sum = GRAMIAN_DISPATCH(apply_kernels, height,
                                      kernels_.data() + block * height * 3 * 16, weights, x, y);
  transform(down_, x, true);
  transform(down_, y, true);
  return sum;
}

void Convolution::fields_of_rows(std::int64_t block, float* values) {
  const std::int64_t first = block * kRowsOfFields * kFftElement;
  GRAMIAN_DISPATCH(join_rows, spectrum_.data() + first, spectrum_y_.data() + first, full_width(),
                   full_height() * kFftElement, values);
  transform(across_, values, true);
}

void Convolution::transform(const Fft& fft, float* data, bool inverse) {
  Buffer<float> scratch = spare_.take(fft.length() * kFftElement);
  fft(data, scratch.data(), inverse);
  spare_.give_back(std::move(scratch));
}

}  // namespace gramian::manifold
