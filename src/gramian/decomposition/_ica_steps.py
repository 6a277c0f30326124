"""Fixed-point steps of independent component analysis on white rows."""

import math
from typing import Any

import numpy as np

from gramian import _core
from gramian._linalg import cross_product, eigh, matmul, product
from gramian._typing import Floats
from gramian.config import core_context

__all__ = ["Contrast", "deflation", "parallel", "turn_of_step"]

_LEAST = float(np.finfo(np.float64).tiny)


class Contrast:
    """The slope of a contrast function, and steps by it."""

    def __init__(self, fun: Any, arguments: dict[str, Any]) -> None:
        self.fun, self.arguments = fun, arguments
        self.alpha = float(arguments.get("alpha", 1.0))
        if not 1.0 <= self.alpha <= 2.0:
            raise ValueError(f"alpha must be in [1,2]. Got {self.alpha:g}.")

    def step(self, Z: Floats, W: Floats) -> Floats:
        """Return ``E g(y) z' - E g'(y) w`` for the directions w and ``y = w'z``."""
        n = len(Z)
        if not callable(self.fun):
            sums, slopes = np.empty_like(W), np.empty(len(W))
            options = {"contrast": self.fun, "alpha": self.alpha}
            W = np.ascontiguousarray(W)
            _core.ica_sums(Z, W, **options, products=sums, slopes=slopes, ctx=core_context())
            found: Floats = (sums - slopes[:, None] * W) / n
            return found
        y = product(Z, np.ascontiguousarray(W.T)).T
        value, slope = self._called(y if len(W) > 1 else y[0])
        along = cross_product(Z, np.ascontiguousarray(np.reshape(value, y.shape).T)).T / n
        stepped: Floats = along - np.reshape(slope, (-1, 1)) * W
        return stepped

    def _called(self, y: Floats) -> tuple[Floats, Floats]:
        answer = self.fun(y.copy(), **self.arguments)
        is_pair = isinstance(answer, tuple) and len(answer) == 2
        if not is_pair or np.shape(answer[0]) != y.shape or np.shape(answer[1]) != y.shape[:-1]:
            raise ValueError(
                "fun must return two arrays: the function of the given one, in its shape, and the "
                "mean of its slope along the last axis."
            )
        return np.asarray(answer[0], np.float64), np.asarray(answer[1], np.float64)


def turn_of_step(Z: Floats, function: Contrast, W: Floats, *, is_parallel: bool) -> float:
    """Return by how much another step turns a direction, as one less the cosine.

    As in the iteration, the new directions are made orthogonal: all at once, or each against
    those before it. A direction where they cannot be has turned by 1.
    """
    new = function.step(Z, W)
    if is_parallel:
        new = _orthogonal(new)
    else:
        new = new - matmul(np.tril(matmul(new, np.ascontiguousarray(W.T)), -1), W)
    lengths = np.sqrt((new**2).sum(axis=1) * (W**2).sum(axis=1))
    cosines = np.abs((new * W).sum(axis=1)) / np.maximum(lengths, _LEAST)
    return float(np.abs(1.0 - cosines).max(initial=0.0))


def _orthogonal(W: Floats) -> Floats:
    """Return the nearest orthogonal matrix, ``(W W')^-1/2 W``."""
    values, U = eigh(matmul(W, np.ascontiguousarray(W.T)))
    root = U / np.sqrt(np.maximum(values, _LEAST))
    return matmul(matmul(root, np.ascontiguousarray(U.T)), W)


def parallel(
    Z: Floats, function: Contrast, start: Floats, tol: float, max_iter: int
) -> tuple[Floats, int, bool]:
    W = _orthogonal(start)
    for n_iter in range(1, max_iter + 1):
        new = _orthogonal(function.step(Z, W))
        change = float(np.abs(np.abs((new * W).sum(axis=1)) - 1.0).max())
        W = new
        if change < tol:
            return W, n_iter, True
    return W, max_iter, False


def deflation(
    Z: Floats, function: Contrast, start: Floats, tol: float, max_iter: int
) -> tuple[Floats, int, bool]:
    W, most, has_converged = np.zeros_like(start), 0, True
    for j, first in enumerate(start):
        w = first / np.sqrt((first**2).sum())
        change = math.inf
        for n_iter in range(1, max_iter + 1):  # noqa: B007 used behind the loop
            new = function.step(Z, w[None, :])[0]
            new = new - np.einsum("i,ij->j", np.einsum("ij,j->i", W[:j], new), W[:j])
            new /= np.sqrt((new**2).sum())
            change = abs(abs(float((new * w).sum())) - 1.0)
            w = new
            if change < tol:
                break
        most, has_converged = max(most, n_iter), has_converged and change < tol
        W[j] = w
    return W, most, has_converged
