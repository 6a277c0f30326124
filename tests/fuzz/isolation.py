"""Cases in child processes with limits, and what is left of those that fail."""

import gc
import os
import re
import resource
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from itertools import islice
from typing import NoReturn, Protocol

from tests.fuzz.outcomes import FoundError

PROCESSOR_SECONDS = 10.0
WALL_SECONDS = 120.0
"""Limits of one case; the second ends a case that waits without end."""
MEMORY_BYTES = 1 << 30
"""What a case may take above what the process has before it, and half of what it may map."""
IMPORTED_LATE = tuple(f"scipy.{part}" for part in ["linalg", "optimize", "sparse.linalg", "stats"])
"""What estimators import when they need it: not within the limits of a case."""
BATCH = 40
"""Cases in one child: a fork costs more than most of them."""


class Case(Protocol):
    """One thing to try; its ``repr`` is code that makes it again."""

    def run(self) -> str:
        """Return the outcome in a word or two; raise `FoundError` if it must not be."""

    def smaller(self) -> Iterator["Case"]:
        """Yield cases that are simpler than this one, the simplest first."""


@dataclass
class Results:
    """How many cases ended how, and those that must not end so."""

    counts: Counter[str] = field(default_factory=Counter)
    findings: dict[str, tuple[Case, str]] = field(default_factory=dict)
    slowest: float = 0.0

    @property
    def n_cases(self) -> int:
        return sum(self.counts.values())

    def take(self, part: "Results") -> list[tuple[Case, str]]:
        """Add the results of further cases; return the findings that are new."""
        new = {key: found for key, found in part.findings.items() if key not in self.findings}
        self.counts.update(part.counts)
        self.findings.update(new)
        self.slowest = max(self.slowest, part.slowest)
        return list(new.values())


def is_sanitized() -> bool:
    """Tell whether a sanitizer is loaded: it maps far more memory than it uses."""
    return "san" in os.environ.get("LD_PRELOAD", "")


def run_cases(cases: Iterable[Case], *, seconds: float = float("inf")) -> Results:
    """Run cases until they end or the time is up; findings alike are kept once."""
    results, deadline = Results(), time.monotonic() + seconds
    for module in IMPORTED_LATE:
        import_module(module)
    gc.freeze()  # or the children would copy what their collector only looks at
    remaining = iter(cases)
    while time.monotonic() < deadline and (batch := list(islice(remaining, BATCH))):
        while batch:
            batch = batch[_run_batch(batch, results) :]
    return results


def _run_batch(batch: list[Case], results: Results) -> int:
    """Run cases in one child, up to the first that ends it; return how many were run."""
    reader, writer = os.pipe()
    sys.stdout.flush()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking with threads
        pid = os.fork()
    if pid == 0:
        os.close(reader)
        _work_and_exit(batch, writer)
    os.close(writer)
    with os.fdopen(reader) as told:
        lines = [line.rstrip("\n").split("\t", 2) for line in told]
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    for case, (kind, seconds, text) in zip(batch, lines, strict=False):
        results.slowest = max(results.slowest, float(seconds))
        results.counts[kind if kind == "finding" else text] += 1
        if kind == "finding":
            _keep(results, case, text.replace("\\n", "\n"))
    if len(lines) < len(batch):
        results.counts["finding"] += 1
        _keep(results, batch[len(lines)], _end_of(status))
        return len(lines) + 1
    return len(batch)


def _keep(results: Results, case: Case, text: str) -> None:
    results.findings.setdefault(f"{getattr(case, 'name', '')} {signature(text)}", (case, text))


def _end_of(status: int) -> str:
    if -status in (signal.SIGPROF, signal.SIGALRM):
        return "the case did not end within its time"
    name = signal.Signals(-status).name if status < 0 else f"status {status}"
    return f"the process ended with {name}"


def _work_and_exit(batch: list[Case], writer: int) -> NoReturn:
    try:
        for number in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # where estimators report their progress
        factor = 10 if is_sanitized() else 1
        if not is_sanitized():
            _limit_memory()
        for case in batch:
            signal.setitimer(signal.ITIMER_PROF, factor * PROCESSOR_SECONDS)
            signal.setitimer(signal.ITIMER_REAL, factor * WALL_SECONDS)
            began, peak = time.process_time(), _peak_bytes()
            kind, text = _outcome(case)
            if _peak_bytes() - peak > MEMORY_BYTES and not is_sanitized():
                kind, text = "finding", "the case took over 1 GiB of memory"
            seconds = time.process_time() - began
            os.write(writer, f"{kind}\t{seconds:.3f}\t{text}\n".encode("utf-8", "replace"))
    finally:
        os._exit(0)


def _outcome(case: Case) -> tuple[str, str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return "ended", case.run()
    except FoundError as finding:
        text = str(finding)
    except BaseException as error:
        text = "".join(traceback.format_exception(error)[-3:])
    return "finding", text[-1500:].strip().replace("\n", "\\n").replace("\t", " ")


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _limit_memory() -> None:
    with open("/proc/self/statm") as statm:
        used = int(statm.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 2 * MEMORY_BYTES, resource.RLIM_INFINITY))


def signature(text: str) -> str:
    """Return what two findings of one fault share: the words without the numbers."""
    last = text.strip().splitlines()[-1] if text.strip() else ""
    return re.sub(r"'[^']*'|[-+]?\d[\d.e+-]*|\bnan\b|\binf\b", "#", last)[:120]


def minimise(case: Case, text: str, *, seconds: float = 30.0) -> tuple[Case, str]:
    """Return the smallest case found that fails alike."""
    wanted, deadline = signature(text), time.monotonic() + seconds
    shrunk = True
    while shrunk and time.monotonic() < deadline:
        shrunk = False
        for smaller in case.smaller():
            found = run_cases([smaller]).findings
            alike = [said for _, said in found.values() if signature(said) == wanted]
            if alike:
                case, text, shrunk = smaller, alike[0], True
                break
    return case, text
