"""What neighbourhoods say of an embedding: sparse matrices whose least eigenvectors it is."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from gramian import _core
from gramian._spectral.null_space import LocalErrors
from gramian._typing import Floats
from gramian.config import core_context

__all__ = ["barycentre_weights", "local_errors"]

_ENTRIES = 1 << 20  # of neighbourhoods at once

Index = NDArray[np.int64]


def barycentre_weights(
    X: Floats, Y: Floats, index: Index, reg: float, n_jobs: int | None = None
) -> Floats:
    """Return the weights of neighbours in Y whose mean comes nearest to each row of X."""
    weights = np.empty(index.shape)
    singular = _core.barycentre_weights(
        np.ascontiguousarray(X), Y, index, reg=reg, out=weights, ctx=core_context(n_jobs)
    )
    if singular >= 0:
        raise ValueError(
            f"The weights of the neighbours of row {singular} are not determined with reg={reg}: "
            "raise reg, 0.001 say, or take fewer neighbours."
        )
    return weights


def local_errors(
    X: Floats, index: Index, n_components: int, method: str, options: dict[str, Any]
) -> LocalErrors:
    """Return M, whose quadratic form is how badly coordinates fit all neighbourhoods."""
    if method == "standard":
        return LocalErrors(root=_reconstruction_errors(X, index, options))
    if method == "modified":
        blocks = _ModifiedBlocks(X, index, n_components, options["modified_tol"])
        own = np.arange(len(X))[:, None]
        return LocalErrors(_assembled(blocks, np.concatenate([own, index], axis=1)))
    one = _hessian_block if method == "hessian" else _tangent_block
    tol = options["hessian_tol"]

    def of(rows: slice) -> Floats:
        return one(X[index[rows]], n_components, tol)

    return LocalErrors(_assembled(of, index))


def _reconstruction_errors(X: Floats, index: Index, options: dict[str, Any]) -> Any:
    """Return ``I - W``."""
    n, k = index.shape
    weights = barycentre_weights(X, X, index, options["reg"], options["n_jobs"])
    places = np.concatenate([np.arange(n)[:, None], index], axis=1)
    values = np.concatenate([np.ones((n, 1)), -weights], axis=1)
    starts = np.arange(n + 1) * (k + 1)
    return sparse.csr_array((values.ravel(), places.ravel(), starts), shape=(n, n))


def _slices(n: int, k: int) -> Iterator[slice]:
    step = max(_ENTRIES // (k * k), 1)
    for first in range(0, n, step):
        yield slice(first, min(first + step, n))


def _assembled(blocks: Callable[[slice], Floats], places: Index) -> Any:
    """Return the sum of square blocks, each at the places of a row's neighbourhood."""
    n, k = places.shape
    total = sparse.csr_array((n, n))
    for rows in _slices(n, k):
        own = places[rows]
        ends = np.repeat(own, k, axis=1).ravel(), np.tile(own, (1, k)).ravel()
        total = total + sparse.csr_array((blocks(rows).ravel(), ends), shape=(n, n))
    return total


def _leading_left(rows: Floats) -> tuple[Floats, Floats]:
    """Return left singular vectors of each matrix, all of them, and squared singular values."""
    k, p = rows.shape[1:]
    if k > p:
        U, s, _ = np.linalg.svd(rows, full_matrices=True)
        return U, s**2
    values, U = np.linalg.eigh(rows @ rows.transpose(0, 2, 1))
    return U[:, :, ::-1], values[:, ::-1].clip(0.0)


def _centred(rows: Floats) -> Floats:
    centred: Floats = rows - rows.mean(axis=1, keepdims=True)
    return centred


def _hessian_block(rows: Floats, n_components: int, tol: float) -> Floats:
    """Return ``H'H`` of the estimator H of second derivatives on the tangent plane."""
    U = _leading_left(_centred(rows))[0][:, :, :n_components]
    pairs = [(i, j) for i in range(n_components) for j in range(i, n_components)]
    products = np.stack([U[:, :, i] * U[:, :, j] for i, j in pairs], axis=2)
    ones = np.ones((*U.shape[:2], 1))
    Q, _ = np.linalg.qr(np.concatenate([ones, U, products], axis=2), mode="complete")
    W = Q[:, :, n_components + 1 :]
    sums = W.sum(axis=1)
    W = W / np.where(np.abs(sums) < tol, 1.0, sums)[:, None, :]
    block: Floats = W @ W.transpose(0, 2, 1)
    return block


def _tangent_block(rows: Floats, n_components: int, tol: float) -> Floats:
    """Return the projection away from constants and coordinates of the tangent plane."""
    k = rows.shape[1]
    G = np.empty((len(rows), k, n_components + 1))
    G[:, :, 0] = 1.0 / np.sqrt(k)
    G[:, :, 1:] = _leading_left(_centred(rows))[0][:, :, :n_components]
    block: Floats = np.eye(k) - G @ G.transpose(0, 2, 1)
    return block


class _ModifiedBlocks:
    """Errors of several weights for each row: those of its almost flat directions."""

    def __init__(self, X: Floats, index: Index, n_components: int, tol: float) -> None:
        self._X, self._index, self._tol = X, index, tol
        n, k = index.shape
        n_values = min(X.shape[1], k)
        self._values = np.empty((n, n_values))
        for rows in _slices(n, k):
            self._values[rows] = self._local(rows)[1][:, :n_values]
        outside = self._values[:, n_components:].sum(axis=1)
        ratio = outside / self._values[:, :n_components].sum(axis=1)
        self._n_flat = self._flat_directions(float(np.median(ratio))) + (k - n_values)

    def _local(self, rows: slice) -> tuple[Floats, Floats]:
        own = self._X[rows]
        return _leading_left(self._X[self._index[rows]] - own[:, None, :])

    def _flat_directions(self, eta: float) -> NDArray[np.int64]:
        """Return the most directions whose variance, as a part of the rest, is less than eta."""
        sums = np.cumsum(self._values, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = sums[:, -1:] / sums[:, :-1] - 1.0
        found: NDArray[np.int64] = (ratios < eta).sum(axis=1)
        return found

    def __call__(self, rows: slice) -> Floats:
        V, _ = self._local(rows)
        mean = self._regular_weights(V, rows)
        k = V.shape[1]
        blocks = np.zeros((len(V), k + 1, k + 1))
        n_flat = self._n_flat[rows]
        for s in np.unique(n_flat[n_flat > 0]):
            alike = n_flat == s
            W = self._weights(V[alike][:, :, k - s :], mean[alike])
            errors = np.concatenate([-np.ones((len(W), 1, s)), W], axis=1)
            blocks[alike] = errors @ errors.transpose(0, 2, 1)
        return blocks

    def _regular_weights(self, V: Floats, rows: slice) -> Floats:
        values = self._values[rows]
        reg = 1e-3 * values.sum(axis=1, keepdims=True)
        along = V.sum(axis=1)
        n_values = values.shape[1]
        along[:, :n_values] /= values + reg
        along[:, n_values:] /= reg
        weights = np.einsum("ikl,il->ik", V, along)
        regular: Floats = weights / weights.sum(axis=1, keepdims=True)
        return regular

    def _weights(self, V: Floats, mean: Floats) -> Floats:
        """Return weights of sum 1 that differ by the flat directions, turned by a reflection."""
        s = V.shape[2]
        sums = V.sum(axis=1)
        alpha = np.sqrt((sums**2).sum(axis=1)) / np.sqrt(s)
        h = alpha[:, None] - sums
        length = np.sqrt((h**2).sum(axis=1, keepdims=True))
        h = np.where(length < self._tol, 0.0, h / np.where(length > 0.0, length, 1.0))
        along = np.einsum("iks,is->ik", V, h)
        turned = V - 2.0 * along[:, :, None] * h[:, None, :]
        weights: Floats = turned + ((1.0 - alpha)[:, None] * mean)[:, :, None]
        return weights
