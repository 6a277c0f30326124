"""What the fit of boosted trees proves of them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.boosting._losses import Objective
from gramian.boosting._model import BoostedModel
from gramian.certificate import Certificate
from gramian.config import core_context

__all__ = ["loss_certificate", "spaced_rows"]

Floats = NDArray[np.float64]

_JUDGED = 2_000  # rows that a certificate looks at


def spaced_rows(n_samples: int) -> slice:
    """Return the rows that a certificate looks at: all, or so many at equal distances."""
    return slice(None, None, -(-n_samples // _JUDGED))


def loss_certificate(
    loss: Objective,
    model: BoostedModel,
    X: Any,
    y: Floats,
    weight: Floats | None,
    *,
    how: str,
    is_in_time: bool,
) -> Certificate:
    """Say how a fit ended, by what the returned trees give for training rows.

    Parameters
    ----------
    loss : Objective
        What was minimised.
    model : BoostedModel
        The trees.
    X, y, weight
        The rows, as for `Boosting`.
    how : str
        How the fit ended, in words.
    is_in_time : bool
        Whether no time limit ended it.
    """
    scores = np.ascontiguousarray(model.scores(X).T)
    start = np.repeat(model.baseline[:, None], X.shape[0], axis=1)
    target = np.ascontiguousarray(y)
    weight = None if weight is None else np.ascontiguousarray(weight)
    last, first = (loss.mean(target, weight, values, core_context()) for values in (scores, start))
    judged = f"{X.shape[0]:,} training rows"
    statement = f"{how}; the mean loss of {judged} went from {first:.6g} to {last:.6g}"
    share = last / first if first > 0.0 else 0.0
    details = {} if is_in_time else {"stopped": "time limit"}
    return Certificate(last, share, is_in_time, statement, model.n_rounds, details=details)
