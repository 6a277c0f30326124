// Context, the translation of Interrupted, and the hooks of the tests of threads.
#include "base/context.hpp"

#include <chrono>
#include <new>

#include "base/error.hpp"
#include "bindings/binding.hpp"
#include "bindings/signals.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian {

namespace {

void init_context(Context* self, int n_threads, std::uint64_t seed,
                  std::optional<double> time_limit) {
  require(n_threads >= 1, "n_threads must be at least 1");
  require(!time_limit || *time_limit >= 0.0, "time_limit must be None or a number >= 0");
  auto* ctx = new (self) Context;
  ctx->n_threads = n_threads;
  ctx->seed = seed;
  ctx->poll = poll_signals;
  constexpr double kForever = 1e9;  // seconds; keeps the time point in range
  if (time_limit && *time_limit < kForever)
    ctx->deadline = Context::Clock::now() + std::chrono::duration_cast<Context::Clock::duration>(
                                                std::chrono::duration<double>(*time_limit));
}

// Keeps every thread of `ctx` busy for `seconds`.
void spin(double seconds, const Context& ctx) {
  require(seconds >= 0.0 && seconds < 1e6, "seconds must be in [0, 1e6)");
  const ReleasedGil nogil;
  const auto end = Context::Clock::now() + std::chrono::duration<double>(seconds);
  parallel_for(ctx, ctx.n_threads, 1e9 * seconds * ctx.n_threads, [&](std::int64_t) {
    while (Context::Clock::now() < end) ctx.check();
  });
}

// Presses Ctrl-C and polls for it, with nothing left to do that could be stopped.
void interrupt_at_end(const Context& ctx) {
  const ReleasedGil nogil;
  PyErr_SetInterrupt();
  ctx.poll_stop();
}

}  // namespace

void bind_context(nb::module_& m) {
  nb::register_exception_translator([](const std::exception_ptr& pending, void*) {
    try {
      std::rethrow_exception(pending);
    } catch (const Interrupted&) {
      set_interrupt_error();
    }
  });

  nb::class_<Context>(
      m, "Context",
      "What one native computation may use: threads, seed, and time from now on.\n\n"
      "Make one per fit or predict; after an interrupt it stays stopped.")
      .def("__init__", &init_context, "n_threads"_a = 1, "seed"_a = 0, "time_limit"_a = nb::none())
      .def_ro("n_threads", &Context::n_threads)
      .def_ro("seed", &Context::seed)
      .def("stop", &Context::request_stop,
           "End what runs with this context, in whichever thread, as Ctrl-C would.")
      .def_prop_ro("expired", &Context::expired, "Whether the time limit has passed.");

  m.def("_spin", &spin, "seconds"_a, "ctx"_a,
        "Keep every thread of ctx busy: for tests of interrupts and forks.");
  m.def("_interrupt_at_end", &interrupt_at_end, "ctx"_a,
        "See SIGINT and return all the same: for tests of interrupts.");
}

}  // namespace gramian
