// Products of columns that are gathered from the data, a block of rows at a time, into panels.
#pragma once

#include <cstdint>
#include <functional>

#include "base/buffer.hpp"
#include "base/context.hpp"

namespace gramian::solve {

struct GatheredColumns {
  std::int64_t n_rows;
  std::int64_t n_old, n_new;  // columns; either kind fills whole panels
  // Packs all columns of the rows begin .. end, at most kBlockRows: the old ones, then the new.
  std::function<void(std::int64_t begin, std::int64_t end, double* panels)> gather;
};

// sum_i a_i b_i of every new column b with every old and every new one, a. Columns of the result
// are the new ones, rows the old and the new, by panels; of two new panels the later one is the
// row.
Buffer<double> gathered_gram(const GatheredColumns& columns, const Context& ctx);

}  // namespace gramian::solve
