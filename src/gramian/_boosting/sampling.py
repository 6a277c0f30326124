"""Which rows a tree is grown on: a fraction, those of large gradients, or by minimal variance."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramian import _core
from gramian._draws import random_state_of
from gramian._typing import Floats, Singles
from gramian.params import RandomState, Real, check_arguments
from gramian.validation import check_array

__all__ = ["GossSampling", "MinimalVarianceSampling", "UniformSampling", "goss_sample"]

Rows = NDArray[np.uint32]

_SEEDS = 2**63 - 1


def goss_sample(
    gradient: ArrayLike, top_rate: float = 0.2, other_rate: float = 0.1, random_state: Any = None
) -> tuple[NDArray[np.intp], Floats]:
    """Draw rows by gradient-based one-side sampling.

    The rows of the largest gradients are all kept, since they are the ones that the model does
    badly. Of the others some are drawn at random, and their gradients are multiplied by
    ``(1 - top_rate) / other_rate``, so that sums over the drawn rows estimate those over all.

    Parameters
    ----------
    gradient : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Gradients of the loss; of several outputs the sum of their sizes counts.
    top_rate : float, default=0.2
        Fraction of the rows that are kept for their gradient.
    other_rate : float, default=0.1
        Fraction of all rows that are drawn from the rest. Together at most 1.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draw.

    Returns
    -------
    indices : ndarray of shape (n_drawn,)
        The rows, ascending.
    weights : ndarray of shape (n_drawn,)
        What their gradients and hessians are multiplied by.

    References
    ----------
    G. Ke et al., "LightGBM: A highly efficient gradient boosting decision tree", NeurIPS 2017.

    Examples
    --------
    >>> from gramian.boosting import goss_sample
    >>> rows, weights = goss_sample([0.1, -5.0, 0.2, 0.3, 4.0], 0.4, 0.2, random_state=0)
    >>> len(rows), sorted({1, 4} & set(rows.tolist())), float(weights.max())
    (3, [1, 4], 3.0)
    """
    rate = Real(0.0, 1.0, closed="both")
    check_arguments(
        "goss_sample",
        top_rate=(top_rate, rate),
        other_rate=(other_rate, rate),
        random_state=(random_state, RandomState()),
    )
    if not 0.0 < top_rate + other_rate <= 1.0:
        raise ValueError(
            "top_rate + other_rate must be above 0 and at most 1. "
            f"Got {top_rate!r} + {other_rate!r}."
        )
    values = check_array(gradient, ensure_2d=False, input_name="gradient")
    sizes = np.abs(values) if values.ndim == 1 else np.abs(values).sum(axis=1)
    seed = int(random_state_of(random_state).randint(_SEEDS, dtype=np.int64))
    rows, factors = GossSampling(top_rate, other_rate).pick(sizes.astype(np.float32), seed)
    return rows.astype(np.intp), factors


@dataclass(frozen=True)
class UniformSampling:
    """A fraction of the rows, each as likely as any other."""

    fraction: float

    def draw(
        self, seed: int, gradient: Singles, hessian: Singles | None
    ) -> tuple[Rows | None, Floats | None]:
        """Return the rows of a tree."""
        n_drawn = max(1, round(self.fraction * len(gradient)))
        rows, _ = _core.boost_draw_uniform(len(gradient), n_drawn, seed)
        return rows, None


@dataclass(frozen=True)
class GossSampling:
    """All rows of large gradients and a few of the others."""

    top_rate: float
    other_rate: float

    def pick(self, sizes: Singles, seed: int) -> tuple[Rows, Floats]:
        """Return the rows and their factors."""
        n = len(sizes)
        n_top = math.floor(self.top_rate * n)
        n_other = min(math.floor(self.other_rate * n), n - n_top)
        rows, factors = _core.boost_draw_goss(sizes, n_top, n_other or (n_top == 0), seed)
        return rows, factors

    def draw(
        self, seed: int, gradient: Singles, hessian: Singles | None
    ) -> tuple[Rows | None, Floats | None]:
        """Return the rows of a tree, by the size of gradient times hessian."""
        sizes = gradient if hessian is None else gradient * hessian
        return _spread(*self.pick(sizes, seed), len(gradient))


@dataclass(frozen=True)
class MinimalVarianceSampling:
    """Rows with a probability that grows with their gradient."""

    fraction: float
    reg_lambda: float

    def draw(
        self, seed: int, gradient: Singles, hessian: Singles | None
    ) -> tuple[Rows | None, Floats | None]:
        """Return the rows of a tree, by ``sqrt(g² + lambda h²)``."""
        second = np.float32(1.0) if hessian is None else hessian
        sizes = np.sqrt(gradient**2 + np.float32(self.reg_lambda) * second**2)
        n_drawn = max(1.0, self.fraction * len(gradient))
        rows, factors = _core.boost_draw_minimal_variance(sizes, n_drawn, seed)
        if not len(rows):  # each row is drawn for itself, and of few rows none may be
            return None, None
        return _spread(rows, factors, len(gradient))


def _spread(rows: Rows, factors: Floats, n: int) -> tuple[Rows, Floats]:
    """Return factors of all rows, with anything for those that are not drawn."""
    everywhere = np.ones(n)
    everywhere[rows] = factors
    return rows, everywhere
