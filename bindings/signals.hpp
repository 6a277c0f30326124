// Signals that arrive in the midst of a native call.
//
// Their Python handlers run when the core polls, and what a handler raises is kept aside: a call
// may go on for a while, end well or fail for another reason, and must never return with Python's
// error set. From there it reaches Python in one of two ways. A call that ends by Interrupted
// raises it. After any other call the interpreter does, as soon as it goes on, just as it would
// have run the handler of a signal that the call had not seen.
#pragma once

namespace gramian {

// The poll of a Context: runs the handlers, which only the main thread may do. True if one raised.
bool poll_signals(void*) noexcept;

// Sets the error of a call that ended by Interrupted: what a handler raised, else
// KeyboardInterrupt.
void set_interrupt_error();

}  // namespace gramian
