"""One process for each contender's library, all of which measure the same calls in turns."""

import inspect
import math
import multiprocessing
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from benchmarks._harness import PAUSE_SECONDS
from benchmarks._measure import calls_needed, peak_memory, seconds_per_call
from benchmarks._row import OURS, Contender
from benchmarks._worker import Failure, intelex_messages
from benchmarks.shapes.draw import Data, TableShape, make_data
from benchmarks.shapes.peers import Duel

CALLS = ("fit", "predict", "ten rows", "one row")
PATIENCE_SECONDS = 120.0
"""A contender that answers later than that is out of the shape."""


@dataclass
class Outcome:
    """What each contender took for each call at one shape, in seconds, and its memory in fit."""

    duel: str
    shape: TableShape
    seconds: dict[str, dict[str, float]] = field(default_factory=dict)
    memory: dict[str, int | None] = field(default_factory=dict)
    score: dict[str, float] = field(default_factory=dict)
    refusals: dict[str, str] = field(default_factory=dict)
    fallbacks: frozenset[str] = frozenset()

    def ratio(self, call: str, peer: str) -> float | None:
        """Return how many times longer than ours a peer's call takes."""
        ours = self.seconds.get(OURS, {}).get(call)
        theirs = self.seconds.get(peer, {}).get(call)
        if ours is None or theirs is None or peer in self.fallbacks:
            return None
        return theirs / ours


class Arena:
    """The processes of all libraries, begun when they are first needed."""

    def __init__(self, n_turns: int) -> None:
        self.n_turns = n_turns
        self.players: dict[str, _Player] = {}

    def __enter__(self) -> "Arena":
        return self

    def __exit__(self, *exception: object) -> None:
        for player in self.players.values():
            player.end()

    def meet(self, duel: Duel, shape: TableShape) -> Outcome:
        """Measure one model and its peers at one shape."""
        outcome = Outcome(duel.name, shape)
        ready = dict(self._prepared(duel, shape, outcome))
        for call in CALLS:
            best = dict.fromkeys(ready, math.inf)
            for turn in range(self.n_turns):
                for label in _rotated(list(ready), turn):
                    seconds = ready[label].ask(("go", call))
                    if isinstance(seconds, float):
                        best[label] = min(best[label], seconds)
            for label, seconds in best.items():
                if math.isfinite(seconds):
                    outcome.seconds.setdefault(label, {})[call] = seconds
        return outcome

    def _prepared(
        self, duel: Duel, shape: TableShape, outcome: Outcome
    ) -> Iterator[tuple[str, "_Player"]]:
        fallbacks = set()
        for label, contender in duel.contenders.items():
            player = self._player(label)
            answer = player.ask(("open", contender, shape, duel.kind, duel.needs))
            if isinstance(answer, Failure):
                outcome.refusals[label] = answer.message
                continue
            outcome.memory[label], outcome.score[label], is_fallback = answer
            fallbacks |= {label} if is_fallback else set()
            yield label, player
        outcome.fallbacks = frozenset(fallbacks)

    def _player(self, label: str) -> "_Player":
        if label not in self.players or not self.players[label].is_alive:
            self.players[label] = _Player()
        return self.players[label]


def _rotated(labels: list[str], turn: int) -> list[str]:
    start = turn % len(labels) if labels else 0
    return labels[start:] + labels[:start]


class _Player:
    """A process seen from outside: asks, and waits for the answer."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=work, args=(other,))
        self.process.start()
        other.close()
        self.is_alive = True

    def ask(self, request: tuple[Any, ...]) -> Any:
        time.sleep(PAUSE_SECONDS)
        try:
            self.connection.send(request)
            if self.connection.poll(PATIENCE_SECONDS):
                return self.connection.recv()
            self.process.kill()
            message = f"no answer within {PATIENCE_SECONDS:.0f} s"
        except (EOFError, ConnectionError):
            self.process.join()
            message = f"the process ended with exit code {self.process.exitcode}"
        self.is_alive = False
        return Failure(message, kind="slow")

    def end(self) -> None:
        if self.is_alive:
            self.connection.send(("end",))
        self.process.join()


def work(connection: Connection) -> None:
    """Answer requests: "open" a model on data, "go" for a call, until "end"."""
    warnings.simplefilter("ignore")
    task: _Task | None = None
    while (request := connection.recv())[0] != "end":
        try:
            if request[0] == "open":
                task = _Task(*request[1:])
                connection.send(task.prepare())
            else:
                assert task is not None
                connection.send(task.turn(request[1]))
        except Exception:
            connection.send(Failure(traceback.format_exc(limit=-1).strip()))


class _Task:
    """One model on one table."""

    def __init__(
        self, contender: Contender, shape: TableShape, kind: Any, needs: frozenset[str]
    ) -> None:
        self.contender, self.kind = contender, kind
        contender.build()
        self.data: Data = make_data(shape, kind, needs)
        self.model: Any = None
        self.n_calls: dict[str, int] = {}
        self.takes_weights: bool | None = None

    def prepare(self) -> tuple[int | None, float, bool]:
        """Fit once; return the peak of memory, the score, and whether it was left to another."""
        with intelex_messages() as messages:
            memory = peak_memory(self.fit)
            self.use(self.data.X)
        return memory, self._score(), any("fallback" in message for message in messages)

    def turn(self, call: str) -> float:
        """Return the seconds of one call."""
        function = self._function(call)
        if call not in self.n_calls:
            self.n_calls[call] = calls_needed(function)
        return seconds_per_call(function, self.n_calls[call])

    def fit(self) -> None:
        """Make a model and fit it."""
        model = self.contender.build()
        weights = {"sample_weight": self.data.sample_weight} if self._takes_weights(model) else {}
        self.model = model.fit(self.data.X, self.data.y, **weights)

    def use(self, X: Any) -> Any:
        """Predict, or transform where that is what the model does."""
        name = "predict" if hasattr(self.model, "predict") else "transform"
        return getattr(self.model, name)(X)

    def _function(self, call: str) -> Callable[[], object]:
        if call == "fit":
            return self.fit
        rows = {
            "predict": self.data.X,
            "ten rows": self.data.head(10),
            "one row": self.data.head(1),
        }
        return lambda: self.use(rows[call])

    def _takes_weights(self, model: Any) -> bool:
        if self.takes_weights is None:
            is_taken = "sample_weight" in inspect.signature(model.fit).parameters
            self.takes_weights = is_taken and self.data.sample_weight is not None
        return self.takes_weights

    def _score(self) -> float:
        if self.kind == "other" or not hasattr(self.model, "score"):
            return math.nan
        return float(self.model.score(self.data.X, self.data.y))
