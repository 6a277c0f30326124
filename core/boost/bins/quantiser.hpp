// The bins of the values of one column.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "boost/bins/column_sample.hpp"
#include "boost/bins/feature.hpp"
#include "boost/bins/quantise_kernel.hpp"

namespace gramian::boost {

template <class T>
class Quantiser {
 public:
  explicit Quantiser(const Feature& feature) : feature_(feature) {
    table_.fill(std::numeric_limits<T>::infinity());
    for (std::size_t i = 0; i < feature.edges.size(); ++i) {
      auto edge = static_cast<T>(feature.edges[i]);
      // x <= edge for a float x if x is not above the largest float that is not above the edge.
      if (static_cast<double>(edge) > feature.edges[i])
        edge = std::nextafter(edge, -std::numeric_limits<T>::infinity());
      table_[i] = edge;
    }
  }

  // Returns whether one of the n values is missing.
  bool write(const T* values, std::int64_t n, std::uint8_t* bins) const {
    const auto missing = static_cast<std::uint8_t>(feature_.n_bins);
    if (feature_.is_categorical()) {
      for (std::int64_t i = 0; i < n; ++i)
        bins[i] = is_level(values[i], feature_.n_levels)
                      ? feature_.bin_of_level[static_cast<std::size_t>(values[i])]
                      : missing;
    } else {
      GRAMIAN_DISPATCH(write_bins, values, n, table_.data(),
                       static_cast<int>(feature_.edges.size()), missing, bins);
    }
    bool has_missing = false;
    for (std::int64_t i = 0; i < n; ++i) has_missing |= bins[i] == missing;
    return has_missing;
  }

 private:
  const Feature& feature_;
  std::array<T, kEdgeTable> table_;
};

}  // namespace gramian::boost
