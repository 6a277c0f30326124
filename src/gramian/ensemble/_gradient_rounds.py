"""The rows of a gradient boosting, the parameters of its trees, and the losses of its rounds."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._rows import take_rows

__all__ = ["Part", "RoundLosses", "TreeParams"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows of the training data: as the trees read them, and as the user passed them."""

    X: Any
    given: Any
    y: Floats
    weight: Floats | None

    def take(self, rows: NDArray[Any]) -> "Part":
        """Return some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        X = take_rows(self.X, rows) if isinstance(self.X, np.ndarray) else self.X.tocsr()[rows]
        given = X if self.given is self.X else take_rows(self.given, rows)
        return Part(X, given, self.y[rows], weight)

    @property
    def rows(self) -> Any:
        """The rows in a form that can be predicted."""
        return self.X if isinstance(self.X, np.ndarray) else self.X.tocsr()

    @property
    def dense(self) -> NDArray[Any]:
        """The rows written out."""
        return self.X if isinstance(self.X, np.ndarray) else self.X.toarray(order="F")


class RoundLosses:
    """Losses of the rounds of one fit, behind those of the fit that it goes on with."""

    def __init__(self, model: Any, begin: int, factor: float) -> None:
        self.begin, self.factor = begin, factor
        self.seeds: list[int] = []
        self.has_oob = model.subsample < 1.0 or hasattr(model, "oob_improvement_")
        self.train = model.train_score_.tolist()
        nothing = np.zeros(begin)
        self.out = getattr(model, "oob_scores_", nothing).tolist()
        self.improvement = getattr(model, "oob_improvement_", nothing).tolist()

    def add(self, seeds: list[int], train: float, out_before: float, out: float) -> None:
        """Keep the losses of a round; NaN stands for no rows left out."""
        self.seeds.extend(seeds)
        self.train.append(self.factor * train)
        is_out = not np.isnan(out)
        # As scikit-learn: against the loss of the rows that the round before left out.
        before = self.out[-1] if self.out else self.factor * out_before
        self.out.append(self.factor * out if is_out else 0.0)
        self.improvement.append(before - self.out[-1] if is_out else 0.0)

    def set_scores(self, model: Any) -> None:
        """Set the losses as attributes."""
        model.train_score_ = np.array(self.train)
        if not self.has_oob:
            return
        model.oob_scores_ = np.array(self.out)
        model.oob_improvement_ = np.array(self.improvement)
        model.oob_score_ = float(model.oob_scores_[-1])


class TreeParams:
    """The parameters of a booster as those of the trees that it grows."""

    criterion = "squared_error"

    def __init__(self, model: Any) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)
