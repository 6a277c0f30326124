#include "manifold/spline_kernel.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

constexpr int kNodes = kSplineNodes;
constexpr std::int64_t kRows = 32;    // of a block of charges
constexpr std::int64_t kFields = 16;  // rows of a block of fields

// Sums over the columns at four rows that are adjacent in memory.
void read_adjacent(const float* node, const float* x, float (&sum_x)[kNodes],
                   float (&sum_y)[kNodes]) {
  for (int c = 0; c < kNodes; ++c)
    for (int r = 0; r < kNodes; ++r) {
      sum_x[r] += x[c] * node[c * kRows + r];
      sum_y[r] += x[c] * node[c * kRows + kFields + r];
    }
}

void read_apart(const float* fields, std::int64_t block_size, std::int64_t row, std::int64_t column,
                const float* x, float (&sum_x)[kNodes], float (&sum_y)[kNodes]) {
  for (int r = 0; r < kNodes; ++r) {
    const float* node =
        fields + (row + r) / kFields * block_size + column * kRows + (row + r) % kFields;
    for (int c = 0; c < kNodes; ++c) {
      sum_x[r] += x[c] * node[c * kRows];
      sum_y[r] += x[c] * node[c * kRows + kFields];
    }
  }
}

}  // namespace

void place_splines(const float* coordinates, std::int64_t n, float low, float inverse_spacing,
                   std::int32_t* first, float* values) {
  constexpr float kSixth = 1.0f / 6.0f;
  for (std::int64_t i = 0; i < n; ++i) {
    const float u = (coordinates[i] - low) * inverse_spacing;
    first[i] = static_cast<std::int32_t>(u);
    const float t = u - static_cast<float>(first[i]), s = 1.0f - t;
    values[i * kNodes] = s * s * s * kSixth;
    values[i * kNodes + 1] = (t * t * (3.0f * t - 6.0f) + 4.0f) * kSixth;
    values[i * kNodes + 2] = (s * s * (3.0f * s - 6.0f) + 4.0f) * kSixth;
    values[i * kNodes + 3] = t * t * t * kSixth;
  }
}

void spread_charges(const std::int32_t* points, std::int64_t n, const Splines& across,
                    const Splines& down, std::int64_t first_row, float* rows) {
  for (std::int64_t place = 0; place < n; ++place) {
    const std::int64_t i = points[place];
    const std::int64_t row = down.first[i] - first_row;
    if (row + kNodes <= 0) continue;
    const float *x = across.values + i * kNodes, *y = down.values + i * kNodes;
    float* node = rows + across.first[i] * kRows + row;
    if (row >= 0 && row + kNodes <= kRows) {
      for (int c = 0; c < kNodes; ++c)
        for (int r = 0; r < kNodes; ++r) node[c * kRows + r] += x[c] * y[r];
      continue;
    }
    for (int r = 0; r < kNodes; ++r) {
      if (row + r < 0 || row + r >= kRows) continue;
      for (int c = 0; c < kNodes; ++c) node[c * kRows + r] += x[c] * y[r];
    }
  }
}

void read_fields(std::int64_t begin, std::int64_t end, const Splines& across, const Splines& down,
                 const float* fields, std::int64_t block_size, float* force_x, float* force_y) {
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t row = down.first[i], column = across.first[i];
    const float *x = across.values + i * kNodes, *y = down.values + i * kNodes;
    float sum_x[kNodes] = {}, sum_y[kNodes] = {};
    if (row % kFields + kNodes <= kFields)
      read_adjacent(fields + row / kFields * block_size + column * kRows + row % kFields, x, sum_x,
                    sum_y);
    else
      read_apart(fields, block_size, row, column, x, sum_x, sum_y);
    force_x[i] = (sum_x[0] * y[0] + sum_x[1] * y[1]) + (sum_x[2] * y[2] + sum_x[3] * y[3]);
    force_y[i] = (sum_y[0] * y[0] + sum_y[1] * y[1]) + (sum_y[2] * y[2] + sum_y[3] * y[3]);
  }
}

}  // namespace gramian::GRAMIAN_ISA
