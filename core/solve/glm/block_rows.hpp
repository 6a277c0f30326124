// Rows that come in blocks, for the same passes: the bits of the same rows in one matrix.
#pragma once

#include <memory>
#include <span>

#include "base/row_blocks.hpp"
#include "solve/glm/rows.hpp"

namespace gramian::solve {

// Refers to X. `centred` as in rows.hpp. A sample of the rows is gathered in one pass and held in
// memory; some columns alone are not to be had.
std::unique_ptr<Rows> rows_for_passes(const RowBlocks& X, std::span<const double> weight,
                                      bool centred);

}  // namespace gramian::solve
