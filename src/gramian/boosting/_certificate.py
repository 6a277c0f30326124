"""What the fit of boosted trees proves of them."""

import numpy as np

from gramian.boosting._inputs import Part
from gramian.boosting._losses import Objective
from gramian.boosting._model import BoostedModel
from gramian.certificate import Certificate
from gramian.config import core_context

__all__ = ["loss_certificate"]

_JUDGED = 2_000  # rows that a certificate looks at


def loss_certificate(loss: Objective, model: BoostedModel, train: Part, how: str) -> Certificate:
    """Say how a fit ended, by what the returned trees give for training rows.

    Parameters
    ----------
    loss : Objective
        What was minimised.
    model : BoostedModel
        The trees.
    train : Part
        The rows of the fit. If they are many, some at equal distances are looked at; those of
        queries belong together, and are looked at all.
    how : str
        How the fit ended, in the words of `grow_rounds`.
    """
    n_samples = train.X.shape[0]
    rows = slice(None) if train.offsets is not None else slice(None, None, -(-n_samples // _JUDGED))
    X, y = train.X[rows], train.y[..., rows]
    weight = None if train.weight is None else np.ascontiguousarray(train.weight[rows])
    scores = np.ascontiguousarray(model.scores(X).T)
    start = np.repeat(model.baseline[:, None], X.shape[0], axis=1)
    target = np.ascontiguousarray(y)
    last, first = (loss.mean(target, weight, values, core_context()) for values in (scores, start))
    judged = f"{X.shape[0]:,} training rows"
    statement = f"{how}; the mean loss of {judged} went from {first:.6g} to {last:.6g}"
    share = last / first if first > 0.0 else 0.0
    is_in_time = "time limit" not in how
    details = {} if is_in_time else {"stopped": "time limit"}
    return Certificate(last, share, is_in_time, statement, model.n_rounds, details=details)
