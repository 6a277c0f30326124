"""What the fit of boosted trees proves of them."""

import warnings

import numpy as np

from gramian._boosting.losses import Objective
from gramian._boosting.model import BoostedModel
from gramian._boosting.objectives import CustomLoss
from gramian._boosting.rows import Part
from gramian.certificate import Certificate
from gramian.config import core_context
from gramian.exceptions import ConvergenceWarning, shared

__all__ = ["loss_certificate"]

_JUDGED = 2_000  # rows that a certificate looks at
_ROUNDING = 1e-9  # by which a loss may rise, relative to its size
_NOISE = 1e-2  # that of a mean of models, each of which fits other rows where nothing is to learn


def loss_certificate(
    loss: Objective, model: BoostedModel, train: Part, how: str, *, penalty: str, stacklevel: int
) -> Certificate:
    """Say how a fit ended, by what the returned trees give for training rows.

    Warns if the loss has risen.

    Parameters
    ----------
    loss : Objective
        What was minimised.
    model : BoostedModel
        The trees.
    train : Part
        The rows of the fit. If they are many, some at equal distances are looked at, and all if
        these have lost; those of queries belong together, and are looked at all.
    how : str
        How the fit ended, in the words of `BoostingRun.grow`.
    penalty : str
        What the estimator calls its penalty on the values of leaves.
    stacklevel : int
        How many calls up the user's is, for the warning.
    """
    n_samples = train.X.shape[0]
    every = 1 if train.offsets is not None else -(-n_samples // _JUDGED)
    first, last = _mean_losses(loss, model, train, every)
    # Of a custom loss only the size of the gradient is known, which may rise as the loss falls.
    may_rise = isinstance(loss, CustomLoss)
    allowed = _NOISE if model.n_members > 1 else 0.0
    if every > 1 and not may_rise and _has_risen(first, last, allowed):
        every = 1
        first, last = _mean_losses(loss, model, train, every)
    has_risen = not may_rise and _has_risen(first, last, allowed)
    judged = f"{-(-n_samples // every):,} training rows"
    statement = f"{how}; the mean loss of {judged} went from {first:.6g} to {last:.6g}"
    if has_risen:
        warnings.warn(
            f"The mean loss of {judged} rose from {first:.6g} to {last:.6g}: the fit has "
            f"diverged. Lower learning_rate, or raise {penalty} or min_samples_leaf.",
            shared(ConvergenceWarning),
            stacklevel=stacklevel,
        )
    ratio = last / first if first > 0.0 else 0.0
    is_in_time = "time limit" not in how
    details = {} if is_in_time else {"stopped": "time limit"}
    converged = is_in_time and not has_risen
    return Certificate(last, ratio, converged, statement, model.n_rounds, details=details)


def _mean_losses(
    loss: Objective, model: BoostedModel, train: Part, every: int
) -> tuple[float, float]:
    """Return the mean losses of rows at equal distances by no tree, and by all."""
    rows = slice(None, None, every)
    X = train.X if every == 1 else train.X[rows]
    target = np.ascontiguousarray(train.y[..., rows])
    weight = None if train.weight is None else np.ascontiguousarray(train.weight[rows])
    start = np.repeat(model.baseline[:, None], X.shape[0], axis=1)
    scores = np.ascontiguousarray(model.scores(X).T)
    first, last = (loss.mean(target, weight, at, core_context()) for at in (start, scores))
    return first, last


def _has_risen(first: float, last: float, allowed: float) -> bool:
    """Tell whether a loss is above where it was by more than a share, or no number any more."""
    return not last <= first + max(_ROUNDING * max(abs(first), 1.0), allowed * abs(first))
