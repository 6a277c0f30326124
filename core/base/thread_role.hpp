// What the running thread is to the pool. Set by core/parallel only.
#pragma once

namespace gramian {

struct ThreadRole {
  bool is_worker = false;    // started by the core: never runs the poll callback
  bool in_parallel = false;  // inside a parallel_for: a nested one stays serial
};

// constinit: no initialisation check on access from other files.
extern constinit thread_local ThreadRole thread_role;

}  // namespace gramian
