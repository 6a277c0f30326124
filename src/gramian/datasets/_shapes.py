"""Generated point clouds: blobs, circles, moons and rolled-up sheets."""

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._draws import random_state_of, shuffle_rows
from gramian._typing import Floats
from gramian.datasets._arguments import Tuples, checked
from gramian.params import Arrays, Boolean, Integer, Nothing, Real
from gramian.validation import check_array

Integers = NDArray[np.int64]


@checked(
    n_samples=Integer(1) | Arrays(),
    centers=Integer(1) | Arrays() | Nothing(),
    cluster_std=Real(0.0) | Arrays(),
    center_box=Tuples("(min, max)"),
    return_centers=Boolean(),
)
def make_blobs(
    n_samples: Any = 100,
    n_features: int = 2,
    *,
    centers: Any = None,
    cluster_std: Any = 1.0,
    center_box: tuple[float, float] = (-10.0, 10.0),
    shuffle: bool = True,
    random_state: Any = None,
    return_centers: bool = False,
) -> Any:
    """Draw round Gaussian clusters.

    Parameters
    ----------
    n_samples : int or array-like, default=100
        Number of points in all, shared out evenly; or the number in each cluster.
    n_features : int, default=2
        Number of columns, if `centers` does not give it.
    centers : int or array-like of shape (n_centers, n_features), default=None
        The centres, or how many to draw. None stands for 3, or for one for each entry of
        `n_samples`.
    cluster_std : float or array-like of shape (n_centers,), default=1.0
        Standard deviation of each cluster.
    center_box : tuple of float (min, max), default=(-10.0, 10.0)
        The interval from which each coordinate of a centre is drawn.
    shuffle : bool, default=True
        Whether to mix the rows.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; an int gives the same data each time, and scikit-learn's.
    return_centers : bool, default=False
        Return the centres too.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The points.
    y : ndarray of shape (n_samples,)
        The cluster of each point.
    centers : ndarray of shape (n_centers, n_features)
        Only if `return_centers`.

    Examples
    --------
    >>> from gramian.datasets import make_blobs
    >>> X, y = make_blobs(n_samples=5, centers=2, random_state=0)
    >>> X.shape, y
    ((5, 2), array([0, 1, 1, 0, 0]))
    """
    rng = random_state_of(random_state)
    sizes, centres = _sizes_and_centres(n_samples, n_features, centers, center_box, rng)
    if hasattr(cluster_std, "__len__") and len(cluster_std) != len(centres):
        raise ValueError(
            "Length of `clusters_std` not consistent with number of centers. "
            f"Got centers = {centers} and cluster_std = {cluster_std}"
        )
    spreads = np.broadcast_to(np.asarray(cluster_std, dtype=np.float64), len(centres))
    clusters = [
        rng.normal(loc=centre, scale=spread, size=(size, centres.shape[1]))
        for centre, spread, size in zip(centres, spreads, sizes, strict=True)
    ]
    X, y = np.concatenate(clusters), np.repeat(np.arange(len(centres)), sizes)
    if shuffle:
        X, y = shuffle_rows(rng, X, y)
    return (X, y, centres) if return_centers else (X, y)


def _sizes_and_centres(
    n_samples: Any,
    n_features: int,
    centers: Any,
    box: tuple[float, float],
    rng: np.random.RandomState,
) -> tuple[list[int], Floats]:
    is_total = isinstance(n_samples, numbers.Integral)
    if centers is None:
        centers = 3 if is_total else len(n_samples)
    elif not is_total and isinstance(centers, numbers.Integral):
        raise ValueError(f"Parameter `centers` must be array-like. Got {centers!r} instead")
    if isinstance(centers, numbers.Integral):
        centres = rng.uniform(box[0], box[1], size=(int(centers), n_features))
    else:
        centres = check_array(centers, dtype="numeric")
    n_centres = len(centres)
    if is_total:
        each, rest = divmod(int(n_samples), n_centres)
        return [each + (i < rest) for i in range(n_centres)], centres
    if len(n_samples) != n_centres:
        raise ValueError(
            "Length of `n_samples` not consistent with number of centers. "
            f"Got n_samples = {n_samples} and centers = {centers}"
        )
    return [int(size) for size in n_samples], centres


@checked(
    n_samples=Integer(0) | Tuples("(outer, inner)", any_length=True),
    noise=Real(0.0) | Nothing(),
    factor=Real(0.0, 1.0),
)
def make_circles(
    n_samples: int | tuple[int, int] = 100,
    *,
    shuffle: bool = True,
    noise: float | None = None,
    random_state: Any = None,
    factor: float = 0.8,
) -> tuple[Floats, Integers]:
    """Draw two circles with a common centre.

    Parameters
    ----------
    n_samples : int or tuple of two int, default=100
        Number of points in all, or on the outer and on the inner circle.
    shuffle : bool, default=True
        Whether to mix the rows.
    noise : float, default=None
        Standard deviation of the Gaussian noise added to the points.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; an int gives the same data each time, and scikit-learn's.
    factor : float, default=0.8
        Radius of the inner circle, in [0, 1); that of the outer one is 1.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        The points.
    y : ndarray of shape (n_samples,)
        0 on the outer circle, 1 on the inner one.

    Examples
    --------
    >>> from gramian.datasets import make_circles
    >>> X, y = make_circles(4, shuffle=False, factor=0.5)
    >>> X.round(2) + 0.0, y
    (array([[ 1. ,  0. ],
           [-1. ,  0. ],
           [ 0.5,  0. ],
           [-0.5,  0. ]]), array([0, 0, 1, 1]))
    """
    n_outer, n_inner = _halves(n_samples, "When a tuple, n_samples must have exactly two elements.")
    rng = random_state_of(random_state)
    outer, inner = (np.linspace(0, 2 * np.pi, n, endpoint=False) for n in (n_outer, n_inner))
    X = np.concatenate([_on_circle(outer), _on_circle(inner) * factor])
    return _mixed_with_noise(X, n_outer, shuffle, noise, rng)


@checked(
    n_samples=Integer(1) | Tuples("(upper, lower)", any_length=True), noise=Real(0.0) | Nothing()
)
def make_moons(
    n_samples: int | tuple[int, int] = 100,
    *,
    shuffle: bool = True,
    noise: float | None = None,
    random_state: Any = None,
) -> tuple[Floats, Integers]:
    """Draw two half circles that reach into each other.

    Parameters
    ----------
    n_samples : int or tuple of two int, default=100
        Number of points in all, or on the upper and on the lower moon.
    shuffle : bool, default=True
        Whether to mix the rows.
    noise : float, default=None
        Standard deviation of the Gaussian noise added to the points.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; an int gives the same data each time, and scikit-learn's.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        The points.
    y : ndarray of shape (n_samples,)
        0 on the upper moon, 1 on the lower one.

    Examples
    --------
    >>> from gramian.datasets import make_moons
    >>> X, y = make_moons(4, shuffle=False)
    >>> X.round(2) + 0.0, y
    (array([[ 1. ,  0. ],
           [-1. ,  0. ],
           [ 0. ,  0.5],
           [ 2. ,  0.5]]), array([0, 0, 1, 1]))
    """
    n_upper, n_lower = _halves(
        n_samples, "`n_samples` can be either an int or a two-element tuple."
    )
    rng = random_state_of(random_state)
    upper, lower = (_on_circle(np.linspace(0, np.pi, n)) for n in (n_upper, n_lower))
    lower = 1 - lower
    lower[:, 1] -= 0.5
    return _mixed_with_noise(np.concatenate([upper, lower]), n_upper, shuffle, noise, rng)


def _halves(n_samples: int | tuple[int, int], message: str) -> tuple[int, int]:
    if isinstance(n_samples, tuple):
        if len(n_samples) != 2:
            raise ValueError(f"{message} Got {n_samples}.")
        return n_samples
    return n_samples // 2, n_samples - n_samples // 2


def _on_circle(angle: Floats) -> Floats:
    return np.column_stack([np.cos(angle), np.sin(angle)])


def _mixed_with_noise(
    X: Floats, n_first: int, shuffle: bool, noise: float | None, rng: np.random.RandomState
) -> tuple[Floats, Integers]:
    y = (np.arange(len(X)) >= n_first).astype(np.int64)
    if shuffle:
        X, y = shuffle_rows(rng, X, y)
    if noise is not None:
        X = X + rng.normal(scale=noise, size=X.shape)
    return X, y


@checked(hole=Boolean())
def make_swiss_roll(
    n_samples: int = 100, *, noise: float = 0.0, random_state: Any = None, hole: bool = False
) -> tuple[Floats, Floats]:
    """Draw points on a sheet rolled up in three dimensions.

    With t in [1.5 pi, 4.5 pi) and h in [0, 21), the points are (t cos t, h, t sin t).

    Parameters
    ----------
    n_samples : int, default=100
        Number of points.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise added to the points.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; an int gives the same data each time, and scikit-learn's.
    hole : bool, default=False
        Leave out the middle ninth of the sheet.

    Returns
    -------
    X : ndarray of shape (n_samples, 3)
        The points.
    t : ndarray of shape (n_samples,)
        The position along the sheet; a single number, without axis, for one point.

    Examples
    --------
    >>> from gramian.datasets import make_swiss_roll
    >>> X, t = make_swiss_roll(1000, random_state=0)
    >>> X.shape, bool(t.min() >= 1.5 * 3.14159)
    ((1000, 3), True)
    """
    rng = random_state_of(random_state)
    if hole:
        tiles = np.array([(i, j) for i in range(3) for j in range(3) if (i, j) != (1, 1)])
        corners = np.column_stack([np.pi * (1.5 + tiles[:, 0]), 7.0 * tiles[:, 1]])
        chosen = corners[rng.choice(len(corners), n_samples)]
        t, height = chosen.T + rng.uniform(size=(2, n_samples)) * np.array([[np.pi], [7.0]])
    else:
        t = 1.5 * np.pi * (1 + 2 * rng.uniform(size=n_samples))
        height = 21 * rng.uniform(size=n_samples)
    coordinates = np.vstack([t * np.cos(t), height, t * np.sin(t)])
    coordinates += noise * rng.standard_normal(size=(3, n_samples))
    return coordinates.T, np.squeeze(t)


@checked()
def make_s_curve(
    n_samples: int = 100, *, noise: float = 0.0, random_state: Any = None
) -> tuple[Floats, Floats]:
    """Draw points on a sheet bent like the letter S in three dimensions.

    With t in [-1.5 pi, 1.5 pi) and h in [0, 2), the points are (sin t, h, sign(t) (cos t - 1)).

    Parameters
    ----------
    n_samples : int, default=100
        Number of points.
    noise : float, default=0.0
        Standard deviation of the Gaussian noise added to the points.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; an int gives the same data each time, and scikit-learn's.

    Returns
    -------
    X : ndarray of shape (n_samples, 3)
        The points.
    t : ndarray of shape (n_samples,)
        The position along the sheet; a single number, without axis, for one point.

    Examples
    --------
    >>> from gramian.datasets import make_s_curve
    >>> X, t = make_s_curve(1000, random_state=0)
    >>> X.shape, t.shape
    ((1000, 3), (1000,))
    """
    rng = random_state_of(random_state)
    t = 3 * np.pi * (rng.uniform(size=n_samples) - 0.5)
    height = 2.0 * rng.uniform(size=n_samples)
    X = np.column_stack([np.sin(t), height, np.sign(t) * (np.cos(t) - 1)])
    X += noise * rng.standard_normal(size=(3, n_samples)).T
    return X, np.squeeze(t)
