"""Generated data with a numeric target."""

from typing import Any

import numpy as np

from gramian._draws import random_state_of, shuffle_rows
from gramian._typing import Floats
from gramian.datasets._arguments import checked
from gramian.datasets._matrices import make_low_rank_matrix
from gramian.params import Boolean, Integer, Nothing, Real


@checked(
    n_informative=Integer(0),
    n_targets=Integer(1),
    bias=Real(closed="neither"),
    effective_rank=Integer(1) | Nothing(),
    tail_strength=Real(0.0, 1.0, closed="both"),
    coef=Boolean(),
)
def make_regression(
    n_samples: int = 100,
    n_features: int = 100,
    *,
    n_informative: int = 10,
    n_targets: int = 1,
    bias: float = 0.0,
    effective_rank: int | None = None,
    tail_strength: float = 0.5,
    noise: float = 0.0,
    shuffle: bool = True,
    coef: bool = False,
    random_state: Any = None,
) -> Any:
    """Draw a linear model: ``y = X v + bias + noise``.

    Parameters
    ----------
    n_samples : int, default=100
        Number of rows.
    n_features : int, default=100
        Number of columns.
    n_informative : int, default=10
        Number of columns with a coefficient, drawn from [0, 100); the others have 0.
    n_targets : int, default=1
        Number of targets.
    bias : float, default=0.0
        The constant.
    effective_rank : int, default=None
        Roughly the rank of `X` (see `make_low_rank_matrix`); None draws independent Gaussian
        columns.
    tail_strength : float, default=0.5
        Weight of the singular values' long tail, if `effective_rank` is given.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise added to the target.
    shuffle : bool, default=True
        Whether to mix the rows and the columns.
    coef : bool, default=False
        Return the coefficients too.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; an int gives the same data each time, and scikit-learn's.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The rows.
    y : ndarray of shape (n_samples,) or (n_samples, n_targets)
        The target; axes of length 1 are dropped.
    coef : ndarray of shape (n_features,) or (n_features, n_targets)
        Only if `coef`; axes of length 1 are dropped.

    Examples
    --------
    >>> from gramian.datasets import make_regression
    >>> X, y, v = make_regression(n_samples=50, n_features=3, coef=True, random_state=0)
    >>> bool(abs(X @ v - y).max() < 1e-12)
    True
    """
    rng = random_state_of(random_state)
    if effective_rank is None:
        X = rng.standard_normal(size=(n_samples, n_features))
    else:
        X = make_low_rank_matrix(
            n_samples,
            n_features,
            effective_rank=effective_rank,
            tail_strength=tail_strength,
            random_state=rng,
        )
    truth = np.zeros((n_features, n_targets))
    informative = truth[:n_informative]
    informative[...] = 100 * rng.uniform(size=informative.shape)
    y = np.dot(X, truth) + bias
    if noise > 0.0:
        y += rng.normal(scale=noise, size=y.shape)
    if shuffle:
        X, y = shuffle_rows(rng, X, y)
        order = np.arange(n_features)
        rng.shuffle(order)
        X, truth = np.ascontiguousarray(X[:, order]), truth[order]
    y = np.squeeze(y)
    return (X, y, np.squeeze(truth)) if coef else (X, y)


@checked(n_features=Integer(5))
def make_friedman1(
    n_samples: int = 100, n_features: int = 10, *, noise: float = 0.0, random_state: Any = None
) -> tuple[Floats, Floats]:
    """Draw Friedman's first regression problem.

    Columns are uniform on [0, 1), of which only the first five matter:
    ``y = 10 sin(pi x0 x1) + 20 (x2 - 0.5)^2 + 10 x3 + 5 x4 + noise * N(0, 1)``.

    Parameters
    ----------
    n_samples : int, default=100
        Number of rows.
    n_features : int, default=10
        Number of columns, at least 5.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise added to the target.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; an int gives the same data each time, and scikit-learn's.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The rows.
    y : ndarray of shape (n_samples,)
        The target.

    Examples
    --------
    >>> from gramian.datasets import make_friedman1
    >>> X, y = make_friedman1(3, random_state=0)
    >>> y.round(2)
    array([17.21, 19.38, 14.75])
    """
    rng = random_state_of(random_state)
    X = rng.uniform(size=(n_samples, n_features))
    x0, x1, x2, x3, x4 = X.T[:5]
    y = 10 * np.sin(np.pi * x0 * x1) + 20 * (x2 - 0.5) ** 2 + 10 * x3 + 5 * x4
    return X, y + noise * rng.standard_normal(size=n_samples)


@checked()
def make_friedman2(
    n_samples: int = 100, *, noise: float = 0.0, random_state: Any = None
) -> tuple[Floats, Floats]:
    """Draw Friedman's second regression problem, the impedance of a circuit.

    ``y = sqrt(x0^2 + (x1 x2 - 1 / (x1 x3))^2) + noise * N(0, 1)`` with uniform columns: x0 on
    [0, 100), x1 on [40 pi, 560 pi), x2 on [0, 1), x3 on [1, 11).

    Parameters
    ----------
    n_samples : int, default=100
        Number of rows.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise added to the target.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; an int gives the same data each time, and scikit-learn's.

    Returns
    -------
    X : ndarray of shape (n_samples, 4)
        The rows.
    y : ndarray of shape (n_samples,)
        The target.

    Examples
    --------
    >>> from gramian.datasets import make_friedman2
    >>> X, y = make_friedman2(3, random_state=0)
    >>> y.round(1)
    array([781.9, 518.4, 603.2])
    """
    rng = random_state_of(random_state)
    X = _circuits(rng, n_samples)
    y = (X[:, 0] ** 2 + _reactance(X) ** 2) ** 0.5
    return X, y + noise * rng.standard_normal(size=n_samples)


@checked()
def make_friedman3(
    n_samples: int = 100, *, noise: float = 0.0, random_state: Any = None
) -> tuple[Floats, Floats]:
    """Draw Friedman's third regression problem, the phase of a circuit.

    ``y = arctan((x1 x2 - 1 / (x1 x3)) / x0) + noise * N(0, 1)``, columns as in `make_friedman2`.

    Parameters
    ----------
    n_samples : int, default=100
        Number of rows.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise added to the target.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; an int gives the same data each time, and scikit-learn's.

    Returns
    -------
    X : ndarray of shape (n_samples, 4)
        The rows.
    y : ndarray of shape (n_samples,)
        The target.

    Examples
    --------
    >>> from gramian.datasets import make_friedman3
    >>> X, y = make_friedman3(3, random_state=0)
    >>> y.round(2)
    array([1.5 , 1.49, 1.41])
    """
    rng = random_state_of(random_state)
    X = _circuits(rng, n_samples)
    y = np.arctan(_reactance(X) / X[:, 0])
    return X, y + noise * rng.standard_normal(size=n_samples)


def _circuits(rng: np.random.RandomState, n_samples: int) -> Floats:
    X = rng.uniform(size=(n_samples, 4))
    X *= [100, 520 * np.pi, 1, 10]
    X += [0, 40 * np.pi, 0, 1]
    return X


def _reactance(X: Floats) -> Floats:
    _, frequency, inductance, capacity = X.T
    reactance: Floats = frequency * inductance - 1 / (frequency * capacity)
    return reactance


@checked()
def make_sparse_uncorrelated(
    n_samples: int = 100, n_features: int = 10, *, random_state: Any = None
) -> tuple[Floats, Floats]:
    """Draw a regression problem in which four of the uncorrelated columns matter.

    Columns are standard Gaussian and ``y = x0 + 2 x1 - 2 x2 - 1.5 x3 + N(0, 1)``.

    Parameters
    ----------
    n_samples : int, default=100
        Number of rows.
    n_features : int, default=10
        Number of columns, at least 4.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; an int gives the same data each time, and scikit-learn's.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The rows.
    y : ndarray of shape (n_samples,)
        The target.

    Examples
    --------
    >>> from gramian.datasets import make_sparse_uncorrelated
    >>> X, y = make_sparse_uncorrelated(3, random_state=0)
    >>> y.round(2)
    array([-2.6 ,  1.73, -2.75])
    """
    if n_features < 4:
        raise IndexError(
            f"n_features must be at least 4, the columns of the formula; got {n_features}."
        )
    rng = random_state_of(random_state)
    X = rng.normal(loc=0, scale=1, size=(n_samples, n_features))
    expected = X[:, 0] + 2 * X[:, 1] - 2 * X[:, 2] - 1.5 * X[:, 3]
    return X, rng.normal(loc=expected, scale=np.ones(n_samples))
