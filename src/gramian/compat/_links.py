"""From the sum of the trees to the prediction, and from a mean to the sum."""

from collections.abc import Callable

import numpy as np

from gramian._typing import Floats

__all__ = ["LINKS", "PROBABILITY_LINKS", "predicted"]


def _sigmoid(scores: Floats) -> Floats:
    from scipy.special import expit

    found: Floats = expit(scores)
    return found


def _softmax(scores: Floats) -> Floats:
    from scipy.special import softmax

    found: Floats = softmax(scores, axis=1)
    return found


def _softplus(scores: Floats) -> Floats:
    return np.logaddexp(0.0, scores)


def _signed_square(scores: Floats) -> Floats:
    return np.sign(scores) * scores**2


def _exp(scores: Floats) -> Floats:
    found: Floats = np.exp(scores)
    return found


def _identity(scores: Floats) -> Floats:
    return scores


LINKS: dict[str, Callable[[Floats], Floats]] = {
    "identity": _identity,
    "sigmoid": _sigmoid,
    "softmax": _softmax,
    "exp": _exp,
    "softplus": _softplus,
    "signed_square": _signed_square,
}
"""Name of a link -> what turns sums into predictions."""

PROBABILITY_LINKS = ("sigmoid", "softmax")


def predicted(scores: Floats, link: str, slope: float) -> Floats:
    """Return the predictions of sums of trees, which are multiplied by `slope` first."""
    with np.errstate(over="ignore"):
        return LINKS[link](scores if slope == 1.0 else slope * scores)
