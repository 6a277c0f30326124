"""Scores of fitted and of loaded models, of all rounds or some, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit, log_softmax

from gramian import _core
from gramian._trees.ensemble import TreeEnsemble
from gramian._trees.row_blocks import row_blocks
from gramian._typing import Floats
from gramian.compat._links import class_probabilities, predicted
from gramian.compat.catboost._losses import described
from gramian.compat.catboost._reader import LINKS
from gramian.config import core_context

__all__ = [
    "by_features",
    "n_rounds_of",
    "response",
    "some_scores",
    "staged",
]


def _trees_of_a_round(ensemble: TreeEnsemble) -> int:
    return ensemble.n_outputs if ensemble.takes_turns else 1


def n_rounds_of(ensemble: TreeEnsemble) -> int:
    """Return the number of rounds of boosting."""
    return ensemble.trees.n_trees // _trees_of_a_round(ensemble)


def some_scores(
    ensemble: TreeEnsemble, rows: Any, first: int, last: int, n_jobs: int | None
) -> Floats:
    """Return the scores by some of the rounds; where scores start belongs to the first one."""
    size = _trees_of_a_round(ensemble)
    trees = ensemble.trees.select(range(first * size, last * size))
    bias = ensemble.base if first == 0 else np.zeros(ensemble.n_outputs)
    out = np.empty((rows.shape[0], ensemble.n_outputs))
    ctx = core_context(n_jobs)
    predictor = _core.TreePredictor(trees, ctx=ctx)
    for part, block in row_blocks(rows):
        predictor.sums(block, bias=bias, out=out[part], ctx=ctx)
    return out


def staged(
    ensemble: TreeEnsemble, rows: Any, first: int, last: int, period: int, n_jobs: int | None
) -> Iterator[Floats]:
    """Yield the scores after every `period` rounds, and after the last."""
    scores = np.zeros((rows.shape[0], ensemble.n_outputs))
    for begin in range(first, last, period):
        end = min(begin + period, last)
        scores = scores + some_scores(ensemble, rows, begin, end, n_jobs)
        yield scores


# -- predictions -----------------------------------------------------------------------------------


def response(scores: Floats, kind: str, loss: str, classes: NDArray[Any] | None) -> Any:
    """Return what scores of shape (n_samples, n_scores) stand for.

    Parameters
    ----------
    scores : ndarray
        Sums of the trees.
    kind : str
        CatBoost's `prediction_type`.
    loss : str
        The loss as CatBoost writes it.
    classes : ndarray or None
        The classes.
    """
    flat = scores[:, 0] if scores.shape[1] == 1 else scores
    if kind == "RawFormulaVal":
        return flat
    if kind == "Exponent":
        return np.exp(flat)
    if classes is None:
        raise ValueError(
            f"prediction_type={kind!r} is for classes. This model has 'RawFormulaVal' and "
            "'Exponent'."
        )
    if kind == "Class":
        if len(classes) == 1:
            return np.repeat(classes, len(scores))
        places = (flat > 0.0).astype(np.intp) if flat.ndim == 1 else flat.argmax(axis=1)
        return classes[places]
    if kind == "Probability":
        return _probabilities(flat, loss, classes)
    if kind != "LogProbability":
        raise ValueError(
            "prediction_type must be 'Class', 'Probability', 'LogProbability', 'RawFormulaVal' or "
            f"'Exponent'. Got {kind!r}."
        )
    if flat.ndim == 1:
        return np.column_stack([log_expit(-flat), log_expit(flat)])
    is_softmax = LINKS.get(described(loss)[0]) == "softmax"
    return log_softmax(flat, axis=1) if is_softmax else log_expit(flat)


def _probabilities(flat: Floats, loss: str, classes: NDArray[Any]) -> Floats:
    link = "sigmoid" if flat.ndim == 1 else LINKS.get(described(loss)[0], "softmax")
    return class_probabilities(predicted(flat, link, 1.0), len(classes))


# -- contributions ---------------------------------------------------------------------------------


def by_features(
    ensemble: TreeEnsemble, values: Floats, pairs: Floats | None
) -> tuple[Floats, Floats | None]:
    """Return contributions of columns that are made of features as those of the features."""
    shares = ensemble.shares
    if shares is None:
        return values, pairs
    found = np.einsum("njc,jp->npc", values, shares)
    if pairs is not None:
        pairs = np.einsum("njkc,jp,kq->npqc", pairs, shares, shares, optimize=True)
    return found, pairs
