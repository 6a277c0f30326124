"""The leading pair of singular vectors of a product of two tables."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gramian._interrupt import interruptible
from gramian._linalg import eigh, matmul
from gramian._typing import Floats

__all__ = ["Pair", "leading_pair"]

_SAME = 1e-9  # squared singular values this near to each other belong to one space
_ABSENT = 1e-8  # of a start in the leading space: less is a rounding error
_FEW = 64  # columns: below, all eigenvalues are found
_SOME = 8


@dataclass
class Pair:
    """Unit vectors with ``a' M b = value``, and the steps of the power method."""

    a: Floats
    b: Floats
    value: float
    n_iter: int
    converged: bool


def leading_pair(
    M: Floats,
    start: Floats,
    *,
    max_iter: int | None = None,
    tol: float = 0.0,
    weights: Callable[[Floats], Floats] = lambda a: a,
) -> Pair:
    """Return the leading singular pair, where the power method from `start` has its limit.

    With `max_iter` it is the pair at which the power method ``a <- M b, b <- M' a`` ends: when the
    squared change of ``weights(a)`` is below `tol`. Without, it is its limit: the part of `start`
    in the space of the largest singular value.
    """
    if max_iter is None:
        return _exact(M, start)
    b, last = start, np.inf * np.ones(1)  # the first change is infinite
    for n_iter in range(1, max_iter + 1):  # noqa: B007 used behind the loop
        a = _unit(_times(M, b))
        b = _unit(_times(M.T, a))
        new = weights(a)
        change, last = float(((new - last) ** 2).sum()), new
        if change < tol or M.shape[1] == 1:
            break
    value = float((a * _times(M, b)).sum())
    return Pair(a, b, value, n_iter, change < tol or M.shape[1] == 1)


def _exact(M: Floats, start: Floats) -> Pair:
    b = _unit(_times(M.T, _times(M, _limit(M, start))))
    image = _times(M, b)
    return Pair(_unit(image), b, float(np.sqrt((image**2).sum())), 0, True)


def _limit(M: Floats, start: Floats) -> Floats:
    """Return the direction in the leading right singular space that is nearest to `start`."""
    is_tall = M.shape[0] >= M.shape[1]
    size = float(np.abs(M).max())
    if size == 0.0:
        return start
    N = np.ascontiguousarray(M if is_tall else M.T) / size
    gram = matmul(N.T, N)
    m = len(gram)
    n_largest = None if m <= _FEW else _SOME
    values, vectors = interruptible(2 * m**3, eigh, gram, n_largest)
    space = vectors[:, values >= (1.0 - _SAME) * values[-1]]
    given = start if is_tall else _unit(_times(M, start))
    along = _times(space.T, given)
    if float(np.abs(along).max()) <= _ABSENT:
        along = np.eye(len(along))[-1]
    found = _unit(_times(space, along))
    return found if is_tall else _unit(_times(M.T, found))


def _times(M: Floats, v: Floats) -> Floats:
    return matmul(M, np.ascontiguousarray(v)[:, None])[:, 0]


def _unit(v: Floats) -> Floats:
    length = float(np.sqrt((v**2).sum()))
    return v / length if length > 0.0 else v
