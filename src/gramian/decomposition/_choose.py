"""How many principal components: the cumulative curve, the broken stick, parallel analysis."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._draws import random_state_of
from gramian._spectral.spectrum import exact_spectrum
from gramian._typing import Floats
from gramian.params import Boolean, Fraction, Integer, Nothing, RandomState, check_arguments
from gramian.persistence import persistable
from gramian.validation import check_array

__all__ = ["ComponentsChoice", "choose_components"]


@persistable
@dataclass(frozen=True)
class ComponentsChoice:
    """What three rules say of the number of principal components.

    Attributes
    ----------
    variances : ndarray of shape (n,)
        Variance along each component, descending.
    ratios : ndarray of shape (n,)
        The same as fractions of the whole.
    cumulative : ndarray of shape (n,)
        Their running sum.
    broken_stick : ndarray of shape (n,)
        Expected fractions, longest first, of a stick broken at random into n pieces.
    parallel : ndarray of shape (n,) or None
        Quantile of the variances along the components of rows whose columns are shuffled, each for
        itself: what columns without any connexion would show.
    threshold : float
        The fraction of the variance that the first rule asks for.
    n_cumulative : int
        Fewest components that hold `threshold` of the variance.
    n_broken_stick : int
        How many of the first components have a larger fraction than the stick's pieces.
    n_parallel : int or None
        How many of the first components have a larger variance than `parallel`.
    """

    variances: Floats
    ratios: Floats
    cumulative: Floats
    broken_stick: Floats
    parallel: Floats | None
    threshold: float
    n_cumulative: int
    n_broken_stick: int
    n_parallel: int | None

    def __str__(self) -> str:
        parts = [
            f"{self.n_cumulative} components hold {self.threshold:.0%} of the variance",
            f"{self.n_broken_stick} are beyond the broken stick",
        ]
        if self.n_parallel is not None:
            parts.append(f"{self.n_parallel} beyond shuffled columns")
        return "; ".join(parts)


def choose_components(
    X: Any,
    *,
    threshold: float = 0.95,
    scale: bool = False,
    n_shuffles: int | None = 20,
    quantile: float = 0.95,
    random_state: Any = 0,
) -> ComponentsChoice:
    """Return how many principal components three rules would keep.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    threshold : float, default=0.95
        The fraction of the variance to hold.
    scale : bool, default=False
        Whether columns are divided by their standard deviations first.
    n_shuffles : int, default=20
        How often the columns are shuffled for parallel analysis; None leaves it out.
    quantile : float, default=0.95
        The quantile of the shuffled variances that a component must exceed.
    random_state : int, RandomState, Generator or None, default=0
        Shuffles the columns.

    Returns
    -------
    ComponentsChoice

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> from gramian.decomposition import choose_components
    >>> choice = choose_components(load_iris(return_X_y=True)[0], scale=True)
    >>> print(choice)
    2 components hold 95% of the variance; 1 are beyond the broken stick; 1 beyond shuffled columns
    """
    check_arguments(
        "choose_components",
        threshold=(threshold, Fraction(0.0, 1.0)),
        scale=(scale, Boolean()),
        n_shuffles=(n_shuffles, Integer(1) | Nothing()),
        quantile=(quantile, Fraction(0.0, 1.0)),
        random_state=(random_state, RandomState()),
    )
    rows = check_array(X, dtype=np.float64, ensure_min_samples=2, input_name="X")
    if scale:
        deviation = rows.std(axis=0)
        rows = (rows - rows.mean(axis=0)) / np.where(deviation > 0.0, deviation, 1.0)
    variances = _variances(rows)
    total = float(variances.sum())
    if total == 0.0:
        raise ValueError("X has zero variance: there are no components to choose from.")
    n = len(variances)
    ratios = variances / total
    cumulative = np.minimum(np.cumsum(ratios), 1.0)
    # E of the k-th longest of n pieces: sum_{i >= k} 1 / i, over n
    stick = np.cumsum(1.0 / np.arange(n, 0, -1))[::-1] / n
    parallel = None
    if n_shuffles is not None:
        rng = random_state_of(random_state)
        shuffled = [_variances(_shuffled(rows, rng)) for _ in range(n_shuffles)]
        parallel = np.quantile(shuffled, quantile, axis=0)
    return ComponentsChoice(
        variances,
        ratios,
        cumulative,
        stick,
        parallel,
        threshold,
        int(np.searchsorted(cumulative, threshold - 1e-12)) + 1,
        _n_above(ratios, stick),
        None if parallel is None else _n_above(variances, parallel),
    )


def _variances(rows: Floats) -> Floats:
    found = exact_spectrum(rows)
    if found is None:
        raise ValueError("The variances of X are too large for double precision; scale X.")
    variances: Floats = found.squares / (len(rows) - 1)
    return variances


def _shuffled(rows: Floats, rng: np.random.RandomState) -> Floats:
    """Return rows with each column in a random order of its own."""
    return np.take_along_axis(rows, rng.random_sample(rows.shape).argsort(axis=0), axis=0)


def _n_above(values: Floats, limits: Floats) -> int:
    """Return how many values, from the first on, are above their limits."""
    is_below = values <= limits
    return int(is_below.argmax()) if is_below.any() else len(values)
