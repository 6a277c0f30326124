"""The parameters of the trees of a gradient boosting, and the losses of its rounds."""

from typing import Any

import numpy as np

from gramian._boosting.progress import Progress
from gramian._powers import times_power

__all__ = ["LossTable", "RoundLosses", "TreeParams"]


class RoundLosses:
    """Losses of the rounds of one fit, behind those of the fit that it goes on with.

    They are in units of two to the power of `exponent`.
    """

    def __init__(self, model: Any, begin: int, factor: float, exponent: int) -> None:
        self.begin, self.factor, self.exponent = begin, factor, exponent
        self.seeds: list[int] = []
        self.has_oob = model.subsample < 1.0 or hasattr(model, "oob_improvement_")
        nothing = np.zeros(begin)
        self.train, self.out, self.improvement = (
            times_power(getattr(model, name, nothing), -exponent).tolist()
            for name in ("train_score_", "oob_scores_", "oob_improvement_")
        )

    def add(self, seeds: list[int], train: float, out_before: float, out: float) -> None:
        """Keep the losses of a round; NaN stands for no rows left out."""
        self.seeds.extend(seeds)
        self.train.append(self.factor * train)
        is_out = not np.isnan(out)
        # As scikit-learn: against the loss of the rows that the round before left out.
        before = self.out[-1] if self.out else self.factor * out_before
        self.out.append(self.factor * out if is_out else 0.0)
        self.improvement.append(before - self.out[-1] if is_out else 0.0)

    def last(self) -> tuple[float, float]:
        """Return the last training loss and improvement, in the units of the data."""
        last = times_power(np.array([self.train[-1], self.improvement[-1]]), self.exponent)
        return float(last[0]), float(last[1])

    def set_scores(self, model: Any) -> None:
        """Set the losses as attributes."""
        model.train_score_ = times_power(np.array(self.train), self.exponent)
        if not self.has_oob:
            return
        model.oob_scores_ = times_power(np.array(self.out), self.exponent)
        model.oob_improvement_ = times_power(np.array(self.improvement), self.exponent)
        model.oob_score_ = float(model.oob_scores_[-1])


class TreeParams:
    """The parameters of a booster as those of the trees that it grows."""

    criterion = "squared_error"

    def __init__(self, model: Any) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)


class LossTable:
    """Prints the loss of the first ten rounds, of every tenth up to a hundred, and so on.

    Parameters
    ----------
    verbose : int
        Above one, every round is printed.
    n_rounds : int
        How many rounds there will be.
    begin : int
        How many rounds there are already.
    has_oob : bool
        Whether rows are left out.
    """

    def __init__(self, verbose: int, n_rounds: int, begin: int, has_oob: bool) -> None:
        self.verbose, self.has_oob, self.every = verbose, has_oob, 1
        self._progress = Progress(verbose, begin, n_rounds)
        titles = ["Train Loss", *(["OOB Improve"] if has_oob else []), "Remaining Time"]
        print(" ".join([f"{'Iter':>10}", *(f"{title:>16}" for title in titles)]))

    def add(self, i: int, loss: float, improvement: float) -> None:
        """Print round `i`, if it is one of those that are printed."""
        done = i - self._progress.n_before + 1
        if done % self.every:
            return
        seconds = self._progress.seconds_left(i + 1)
        rest = f"{seconds / 60:.2f}m" if seconds > 60 else f"{seconds:.2f}s"
        oob = [f"{improvement:>16.4f}"] if self.has_oob else []
        print(" ".join([f"{i + 1:>10d}", f"{loss:>16.4f}", *oob, f"{rest:>16}"]))
        if self.verbose == 1 and done // (self.every * 10) > 0:
            self.every *= 10
