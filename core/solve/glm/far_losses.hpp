// Losses of rows that are elsewhere: a point travels to them, and sums come back.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/row_blocks.hpp"
#include "solve/glm/glm_objective.hpp"
#include "solve/glm/rows.hpp"

namespace gramian::solve {

// Numbers of each row that come back, too, where they are not empty.
struct WantedRows {
  std::span<double> scores;
  std::span<double> kept;
};

// The sums of a pass at the point x (rows.hpp), of the outputs that are scored, in which scores
// become derivatives of the loss.
PassSums far_losses(const RowBlocks& X, std::span<const double> shift, const GlmProblem& problem,
                    std::span<const double> x, Kept kept, const WantedRows& wanted);

// What that asks of a block of rows where it is; nothing for other questions.
std::optional<std::vector<double>> loss_sums_of(const RowSum& asked, const AnyDense& rows,
                                                const Context& ctx);

}  // namespace gramian::solve
