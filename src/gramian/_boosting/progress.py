"""How far a boosted fit is, for people."""

import time
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Progress"]


@dataclass
class Progress:
    """Prints how far a fit is, after each round or ten times in all.

    Parameters
    ----------
    verbose : int
        0 nothing, 1 ten times, 2 after each round.
    n_before : int
        Rounds of an earlier fit.
    n_rounds : int
        Rounds there will be at most.
    """

    verbose: int
    n_before: int
    n_rounds: int

    def __post_init__(self) -> None:
        self._start = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return time.perf_counter() - self._start

    def seconds_left(self, number: int) -> float:
        """Return how long the rounds after the first `number` will take at most."""
        return self.seconds / (number - self.n_before) * (self.n_rounds - number)

    def report(self, number: int, summary: Callable[[], str], is_done: bool) -> None:
        """Print a summary and how long the other rounds will take at most."""
        every = 1 if self.verbose >= 2 else max(1, self.n_rounds // 10)
        is_last = is_done or number == self.n_rounds
        if not self.verbose or (number % every and not is_last):
            return
        left = f"at most {self.seconds_left(number):.1f} s to go"
        ends = "stopped early" if is_done else left
        print(f"[{number}/{self.n_rounds}] {summary()}; {self.seconds:.1f} s, {ends}")
