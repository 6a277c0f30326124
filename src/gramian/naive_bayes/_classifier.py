"""What every naive Bayes classifier answers about new rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._posteriors import PosteriorAnswers
from gramian._typing import Floats
from gramian.base import BaseEstimator, ClassifierMixin

__all__ = ["BayesClassifier", "checked_priors", "log_or_infinity", "room_for"]


def room_for(answer: str, n_rows: int, n_classes: int, dtype: Any) -> NDArray[Any]:
    """Return the array that the core writes an answer to."""
    if answer == "label":
        return np.empty(n_rows, np.int64)
    return np.empty((n_rows, n_classes), dtype)


def log_or_infinity(values: Floats) -> Floats:
    """Return the logarithms, minus infinity for zeros."""
    with np.errstate(divide="ignore"):
        return np.log(values)


class BayesClassifier(PosteriorAnswers, ClassifierMixin, BaseEstimator):
    """A classifier by ``log P(k, x)``, whose subclasses say what that is."""

    def predict_joint_log_proba(self, X: Any) -> NDArray[Any]:
        """Return ``log P(k) + log P(x | k)`` for each row x and class k.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._answer(X, "joint")


def checked_priors(priors: Any, n_classes: int) -> Floats | None:
    """Return given probabilities of the classes; others than such raise."""
    if priors is None:
        return None
    given = np.asarray(priors, dtype=np.float64)
    if given.shape != (n_classes,):
        raise ValueError(
            f"Number of priors must match number of classes: {n_classes}. Got priors={priors!r}."
        )
    if not np.isclose(given.sum(), 1.0):
        raise ValueError(f"The sum of the priors should be 1. Got {given.sum()!r}.")
    if (given < 0).any():
        raise ValueError(f"Priors must be non-negative. Got priors={priors!r}.")
    return given
