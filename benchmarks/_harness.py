"""Running a row: every contender in its own process, one at a time, in turns."""

import multiprocessing
import time
from dataclasses import dataclass, field
from typing import Any

from benchmarks._row import OURS, Contender, Row, Score, Shape
from benchmarks._worker import Failure, Ready, work

# Idle threads of some libraries keep spinning for a while after a call.
PAUSE_SECONDS = 0.02
# A contender that has calculated for so long in a row takes no further turns.
MAX_SECONDS = 60.0
# One that does not answer for so long, its preparation included, is out of the row.
PATIENCE_SECONDS = 60.0


@dataclass
class Result:
    """What one contender reached in one row."""

    ready: Ready | None = None
    failure: Failure | None = None
    score: Score | None = None
    seconds: list[float] = field(default_factory=list)

    @property
    def best(self) -> float | None:
        """Seconds per call in the best turn."""
        return min(self.seconds, default=None)

    @property
    def memory(self) -> int | None:
        """Peak memory above the data, in bytes."""
        return self.ready.memory if self.ready is not None else None


@dataclass(frozen=True)
class RowResult:
    """The results of a row, by contender."""

    name: str
    results: dict[str, Result]

    def speed_ratio(self, peer: str) -> float | None:
        """Return how many times longer than gramian a peer takes."""
        ours, theirs = self.results[OURS].best, self._of(peer).best
        return None if ours is None or theirs is None else theirs / ours

    def memory_ratio(self, peer: str, floor: int) -> float | None:
        """Return how many times gramian's memory a peer adds; `floor` stands in for less."""
        ours, theirs = self.results[OURS].memory, self._of(peer).memory
        return None if ours is None or theirs is None else max(theirs, floor) / max(ours, floor)

    def excess(self, contender: str) -> float | None:
        """Return how much worse than the best contender's the objective is, relatively."""
        scores = [result.score for result in self.results.values() if result.score is not None]
        score = self._of(contender).score
        if score is None:
            return None
        return score.excess_over(min(other.value for other in scores))

    def is_slow(self, contender: str) -> bool:
        """Return whether a contender was stopped because it took too long."""
        failure = self._of(contender).failure
        return failure is not None and failure.kind == "slow"

    def is_fallback(self, contender: str) -> bool:
        """Return whether a contender left the work to scikit-learn."""
        ready = self._of(contender).ready
        return ready is not None and ready.is_fallback

    def _of(self, contender: str) -> Result:
        return self.results.get(contender, Result())


def run_row(row: Row, *, n_turns: int, quick: bool) -> RowResult:
    """Measure a row: each contender warms up, then they take `n_turns` turns each."""
    shape = row.quick_shape if quick else row.shape
    players = {label: _Player(row, item, shape) for label, item in row.contenders.items()}
    try:
        for turn in range(n_turns):
            order = list(players.values())
            start = turn % len(order)  # nobody always runs after the same neighbour
            for player in order[start:] + order[:start]:
                player.take_turn()
        for player in players.values():
            player.take_score()
    finally:
        for player in players.values():
            player.end()
    results = {label: player.result for label, player in players.items()}
    name = f"{row.name} [{shape[0]:,} x {shape[1]:,}]" if quick else row.name
    return RowResult(name, results)


class _Player:
    """A contender seen from the harness: asks, and waits for the answer."""

    def __init__(self, row: Row, contender: Contender, shape: Shape) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=work, args=(other, row, contender, shape))
        self.process.start()
        other.close()
        self.result = Result()
        answer = self._receive()
        if isinstance(answer, Ready):
            self.result.ready = answer

    def take_turn(self) -> None:
        if sum(self.result.seconds) > MAX_SECONDS:
            return
        answer = self._ask("go")
        if answer is not None:
            self.result.seconds.append(answer)

    def take_score(self) -> None:
        self.result.score = self._ask("score")

    def end(self) -> None:
        if self.result.failure is None:
            self.connection.send("end")
        self.process.join()

    def _ask(self, request: str) -> Any:
        if self.result.failure is not None:
            return None
        time.sleep(PAUSE_SECONDS)
        self.connection.send(request)
        return self._receive()

    def _give_up(self) -> Failure:
        self.process.kill()
        return Failure(f"no answer within {PATIENCE_SECONDS:.0f} s", kind="slow")

    def _receive(self) -> Any:
        """Return the answer; None and a failure in the result if there was none."""
        try:
            is_there = self.connection.poll(PATIENCE_SECONDS)
            answer = self.connection.recv() if is_there else self._give_up()
        except EOFError:
            self.process.join()
            answer = Failure(f"The process ended with exit code {self.process.exitcode}.")
        if isinstance(answer, Failure):
            self.result.failure = answer
            return None
        return answer
