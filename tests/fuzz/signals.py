"""Ctrl-C at random moments of fit, predict and transform, for every registered estimator.

    python -m tests.fuzz.signals --tries 30 --seed 3 --only Ridge

Each time KeyboardInterrupt must come, within 0.2 s of the process's own processor time, and leave
an estimator that answers as before.
"""

import argparse
import ctypes
import os
import random
import signal
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
from tests.contract.cases import METHODS, as_array, classes, fit, make_data
from tests.fuzz.inputs import plain_estimator

import gramian

PROMISED_SECONDS = 0.2
LEAST_SECONDS = 0.05
"""How long a call should last, so that there are moments to choose from."""
MOST_ROWS = 1_000_000
WAIT_SECONDS = 2.0
"""Processor time after which a signal counts as lost."""


class _Sigevent(ctypes.Structure):
    _fields_ = (
        ("value", ctypes.c_void_p),
        ("signo", ctypes.c_int),
        ("notify", ctypes.c_int),  # 0: by a signal
        ("unused", ctypes.c_byte * 48),
    )


class _Itimerspec(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_long) for name in ("every_s", "every_ns", "s", "ns"))


class Sender:
    """A timer of the system that sends SIGINT once the process has used so much processor time.

    The moments do not depend on how busy the machine is, and nobody needs the interpreter's lock.
    """

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._timer = ctypes.c_void_p()
        event = _Sigevent(signo=signal.SIGINT)
        clock = time.CLOCK_PROCESS_CPUTIME_ID
        if self._libc.timer_create(clock, ctypes.byref(event), ctypes.byref(self._timer)):
            raise OSError(ctypes.get_errno(), "timer_create")
        self.sent_at = 0.0

    def start(self, delay: float) -> None:
        """Ask for a signal after so many seconds of processor time."""
        when = _Itimerspec(s=int(delay), ns=1 + int(delay % 1.0 * 1e9))
        self.sent_at = time.process_time() + delay
        if self._libc.timer_settime(self._timer, 0, ctypes.byref(when), None):
            raise OSError(ctypes.get_errno(), "timer_settime")


@dataclass
class Seen:
    """What the signals of one method have led to."""

    n_tries: int = 0
    n_inside: int = 0
    slowest: float = 0.0
    faults: list[str] = field(default_factory=list)


_ignored: list[str] = []


def _note_ignored(unraisable: Any) -> None:
    _ignored.append(unraisable.exc_type.__name__)


def interrupt(call: Callable[[], Any], delay: float, sender: Sender, seen: Seen) -> None:
    """Run a call, and a signal into it."""
    seen.n_tries += 1
    is_inside, fault = True, None
    try:
        try:
            sender.start(delay)
            call()
            is_inside = False
            deadline = sender.sent_at + WAIT_SECONDS
            while time.process_time() < deadline and not _ignored:
                pass  # until the signal comes
            fault = None if _ignored else "the signal was lost"
        except KeyboardInterrupt:
            pass
        except BaseException as error:
            fault = repr(error)
            while time.process_time() < sender.sent_at + 0.05:
                pass
    except KeyboardInterrupt:
        fault = f"{fault}, and KeyboardInterrupt only later"
    now = time.process_time()
    _ignored.clear()  # in a destructor, where Python drops what is raised
    late = now - sender.sent_at if fault is None and is_inside else 0.0
    seen.n_inside += is_inside
    seen.slowest = max(seen.slowest, late)
    if late > PROMISED_SECONDS:
        fault = f"KeyboardInterrupt came after {late:.2f} s of processor time"
    if fault is not None:
        seen.faults.append(f"{fault} (delay {delay:.4f} s)")


def _answers(estimator: Any, X: Any) -> dict[str, Any]:
    return {m: as_array(getattr(estimator, m)(X)) for m in METHODS if hasattr(estimator, m)}


def _seconds(call: Callable[[], Any]) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began


def _lasting(make: Callable[[int], Callable[[], Any]]) -> tuple[Callable[[], Any], float]:
    """Return a call on enough rows to last a moment, and how long it lasts."""
    n_rows = 500
    while True:
        call = make(n_rows)
        lasts = _seconds(call)
        if lasts >= LEAST_SECONDS or n_rows >= MOST_ROWS:
            return call, min(lasts, _seconds(call))
        n_rows *= 2 if lasts > LEAST_SECONDS / 4 else 8


def try_estimator(name: str, n_tries: int, seed: int) -> dict[str, Seen]:
    """Interrupt each method of an estimator; return what was seen."""
    draws, sender = random.Random(f"{seed}/{name}"), Sender()
    estimator = plain_estimator(name)
    few, y = make_data(estimator, 60, 4)
    fitted = fit(estimator, few, y)
    expected = _answers(fitted, few)
    found = {}

    def refit(n_rows: int) -> Callable[[], Any]:
        data = make_data(plain_estimator(name), n_rows, 6)
        return lambda: fit(plain_estimator(name), *data)

    def ask(method: str) -> Callable[[int], Callable[[], Any]]:
        def make(n_rows: int) -> Callable[[], Any]:
            rows = np.resize(few, (n_rows, *few.shape[1:])) if few.ndim == 2 else few
            return lambda: getattr(fitted, method)(rows)

        return make

    makers = {"fit": refit} | {method: ask(method) for method in expected}
    for method, make in makers.items():
        call, lasts = _lasting(make)
        seen = found[method] = Seen()
        for _ in range(n_tries):
            interrupt(call, draws.uniform(0.0, 1.1 * lasts), sender, seen)
            if not seen.faults and not _is_same(_answers(fitted, few), expected):
                seen.faults.append("the estimator does not answer as before")
        call()  # it still can
    found["fit"].faults += _refit_faults(name, fitted, few, expected, draws, sender)
    return found


def _refit_faults(
    name: str, fitted: Any, few: Any, expected: Any, draws: random.Random, sender: Sender
) -> list[str]:
    """Interrupt a second fit of a fitted estimator: it must stay what it was."""
    is_pairwise = fitted._tags().pairwise
    n_rows, n_columns = (len(few), 4) if is_pairwise else (400, np.atleast_2d(few).shape[1])
    rows, y = make_data(plain_estimator(name), n_rows, n_columns, seed=1)
    seen, lasts = Seen(), _seconds(lambda: fit(plain_estimator(name), rows, y))
    interrupt(lambda: fit(fitted, rows, y), draws.uniform(0.0, lasts), sender, seen)
    answers = _answers(fitted, few)
    if seen.n_inside and not _is_same(answers, expected):
        again = _answers(fit(plain_estimator(name), rows, y), few)
        if not _is_same(answers, again):  # the signal may have come as the fit had ended
            seen.faults.append("an interrupted fit has changed the estimator")
    return seen.faults


def _is_same(first: dict[str, Any], second: dict[str, Any]) -> bool:
    return first.keys() == second.keys() and all(
        np.array_equal(first[m], second[m], equal_nan=first[m].dtype.kind == "f") for m in first
    )


def run_in_child(name: str, n_tries: int, seed: int) -> tuple[int, int, float, list[str]]:
    """Try one estimator in a process of its own; return tries, those inside, latency and faults."""
    reader, writer = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        _child(name, n_tries, seed, writer)
    os.close(writer)
    with os.fdopen(reader) as told:
        lines = told.read().splitlines()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status or not lines:
        return 0, 0, 0.0, [f"the process ended with status {status}", *lines]
    n, inside, slowest = lines[0].split()
    return int(n), int(inside), float(slowest), lines[1:]


def _child(name: str, n_tries: int, seed: int, writer: int) -> NoReturn:
    status = 0
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
        sys.unraisablehook = _note_ignored
        warnings.simplefilter("ignore")
        with gramian.config(n_threads=2):
            found = try_estimator(name, n_tries, seed)
        inside = sum(seen.n_inside for seen in found.values())
        slowest = max(seen.slowest for seen in found.values())
        total = sum(seen.n_tries for seen in found.values())
        lines = [f"{total} {inside} {slowest}"]
        lines += [f"{name}.{m}: {fault}" for m, seen in found.items() for fault in seen.faults]
        os.write(writer, "\n".join(lines).encode())
    except BaseException as error:
        os.write(writer, f"{name}: {error!r}".encode())
        status = 1
    finally:
        os._exit(status)


def main() -> int:
    """Run what the command line asks for; return 1 if something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.signals", description=__doc__)
    parser.add_argument("--tries", type=int, default=30, help="signals for each method")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", default="", help="one class, by its name")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    total = inside = n_faults = 0
    worst = 0.0
    for name in classes():
        if options.only in ("", name):
            n, n_inside, slowest, faults = run_in_child(name, options.tries, options.seed)
            total, inside, worst = total + n, inside + n_inside, max(worst, slowest)
            n_faults += len(faults)
            print(f"{name}: {n} signals, {n_inside} inside, latest {slowest:.3f} s", flush=True)
            print("".join(f"  FOUND {fault}\n" for fault in faults), end="", flush=True)
    print(f"{total} signals, {inside} inside a call, latest {worst:.3f} s, {n_faults} faults")
    return 1 if n_faults else 0


if __name__ == "__main__":
    sys.exit(main())
