// Threads that belong to the core.
#pragma once

#include <functional>

namespace gramian {

// Starts `body` on a new thread that is never joined, takes no signals and counts as a worker
// (ThreadRole). Returns false if the system refuses another thread. `body` must not throw.
bool start_worker_thread(std::function<void()> body);

}  // namespace gramian
