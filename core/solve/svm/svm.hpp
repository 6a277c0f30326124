// Several support vector machines on parts of the same rows, as one-versus-one classification
// needs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "kernel/source.hpp"
#include "solve/svm/smo.hpp"

namespace gramian::solve {

// Machine t has the rows rows[starts[t]] .. rows[starts[t + 1]], and `copies` variables for each:
// its variables begin at copies * starts[t] in the arrays of `problem`.
struct SvmMachines {
  std::span<const std::int64_t> rows;
  std::span<const std::int64_t> starts;
  std::int64_t copies = 1;
  SmoProblem problem;
};

template <class T>
std::vector<SmoResult> solve_machines(const kernel::Source<T>& source, const SvmMachines& machines,
                                      const SmoOptions& options, const Context& ctx);

}  // namespace gramian::solve
