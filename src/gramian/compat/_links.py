"""From the sum of the trees to the prediction, and from a mean to the sum."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit, softmax

from gramian._typing import Floats

__all__ = ["LINKS", "PROBABILITY_LINKS", "class_probabilities", "predicted"]

LINKS: dict[str, Callable[[Floats], Any]] = {
    "identity": np.asarray,
    "sigmoid": expit,
    "softmax": lambda scores: softmax(scores, axis=1),
    "exp": np.exp,
    "softplus": lambda scores: np.logaddexp(0.0, scores),
    "signed_square": lambda scores: np.sign(scores) * scores**2,
}
"""Name of a link -> what turns sums into predictions."""

PROBABILITY_LINKS = ("sigmoid", "softmax")


def predicted(scores: Floats, link: str, slope: float) -> Floats:
    """Return the predictions of sums of trees, which are multiplied by `slope` first."""
    with np.errstate(over="ignore"):
        return np.asarray(LINKS[link](scores if slope == 1.0 else slope * scores))


def class_probabilities(found: Floats, n_classes: int) -> Floats:
    """Return the probabilities of all classes, of two from those of the second alone."""
    if n_classes == 1:
        return np.ones((len(found), 1))
    return np.column_stack([1.0 - found, found]) if found.ndim == 1 else found
