"""An end by the clock, for work that would go on."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gramian.config import config


class OutOfTimeError(BaseException):
    """The time has passed. Like KeyboardInterrupt it is no Exception: no model may swallow it."""


@contextmanager
def stopped_after(seconds: float | None) -> Iterator[None]:
    """Raise `OutOfTimeError` in a block that takes longer; None is no limit.

    On the main thread of a system with timers a signal ends the work wherever it is, native code
    included, which asks for signals all the time. Elsewhere iterative fits end in time by
    themselves, with the best solution so far.
    """
    if seconds is None:
        yield
        return
    if seconds <= 0:
        raise OutOfTimeError
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "setitimer"):
        with config(time_limit=seconds):
            yield
        return
    with _alarm(seconds):
        yield


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Set the timer, and then what it was set to before: limits may nest."""
    is_over = False

    def ring(*_: Any) -> None:
        if not is_over:
            raise OutOfTimeError

    handler = signal.signal(signal.SIGALRM, ring)
    began = time.monotonic()
    outer, _ = signal.getitimer(signal.ITIMER_REAL)
    signal.setitimer(signal.ITIMER_REAL, min(seconds, outer) if outer else seconds)
    try:
        yield
    finally:
        is_over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if outer:
            left = outer - (time.monotonic() - began)
            signal.setitimer(signal.ITIMER_REAL, max(left, 1e-3))
