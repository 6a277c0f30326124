"""Measuring a call inside the current process: its time, and the memory it adds."""

import ctypes
import gc
import time
from collections.abc import Callable
from pathlib import Path

Call = Callable[[], object]

# A shorter call is repeated until this many seconds have passed, and the average taken.
MIN_SECONDS = 0.03


def seconds_per_call(call: Call, n_calls: int = 1) -> float:
    """Return the average wall time of a call."""
    gc.collect()
    start = time.perf_counter()
    for _ in range(n_calls):
        call()
    return (time.perf_counter() - start) / n_calls


def calls_needed(call: Call) -> int:
    """Return how many calls take about `MIN_SECONDS`."""
    seconds = seconds_per_call(call)
    if seconds >= MIN_SECONDS:
        return 1
    seconds = min(seconds, seconds_per_call(call), seconds_per_call(call))
    return max(1, round(MIN_SECONDS / seconds))


def peak_memory(call: Call) -> int | None:
    """Return how far the resident memory rises above its present size, in bytes (Linux only).

    Writing 5 to ``clear_refs`` sets the kernel's high-water mark back to the present size. Memory
    that was freed but kept by the allocator is given back first, or the call could use it unseen.
    """
    status, clear_refs = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    if not clear_refs.exists():
        return None
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    before = _kilobytes(status, "VmRSS")
    clear_refs.write_text("5")
    call()
    return max(0, _kilobytes(status, "VmHWM") - before) * 1024


def _kilobytes(status: Path, key: str) -> int:
    for line in status.read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1])
    raise RuntimeError(f"{status} has no entry {key}.")
