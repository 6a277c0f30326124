"""Calls into other libraries that Ctrl-C could not stop, made interruptible."""

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_POLL_SECONDS = 0.05
_QUICK = 1 << 24  # operations that end within some hundredths of a second


def interruptible(
    operations: float, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs
) -> R:
    """Return ``function(*args, **kwargs)``, run so that Ctrl-C is obeyed while it computes.

    LAPACK and SciPy hold the main thread until they are done. Here they run on a thread of their
    own; after an interrupt the main thread goes on at once, and the other ends in the background,
    its result dropped. Calls of few operations are direct: they are over before a thread pays. So
    are those off the main thread, where Python delivers no signals.
    """
    if operations <= _QUICK or threading.current_thread() is not threading.main_thread():
        return function(*args, **kwargs)
    outcome: dict[str, Any] = {}

    def run() -> None:
        try:
            outcome["result"] = function(*args, **kwargs)
        except BaseException as error:  # handed over to the caller's thread
            outcome["error"] = error

    thread = threading.Thread(target=copy_context().run, args=(run,), daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_POLL_SECONDS)
    if "error" in outcome:
        raise outcome["error"]
    result: R = outcome["result"]
    return result
