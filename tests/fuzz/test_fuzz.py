"""A short part of the fuzz, the same each time; ``make fuzz`` runs as long as it is told to."""

import os
import signal
import sys
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pytest
from tests.fuzz import signals
from tests.fuzz.__main__ import KINDS
from tests.fuzz.arrays import TWISTS, twisted
from tests.fuzz.isolation import minimise, run_cases
from tests.fuzz.model_files import count_cases
from tests.fuzz.outcomes import FoundError

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")


@pytest.mark.parametrize(
    ("kind", "n_cases"), [("inputs", 500), ("calls", 240), ("files", 1000), ("library-files", 200)]
)
def test_nothing_is_found(kind, n_cases):
    results = run_cases(islice(KINDS[kind](seed=0, only=""), n_cases))
    told = [f"{text}\n{case.snippet()}" for case, text in results.findings.values()]
    assert not told, "\n\n".join(told)
    assert results.n_cases == n_cases
    assert len(results.counts) >= 2  # some were answered, some refused


@pytest.mark.parametrize("value", [10**9, 2**62])
def test_every_count_of_every_class(value):
    """A number in a file must not be what an array is allocated by."""
    results = run_cases(count_cases(value))
    told = [f"{text}\n{case.snippet()}" for case, text in results.findings.values()]
    assert not told, "\n\n".join(told)
    assert results.counts["refused"] > 200


@dataclass(frozen=True)
class Trouble:
    """A case that goes wrong in a way of one's choice, if it is large enough."""

    how: str
    size: int = 20

    def run(self):
        if self.size < 3:
            return "answered"
        if self.how == "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.how == "hang":
            while True:
                pass
        if self.how == "memory":
            return f"answered {bytearray(2**33)[0]}"
        raise FoundError("wrong") if self.how == "finding" else IndexError("nowhere")

    def smaller(self):
        if self.size:
            yield Trouble(self.how, self.size - 1)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("crash", "the process ended with SIGKILL"),
        ("hang", "did not end within its time"),
        ("memory", "MemoryError"),
        ("finding", "wrong"),
        ("error", "IndexError: nowhere"),
    ],
)
def test_trouble_is_told(how, said, monkeypatch):
    """What goes wrong is found, the cases behind it are run, and it is made small."""
    monkeypatch.setattr("tests.fuzz.isolation.PROCESSOR_SECONDS", 0.2)
    results = run_cases([Trouble(how, 1), Trouble(how), Trouble("finding", 2)])
    ((case, text),) = results.findings.values()
    assert said in text
    assert results.counts == {"answered": 2, "finding": 1}
    if how != "hang":
        assert minimise(case, text)[0] == Trouble(how, 3)


def test_every_twist_applies():
    """A twist that fails is left out of a case; none may fail for a plain matrix."""
    plain = np.abs(np.random.default_rng(0).standard_normal((30, 3))) + 1.0
    for name, twist in TWISTS.items():
        assert twist(plain, np.random.default_rng(0)) is not plain, name
    lost = twisted(None, ("turned",), 0)
    assert lost is None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="timers of Linux")
@pytest.mark.parametrize("name", ["Ridge", "DecisionTreeClassifier"])
def test_signals_by_processor_time(name):
    n_signals, n_inside, latest, faults = signals.run_in_child(name, n_tries=4, seed=0)
    assert faults == [] and n_signals >= 8
    assert n_inside > 0 and latest <= signals.PROMISED_SECONDS
