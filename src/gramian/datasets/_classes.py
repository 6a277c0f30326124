"""Generated data with classes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._draws import random_state_of, sample_without_replacement, shuffle_rows
from gramian._typing import Floats
from gramian.datasets._arguments import checked
from gramian.datasets._bunch import Bunch
from gramian.params import Arrays, Boolean, Integer, Nothing, Real

Integers = NDArray[np.int64]

_MAX_CODED_BITS = 30


@checked(
    n_informative=Integer(1),
    n_redundant=Integer(0),
    n_repeated=Integer(0),
    n_clusters_per_class=Integer(1),
    weights=Arrays() | Nothing(),
    flip_y=Real(0.0, 1.0, closed="both"),
    class_sep=Real(0.0, closed="neither"),
    hypercube=Boolean(),
    shift=Real(closed="neither") | Arrays() | Nothing(),
    scale=Real(0.0, closed="neither") | Arrays() | Nothing(),
)
def make_classification(
    n_samples: int = 100,
    n_features: int = 20,
    *,
    n_informative: int = 2,
    n_redundant: int = 2,
    n_repeated: int = 0,
    n_classes: int = 2,
    n_clusters_per_class: int = 2,
    weights: Any = None,
    flip_y: float = 0.01,
    class_sep: float = 1.0,
    hypercube: bool = True,
    shift: Any = 0.0,
    scale: Any = 1.0,
    shuffle: bool = True,
    random_state: Any = None,
    return_X_y: bool = True,
) -> Any:
    """Draw classes made of Gaussian clusters around the corners of a cube.

    The clusters get random covariances. To the informative columns come redundant ones (linear
    combinations of them), repeated ones (copies of both) and columns of noise.

    Parameters
    ----------
    n_samples : int, default=100
        Number of rows.
    n_features : int, default=20
        Number of columns; those that are of no other kind are noise.
    n_informative : int, default=2
        Number of columns in which the clusters lie.
    n_redundant : int, default=2
        Number of linear combinations of the informative columns.
    n_repeated : int, default=0
        Number of copies of informative and redundant columns.
    n_classes : int, default=2
        Number of classes.
    n_clusters_per_class : int, default=2
        Number of clusters of each class.
    weights : array-like of shape (n_classes,) or (n_classes - 1,), default=None
        Fractions of the classes; the last one may be left out. None stands for equal shares.
    flip_y : float, default=0.01
        Fraction of the rows whose class is drawn at random.
    class_sep : float, default=1.0
        Half the length of the cube's edges: more makes the classes easier to tell apart.
    hypercube : bool, default=True
        Put the clusters on the corners of the cube; False moves each towards the middle.
    shift : float, array-like of shape (n_features,) or None, default=0.0
        Added to the columns; None draws from [-class_sep, class_sep).
    scale : float, array-like of shape (n_features,) or None, default=1.0
        Multiplies the shifted columns; None draws from [1, 101).
    shuffle : bool, default=True
        Whether to mix the rows and the columns; without it the columns are informative,
        redundant, repeated, noise, in that order.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; an int gives the same data each time, and scikit-learn's.
    return_X_y : bool, default=True
        False returns a `Bunch` with `X`, `y`, `feature_info` (the kind of each column),
        `parameters` and `DESCR`.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The rows.
    y : ndarray of shape (n_samples,)
        The class of each row, 0 to ``n_classes - 1``.

    Examples
    --------
    >>> from gramian.datasets import make_classification
    >>> X, y = make_classification(n_samples=6, n_features=4, random_state=1)
    >>> X.shape, y
    ((6, 4), array([1, 0, 1, 0, 0, 1]))
    """
    parameters = dict(locals())
    columns = _Columns(n_features, n_informative, n_redundant, n_repeated)
    _check_counts(columns, n_classes, n_clusters_per_class)
    rng = random_state_of(random_state)
    sizes = _cluster_sizes(n_samples, n_classes, n_clusters_per_class, weights)
    centroids = _hypercube_corners(rng, len(sizes), n_informative) * (2 * class_sep) - class_sep
    if not hypercube:
        centroids *= rng.uniform(size=(len(sizes), 1))
        centroids *= rng.uniform(size=(1, n_informative))
    X = _draw_columns(rng, n_samples, columns, sizes, centroids)
    y = np.repeat(np.arange(len(sizes)) % n_classes, sizes)[:n_samples]
    flipped = rng.uniform(size=n_samples) < flip_y
    y[flipped] = rng.randint(n_classes, size=flipped.sum())
    if shift is None:
        shift = (2 * rng.uniform(size=n_features) - 1) * class_sep
    X += shift
    if scale is None:
        scale = 1 + 100 * rng.uniform(size=n_features)
    X *= scale
    order = np.arange(n_features)
    if shuffle:
        X, y = shuffle_rows(rng, X, y)
        rng.shuffle(order)
        X = np.ascontiguousarray(X[:, order])
    if return_X_y:
        return X, y
    return Bunch(
        DESCR=make_classification.__doc__,
        parameters={**parameters, "shift": shift, "scale": scale},
        feature_info=[columns.kind(column) for column in order.tolist()],
        X=X,
        y=y,
    )


@dataclass(frozen=True)
class _Columns:
    """How many columns there are of each kind, in the order in which they are made."""

    n_features: int
    n_informative: int
    n_redundant: int
    n_repeated: int

    @property
    def n_useful(self) -> int:
        return self.n_informative + self.n_redundant

    @property
    def n_noise(self) -> int:
        return self.n_features - self.n_useful - self.n_repeated

    def kind(self, column: int) -> str:
        if column < self.n_informative:
            return "informative"
        if column < self.n_useful:
            return "redundant"
        return "repeated" if column < self.n_useful + self.n_repeated else "random"


def _check_counts(columns: _Columns, n_classes: int, n_clusters_per_class: int) -> None:
    if columns.n_noise < 0:
        raise ValueError(
            "Number of informative, redundant and repeated features must sum to less than the "
            "number of total features"
        )
    if columns.n_informative < np.log2(n_classes * n_clusters_per_class):
        raise ValueError(
            f"n_classes({n_classes}) * n_clusters_per_class({n_clusters_per_class}) must be "
            f"smaller or equal 2**n_informative({columns.n_informative})={2**columns.n_informative}"
        )


def _cluster_sizes(
    n_samples: int, n_classes: int, n_clusters_per_class: int, weights: Any
) -> list[int]:
    """Return the clusters' numbers of rows; clusters of the classes take turns."""
    if weights is None:
        fractions = [1.0 / n_classes] * n_classes
    else:
        fractions = [float(weight) for weight in weights]
        if len(fractions) == n_classes - 1:
            fractions.append(1.0 - sum(fractions))
        if len(fractions) != n_classes:
            raise ValueError(
                "Weights specified but incompatible with number of classes: "
                f"got {len(weights)} weights for n_classes={n_classes}."
            )
        if min(fractions) < 0:
            raise ValueError(f"The shares of the classes must not be negative; got {fractions}.")
    n_clusters = n_classes * n_clusters_per_class
    sizes = [
        int(n_samples * fractions[k % n_classes] / n_clusters_per_class) for k in range(n_clusters)
    ]
    for k in range(n_samples - sum(sizes)):
        sizes[k % n_clusters] += 1
    return sizes


def _hypercube_corners(rng: np.random.RandomState, n_corners: int, n_dims: int) -> Floats:
    """Draw different corners of the unit cube; coordinates beyond 30 may be drawn freely."""
    n_coded = min(n_dims, _MAX_CODED_BITS)
    free = rng.randint(2, size=(n_corners, n_dims - n_coded)) if n_dims > n_coded else None
    codes = sample_without_replacement(rng, 2**n_coded, n_corners)
    bits = codes[:, None] >> np.arange(n_coded - 1, -1, -1) & 1
    corners = bits if free is None else np.hstack([free, bits])
    return corners.astype(np.float64)


def _draw_columns(
    rng: np.random.RandomState,
    n_samples: int,
    columns: _Columns,
    sizes: list[int],
    centroids: Floats,
) -> Floats:
    X = np.zeros((n_samples, columns.n_features))
    informative = X[:, : columns.n_informative]
    informative[...] = rng.standard_normal(size=informative.shape)
    stop = 0
    for size, centroid in zip(sizes, centroids, strict=True):
        start, stop = stop, stop + size
        mixing = 2 * rng.uniform(size=(columns.n_informative, columns.n_informative)) - 1
        informative[start:stop] = np.dot(informative[start:stop], mixing)
        informative[start:stop] += centroid
    useful, repeated = columns.n_useful, columns.n_repeated
    if columns.n_redundant > 0:
        mixing = 2 * rng.uniform(size=(columns.n_informative, columns.n_redundant)) - 1
        X[:, columns.n_informative : useful] = np.dot(informative, mixing)
    if repeated > 0:
        copied = ((useful - 1) * rng.uniform(size=repeated) + 0.5).astype(np.intp)
        X[:, useful : useful + repeated] = X[:, copied]
    if columns.n_noise > 0:
        X[:, useful + repeated :] = rng.standard_normal(size=(n_samples, columns.n_noise))
    return X


@checked()
def make_hastie_10_2(n_samples: int = 12000, *, random_state: Any = None) -> tuple[Floats, Floats]:
    """Draw ten standard Gaussian columns; the class is 1 outside a ball and -1 inside.

    ``y = 1 if sum(x**2) > 9.34 else -1``: example 10.2 of "The Elements of Statistical Learning".

    Parameters
    ----------
    n_samples : int, default=12000
        Number of rows.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; an int gives the same data each time, and scikit-learn's.

    Returns
    -------
    X : ndarray of shape (n_samples, 10)
        The rows.
    y : ndarray of shape (n_samples,)
        -1.0 or 1.0.

    Examples
    --------
    >>> from gramian.datasets import make_hastie_10_2
    >>> X, y = make_hastie_10_2(6, random_state=0)
    >>> y
    array([ 1., -1.,  1., -1.,  1., -1.])
    """
    X = random_state_of(random_state).normal(size=(n_samples, 10))
    return X, np.where((X**2.0).sum(axis=1) > 9.34, 1.0, -1.0)


@checked(mean=Arrays() | Nothing(), cov=Real(0.0))
def make_gaussian_quantiles(
    *,
    mean: Any = None,
    cov: float = 1.0,
    n_samples: int = 100,
    n_features: int = 2,
    n_classes: int = 3,
    shuffle: bool = True,
    random_state: Any = None,
) -> tuple[Floats, Integers]:
    """Cut one Gaussian cloud into shells around its mean, one for each class.

    Parameters
    ----------
    mean : array-like of shape (n_features,), default=None
        The mean; None stands for the origin.
    cov : float, default=1.0
        Variance of each column.
    n_samples : int, default=100
        Number of rows.
    n_features : int, default=2
        Number of columns.
    n_classes : int, default=3
        Number of classes, of equal size; the outermost takes the rest.
    shuffle : bool, default=True
        Whether to mix the rows; without it they are sorted by their distance from the mean.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; an int gives the same data each time, and scikit-learn's.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The rows.
    y : ndarray of shape (n_samples,)
        The class of each row.

    Examples
    --------
    >>> from gramian.datasets import make_gaussian_quantiles
    >>> X, y = make_gaussian_quantiles(n_samples=7, shuffle=False, random_state=0)
    >>> y
    array([0, 0, 1, 1, 2, 2, 2])
    """
    if n_samples < n_classes:
        raise ValueError(
            f"n_samples must be at least n_classes; got n_samples={n_samples} and "
            f"n_classes={n_classes}."
        )
    rng = random_state_of(random_state)
    centre = np.zeros(n_features) if mean is None else np.array(mean)
    X = rng.multivariate_normal(centre, cov * np.identity(n_features), (n_samples,))
    X = X[np.argsort(np.sum((X - centre) ** 2, axis=1))]
    y = np.minimum(np.arange(n_samples) // (n_samples // n_classes), n_classes - 1)
    if shuffle:
        X, y = shuffle_rows(rng, X, y)
    return X, y
