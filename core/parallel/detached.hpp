// Long calls that cannot be interrupted (LAPACK), made interruptible from outside.
#pragma once

#include <functional>

#include "base/context.hpp"

namespace gramian {

// Runs fn() and returns when it has ended; rethrows what it throws. If its estimated cost in
// nanoseconds is large, fn runs on a thread of its own while the caller polls ctx every 10 ms:
// after a stop the caller leaves at once with Interrupted and the thread ends in the background.
//
// fn must therefore own all that it touches, inputs and outputs, through captured shared_ptrs to
// native memory, and may not use ctx, which belongs to the caller.
void run_detached(const Context& ctx, double cost_ns, std::function<void()> fn);

}  // namespace gramian
