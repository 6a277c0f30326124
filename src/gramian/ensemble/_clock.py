"""The time for an ensemble, and members that keep to it."""

import math
import time
from typing import Any

from gramian.base import clone
from gramian.config import config, get_config

__all__ = ["ALL_ROWS", "Clock", "OutOfTimeError", "TimedMember"]

ALL_ROWS = 1.25  # times a fold: what a fit to all rows takes
_SHORTEST = 1e-3  # seconds; a limit must be positive


class OutOfTimeError(Exception):
    """The rest of the time is too short for the rest of the folds and the last fit."""


class Clock:
    """Shares the time for an ensemble out to its members, one after the other.

    Parameters
    ----------
    seconds : float or None
        From now; None follows the setting `time_limit`.
    """

    def __init__(self, seconds: float | None = None) -> None:
        given = get_config()["time_limit"] if seconds is None else seconds
        self.seconds = math.inf if given is None else float(given)
        self._begun, self._reserved = time.monotonic(), 0.0

    @property
    def left(self) -> float:
        """Seconds that are not kept for the last fits of members that have finished."""
        return self.seconds - (time.monotonic() - self._begun) - self._reserved

    def begin(self, n_folds: int) -> float:
        """Begin the folds of a member; return how long each fit of it may take.

        A member may take half of what is left, so that there is time for others.
        """
        self._start, self._n_folds, self._done = time.monotonic(), n_folds, 0
        self._share = max(0.5 * self.left / (n_folds + ALL_ROWS), _SHORTEST)
        return self._share

    def before_fold(self) -> None:
        """Raise OutOfTimeError unless the member may still come to its end."""
        spent = time.monotonic() - self._start
        a_fold = spent / self._done if self._done else 0.0
        if self.left <= (self._n_folds - self._done + ALL_ROWS) * a_fold:
            raise OutOfTimeError
        self._done += 1

    def end(self) -> None:
        """Keep time for the fit of a member to all rows."""
        self._reserved += ALL_ROWS * (time.monotonic() - self._start) / self._n_folds

    def limit(self, share: float | None = None) -> Any:
        """Return a context in which an iterative fit ends in its share of the time."""
        seconds = self._share if share is None else share
        return config() if math.isinf(seconds) else config(time_limit=seconds)


class TimedMember:
    """A member whose copies, one for each fold, look at one clock before they are fitted."""

    def __init__(self, model: Any, clock: Clock) -> None:
        self._model = model
        self._clock = clock

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__sklearn_tags__":
            raise AttributeError(name)
        return getattr(self._model, name)

    def __sklearn_clone__(self) -> "TimedMember":
        return TimedMember(clone(self._model), self._clock)

    def fit(self, X: Any, y: Any, **params: Any) -> "TimedMember":
        """Fit the model, if there is time."""
        self._clock.before_fold()
        with self._clock.limit():
            self._model.fit(X, y, **params)
        return self
