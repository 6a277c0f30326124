"""One contender in a process of its own, which works only when it is told to."""

import contextlib
import logging
import traceback
import warnings
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Literal

from benchmarks._measure import calls_needed, peak_memory, seconds_per_call
from benchmarks._row import Contender, Row, Score, Shape


@dataclass(frozen=True)
class Ready:
    """What a contender says before its first turn.

    Parameters
    ----------
    memory : int or None
        Peak memory of one call above the data, in bytes; None where it cannot be measured.
    n_calls : int
        How many calls make one turn.
    is_fallback : bool
        Whether scikit-learn-intelex left the work to scikit-learn.
    """

    memory: int | None
    n_calls: int
    is_fallback: bool


@dataclass(frozen=True)
class Failure:
    """Why a contender cannot take part."""

    message: str
    kind: Literal["missing", "slow", "error"] = "error"


def work(connection: Connection, row: Row, contender: Contender, shape: Shape) -> None:
    """Prepare, then answer "go" with seconds per call and "score" with a `Score`."""
    warnings.simplefilter("ignore")
    try:
        task = _Task(row, contender, shape)
        connection.send(task.prepare())
        while (request := connection.recv()) != "end":
            connection.send(task.turn() if request == "go" else task.score())
    except (EOFError, BrokenPipeError):
        return  # the harness is gone
    except ImportError as error:
        connection.send(Failure(str(error), kind="missing"))
    except Exception:
        connection.send(Failure(traceback.format_exc(limit=-1).strip()))


class _Task:
    def __init__(self, row: Row, contender: Contender, shape: Shape) -> None:
        self.row, self.contender = row, contender
        contender.build()  # a missing library ends the task before the data are made
        self.X, self.y = row.make(*shape)
        self.model: Any = None
        self.n_calls = 1

    def prepare(self) -> Ready:
        """Load everything on small data, measure memory on all, and settle the length of a turn."""
        X, y = self.row.make(*self.row.quick_shape)
        first = self.contender.build().fit(X, y)
        if hasattr(first, "predict"):
            first.predict(X)
        with intelex_messages() as messages:
            if self.row.timed == "predict":
                self.model = self.contender.build().fit(self.X, self.y)
            memory = peak_memory(self.call)
        self.n_calls = calls_needed(self.call)
        is_fallback = any(f".{self.row.timed}: fallback" in message for message in messages)
        return Ready(memory, self.n_calls, is_fallback)

    def call(self) -> None:
        """Do what is measured."""
        if self.row.timed == "predict":
            self.model.predict(self.X)
        else:
            self.model = self.contender.build().fit(self.X, self.y)

    def turn(self) -> float:
        return seconds_per_call(self.call, self.n_calls)

    def score(self) -> Score:
        return self.row.score(self.model, self.X, self.y)


@contextlib.contextmanager
def intelex_messages() -> Any:
    """Collect what scikit-learn-intelex logs, which says whether its own code ran."""
    messages: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("sklearnex")
    level, handlers, propagate = logger.level, logger.handlers, logger.propagate
    logger.setLevel(logging.INFO)
    logger.handlers, logger.propagate = [handler], False
    try:
        yield messages
    finally:
        logger.setLevel(level)
        logger.handlers, logger.propagate = handlers, propagate
