"""Generated matrices: of low rank, positive definite, sparse codes."""

from typing import Any

import numpy as np

from gramian._draws import random_state_of
from gramian._typing import Floats
from gramian.datasets._arguments import checked
from gramian.params import Boolean, Integer, Nothing, OneOf, Real

_FRACTION = Real(0.0, 1.0, closed="both")
_FORMATS = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")


@checked(effective_rank=Integer(1), tail_strength=_FRACTION)
def make_low_rank_matrix(
    n_samples: int = 100,
    n_features: int = 100,
    *,
    effective_rank: int = 10,
    tail_strength: float = 0.5,
    random_state: Any = None,
) -> Floats:
    """Draw a matrix whose singular values fall off like a bell curve.

    With r = `effective_rank` and t = `tail_strength`, singular value i is
    ``(1 - t) exp(-(i / r)^2) + t exp(-0.1 i / r)``.

    Parameters
    ----------
    n_samples : int, default=100
        Number of rows.
    n_features : int, default=100
        Number of columns.
    effective_rank : int, default=10
        Roughly the number of singular vectors that explain most of the matrix.
    tail_strength : float, default=0.5
        Weight of the singular values' long tail, 0 to 1.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; an int gives the same data each time, and scikit-learn's.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.datasets import make_low_rank_matrix
    >>> X = make_low_rank_matrix(50, 25, effective_rank=5, tail_strength=0.0, random_state=0)
    >>> np.linalg.svd(X, compute_uv=False)[[0, 5]].round(3)
    array([1.   , 0.368])
    """
    rng = random_state_of(random_state)
    rank = min(n_samples, n_features)
    left = _orthonormal(rng, n_samples, rank)
    right = _orthonormal(rng, n_features, rank)
    position = np.arange(rank) / effective_rank
    bell = (1 - tail_strength) * np.exp(-1.0 * position**2)
    tail = tail_strength * np.exp(-0.1 * np.arange(rank) / effective_rank)
    result: Floats = np.dot(np.multiply(left, bell + tail, order="C"), right.T)
    return result


def _orthonormal(rng: np.random.RandomState, n_rows: int, n_columns: int) -> Floats:
    from scipy.linalg import qr

    columns: Floats
    columns, _ = qr(
        rng.standard_normal(size=(n_rows, n_columns)), mode="economic", check_finite=False
    )
    return columns


@checked(n_dim=Integer(1))
def make_spd_matrix(n_dim: int, *, random_state: Any = None) -> Floats:
    """Draw a symmetric positive definite matrix.

    Parameters
    ----------
    n_dim : int
        Number of rows and columns.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; an int gives the same data each time, and scikit-learn's.

    Returns
    -------
    X : ndarray of shape (n_dim, n_dim)
        The matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.datasets import make_spd_matrix
    >>> bool(np.linalg.eigvalsh(make_spd_matrix(4, random_state=0)).min() > 0)
    True
    """
    from scipy.linalg import svd

    rng = random_state_of(random_state)
    A = rng.uniform(size=(n_dim, n_dim))
    U, _, Vt = svd(np.dot(A.T, A), check_finite=False)
    middle = 1.0 + np.diag(rng.uniform(size=n_dim))
    result: Floats = np.dot(np.dot(U, middle), Vt)
    return result


@checked(
    n_dim=Integer(1),
    alpha=_FRACTION,
    norm_diag=Boolean(),
    smallest_coef=_FRACTION,
    largest_coef=_FRACTION,
    sparse_format=OneOf(*_FORMATS) | Nothing(),
)
def make_sparse_spd_matrix(
    n_dim: int = 1,
    *,
    alpha: float = 0.95,
    norm_diag: bool = False,
    smallest_coef: float = 0.1,
    largest_coef: float = 0.9,
    sparse_format: str | None = None,
    random_state: Any = None,
) -> Any:
    """Draw a symmetric positive definite matrix with many zeros.

    It is C'C, where C has -1 on the diagonal and few other entries.

    Parameters
    ----------
    n_dim : int, default=1
        Number of rows and columns.
    alpha : float, default=0.95
        Fraction of zeros of C beside its diagonal.
    norm_diag : bool, default=False
        Scale the rows and columns so that the diagonal is 1.
    smallest_coef, largest_coef : float, default=0.1 and 0.9
        Range of C's other entries.
    sparse_format : {"bsr", "coo", "csc", "csr", "dia", "dok", "lil"}, default=None
        Format of the SciPy sparse matrix to return; None returns an array.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; an int gives the same data each time, and scikit-learn's.

    Returns
    -------
    prec : ndarray or sparse matrix of shape (n_dim, n_dim)
        The matrix, often used as the inverse of a covariance.

    Examples
    --------
    >>> from gramian.datasets import make_sparse_spd_matrix
    >>> make_sparse_spd_matrix(3, alpha=0.5, norm_diag=True, random_state=1).diagonal()
    array([1., 1., 1.])
    """
    from scipy import sparse

    rng = random_state_of(random_state)
    entries = sparse.random_array(
        (n_dim, n_dim),
        density=1 - alpha,
        random_state=rng,
        data_sampler=lambda size: rng.uniform(smallest_coef, largest_coef, size=size),
    )
    below = sparse.tril(entries, k=-1, format="csc")
    order = rng.permutation(n_dim)
    factor = below[order].T[order] - sparse.eye_array(n_dim)
    product = factor.T @ factor
    if norm_diag:
        scaling = sparse.diags_array(1.0 / np.sqrt(product.diagonal()))
        product = scaling @ product @ scaling
    if sparse_format is None:
        return product.toarray()
    return getattr(sparse, f"{sparse_format}_matrix")(product.asformat(sparse_format))


@checked(n_components=Integer(1), n_nonzero_coefs=Integer(1))
def make_sparse_coded_signal(
    n_samples: int,
    *,
    n_components: int,
    n_features: int,
    n_nonzero_coefs: int,
    random_state: Any = None,
) -> tuple[Floats, Floats, Floats]:
    """Draw signals that are sparse combinations of a dictionary's atoms: ``Y = X D``.

    Parameters
    ----------
    n_samples : int
        Number of signals.
    n_components : int
        Number of atoms.
    n_features : int
        Length of a signal.
    n_nonzero_coefs : int
        Number of atoms in each signal.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness; an int gives the same data each time, and scikit-learn's.

    Returns
    -------
    data : ndarray of shape (n_samples, n_features)
        The signals Y.
    dictionary : ndarray of shape (n_components, n_features)
        The atoms D, of length 1.
    code : ndarray of shape (n_samples, n_components)
        The coefficients X. Axes of length 1 are dropped from all three.

    Examples
    --------
    >>> from gramian.datasets import make_sparse_coded_signal
    >>> data, dictionary, code = make_sparse_coded_signal(
    ...     5, n_components=8, n_features=10, n_nonzero_coefs=3, random_state=0
    ... )
    >>> data.shape, (code != 0).sum(axis=1)
    ((5, 10), array([3, 3, 3, 3, 3]))
    """
    if n_nonzero_coefs > n_components:
        raise ValueError(
            f"n_nonzero_coefs={n_nonzero_coefs} must not exceed n_components={n_components}."
        )
    rng = random_state_of(random_state)
    atoms = rng.standard_normal(size=(n_features, n_components))
    atoms /= np.sqrt(np.sum(atoms**2, axis=0))
    code = np.zeros((n_components, n_samples))
    # A shuffle and the coefficients alternate in the stream: one signal after the other.
    for i in range(n_samples):
        chosen = np.arange(n_components)
        rng.shuffle(chosen)
        code[chosen[:n_nonzero_coefs], i] = rng.standard_normal(size=n_nonzero_coefs)
    signals = np.dot(atoms, code)
    return np.squeeze(signals.T), np.squeeze(atoms.T), np.squeeze(code.T)
