"""Solvers of non-negative factorizations: coordinate descent, and multiplicative updates."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._typing import Floats
from gramian.config import core_context
from gramian.decomposition._nmf_data import EPSILON, Data, gram_of

__all__ = ["Found", "Penalty", "Settings", "descend", "multiply", "projected_gradient"]

_EPS = float(np.finfo(np.float64).eps)
_SHRINK = 1e-2  # sweeps end when one moves less than this part of the first
_SWEEPS = 8
_SOLVE_SWEEPS = 10
# Extrapolation (Ang and Gillis, 2019): its factor, by what it grows and shrinks, and its bound.
_FIRST, _GROWTH, _BOUND_GROWTH, _SHRINKAGE = 0.5, 1.05, 1.01, 1.5
_PLATEAU = 1e-10  # of |X|²: steps that gain less are not extrapolated, as rounding would rule them
_ROUNDING = 1e-13  # of the products that gradients are the differences of
_CHECK_EACH = 10  # multiplicative updates


@dataclass(frozen=True)
class Penalty:
    """Weights of ``|W|_1``, ``|H|_1``, ``|W|² / 2`` and ``|H|² / 2``."""

    l1_W: float
    l1_H: float
    l2_W: float
    l2_H: float

    def of(self, W: Floats, H: Floats) -> float:
        """Return what it adds to the objective."""
        total = self.l1_W * float(W.sum()) + self.l1_H * float(H.sum())
        return total + 0.5 * (self.l2_W * float((W**2).sum()) + self.l2_H * float((H**2).sum()))


@dataclass(frozen=True)
class Settings:
    """Stopping rules, and what is drawn or printed on the way."""

    tol: float
    max_iter: int
    update_H: bool
    verbose: int
    rng: np.random.RandomState | None  # shuffles the coordinates

    def order(self, k: int) -> NDArray[np.int64]:
        """Return the components in the order of a sweep."""
        order = np.arange(k) if self.rng is None else self.rng.permutation(k)
        return order.astype(np.int64)


@dataclass
class Found:
    """The factors, the iterations, and whether a rule other than their number ended them."""

    W: Floats
    H: Floats
    n_iter: int
    converged: bool


def _swept(
    factor: Floats,
    gram: Floats,
    cross: Floats,
    order: NDArray[np.int64],
    n_sweeps: int,
    shrink: float,
) -> tuple[Floats, float]:
    """Return the factor after sweeps of coordinate descent, and the first one's violation."""
    factor = factor.copy()
    violation = _core.nmf_sweeps(
        gram,
        cross,
        order,
        n_sweeps=n_sweeps,
        shrink=shrink,
        factor=factor,
        ctx=core_context(),
    )
    return factor, violation


def _system(of: Floats, products: Floats, l1: float, l2: float) -> tuple[Floats, Floats]:
    """Return Gram matrix and right sides of the least squares for one factor, penalties in them."""
    gram = gram_of(of)
    gram[np.diag_indices(len(gram))] += l2
    return gram, products - l1 if l1 else products


def descend(data: Data, W: Floats, H: Floats, penalty: Penalty, settings: Settings) -> Found:
    """Minimise ``|X - W H|² / 2`` and penalties by extrapolated block coordinate descent.

    Each block is swept some times over its Gram matrix, which costs less than the product with X
    that precedes it (Gillis and Glineur, 2012). Blocks are extrapolated along their last step; an
    iteration that raises the objective is dropped, and its successor is not extrapolated.
    """
    Ht = np.ascontiguousarray(H.T)
    if not settings.update_H:
        return _solve_rows(data, W, Ht, penalty, settings)
    steps = _Extrapolation(data, W, Ht, penalty)
    rule = _Rule(settings.tol)
    for n_iter in range(1, settings.max_iter + 1):  # noqa: B007 used behind the loop
        is_met = rule.is_met(*steps.iterate(settings))
        if settings.verbose:
            print("violation:", rule.ratio)
        if is_met:
            break
    W, Ht = steps.best
    return Found(W, np.ascontiguousarray(Ht.T), n_iter, is_met)


class _Rule:
    """Whether a violation is small beside the first one, or as small as rounding lets it be."""

    def __init__(self, tol: float) -> None:
        self.tol, self.first, self.ratio = tol, math.nan, math.inf

    def is_met(self, violation: float, scale: float) -> bool:
        if math.isnan(self.first):
            self.first = violation
        self.ratio = violation / self.first if self.first > 0.0 else 0.0
        return self.ratio <= self.tol or violation <= _ROUNDING * scale


class _Extrapolation:
    """The iterates, the points beyond them, and the best pair so far."""

    def __init__(self, data: Data, W: Floats, Ht: Floats, penalty: Penalty) -> None:
        self.data, self.penalty = data, penalty
        self.beyond = self.last = self.best = (W, Ht)
        self.value = math.inf
        self.factor, self.bound = _FIRST, 1.0
        self.is_plain = True  # whether the next iteration is not extrapolated
        p, k = Ht.shape
        self.n_sweeps = min(1 + p // (2 * k), _SWEEPS), min(1 + len(W) // (2 * k), _SWEEPS)

    def iterate(self, settings: Settings) -> tuple[float, float]:
        """Go one step on, and return the violation of the optimality conditions, and its scale."""
        penalty, data, k = self.penalty, self.data, self.beyond[0].shape[1]
        factor = 0.0 if self.is_plain else self.factor
        gram, cross = _system(
            self.beyond[1], data.times(self.beyond[1]), penalty.l1_W, penalty.l2_W
        )
        scale = float(np.abs(cross).sum())
        W, first = _swept(self.beyond[0], gram, cross, settings.order(k), self.n_sweeps[0], _SHRINK)
        W_beyond = _extrapolated(W, self.last[0], factor)
        along = data.transposed_times(W_beyond)
        gram, cross = _system(W_beyond, along, penalty.l1_H, penalty.l2_H)
        Ht, second = _swept(
            self.beyond[1], gram, cross, settings.order(k), self.n_sweeps[1], _SHRINK
        )
        gram[np.diag_indices(k)] -= penalty.l2_H
        value = 0.5 * (data.squared_size() + float((gram * gram_of(Ht)).sum()))
        value += penalty.of(W_beyond, Ht) - float((along * Ht).sum())
        self._judge(value, (W, Ht), W_beyond, factor)
        return first + second, scale + float(np.abs(cross).sum())

    def _judge(
        self, value: float, pair: tuple[Floats, Floats], W_beyond: Floats, factor: float
    ) -> None:
        least = _PLATEAU * self.data.squared_size()
        if value > self.value - least and not self.is_plain:
            self.bound, self.factor = self.factor, self.factor / _SHRINKAGE
            self.beyond = self.last = self.best
            self.is_plain = True
            return
        if not self.is_plain:
            self.factor = min(self.bound, _GROWTH * self.factor)
            self.bound = min(1.0, _BOUND_GROWTH * self.bound)
        self.is_plain = value > self.value - least
        # A plain iteration of exact arithmetic never raises the objective.
        self.value, self.best = value, (W_beyond, pair[1])
        self.beyond = W_beyond, _extrapolated(pair[1], self.last[1], factor)
        self.last = pair


def _extrapolated(new: Floats, old: Floats, factor: float) -> Floats:
    if factor == 0.0:
        return new
    found: Floats = np.maximum(new + factor * (new - old), 0.0)
    return found


def _solve_rows(data: Data, W: Floats, Ht: Floats, penalty: Penalty, settings: Settings) -> Found:
    """Minimise over W alone: one product with X, then sweeps until the violation is small."""
    gram, cross = _system(Ht, data.times(Ht), penalty.l1_W, penalty.l2_W)
    order, rule, scale = settings.order(len(gram)), _Rule(settings.tol), float(np.abs(cross).sum())
    for n_iter in range(1, settings.max_iter + 1):
        W, violation = _swept(W, gram, cross, order, _SOLVE_SWEEPS if n_iter > 1 else 1, 0.0)
        is_met = rule.is_met(violation, scale)
        if is_met:
            break
    return Found(W, np.ascontiguousarray(Ht.T), n_iter, is_met)


def exponent_of(beta: float) -> float:
    """Return the power of the ratio that makes updates descend (Févotte and Idier, 2011)."""
    if beta < 1.0:
        return 1.0 / (2.0 - beta)
    return 1.0 / (beta - 1.0) if beta > 2.0 else 1.0


def ratio_of(
    factor: Floats, terms: tuple[Floats, Floats], l1: float, l2: float
) -> tuple[Floats, Floats]:
    """Return numerator and denominator of an update, with penalties, none of them zero."""
    numerator, denominator = terms
    denominator = denominator + l1 + l2 * factor
    denominator[denominator == 0.0] = EPSILON
    return numerator, denominator


def multiplied_rows(data: Data, W: Floats, H: Floats, beta: float, penalty: Penalty) -> Floats:
    """Return W after one multiplicative update."""
    numerator, denominator = ratio_of(W, data.row_terms(W, H, beta), penalty.l1_W, penalty.l2_W)
    found: Floats = W * (numerator / denominator) ** exponent_of(beta)
    if beta < 1.0:
        found[found < _EPS] = 0.0
    return found


def multiply(
    data: Data, W: Floats, H: Floats, beta: float, penalty: Penalty, settings: Settings
) -> Found:
    """Minimise a beta divergence and penalties by multiplicative updates."""
    first = previous = _size(data, W, H, beta)
    has_converged = False
    for n_iter in range(1, settings.max_iter + 1):
        W = multiplied_rows(data, W, H, beta, penalty)
        if settings.update_H:
            terms = data.column_terms(W, H, beta)
            numerator, denominator = ratio_of(H, terms, penalty.l1_H, penalty.l2_H)
            H = H * (numerator / denominator) ** exponent_of(beta)
            if beta <= 1.0:
                H[H < _EPS] = 0.0
        if settings.tol > 0.0 and n_iter % _CHECK_EACH == 0:
            error = _size(data, W, H, beta)
            if settings.verbose:
                print(f"Epoch {n_iter:02d}: error {error:.6f}")
            if previous - error < settings.tol * first:
                has_converged = True
                break
            previous = error
    return Found(W, H, n_iter, has_converged)


def _size(data: Data, W: Floats, H: Floats, beta: float) -> float:
    return math.sqrt(2.0 * max(data.divergence(W, H, beta), 0.0))


def projected_gradient(
    data: Data, W: Floats, H: Floats, beta: float, penalty: Penalty, update_H: bool
) -> float:
    """Return the projected gradient's size in each factor, relative to its positive part; largest.

    The gradient is denominator less numerator of the multiplicative updates; of entries that are 0
    only what is negative counts.
    """
    sides = [(W, data.row_terms(W, H, beta), penalty.l1_W, penalty.l2_W)]
    if update_H:
        sides.append((H, data.column_terms(W, H, beta), penalty.l1_H, penalty.l2_H))
    worst = 0.0
    for factor, (numerator, denominator), l1, l2 in sides:
        positive = np.broadcast_to(denominator + l1 + l2 * factor, factor.shape)
        gradient = positive - numerator
        gradient[factor <= 0.0] = np.minimum(gradient[factor <= 0.0], 0.0)
        scale = max(float(np.abs(numerator).max()), float(np.abs(positive).max()))
        if scale > 0.0:  # divided first: squares would leave the range of numbers
            sizes = [float(((A / scale) ** 2).sum()) for A in (gradient, numerator, positive)]
            worst = max(worst, math.sqrt(sizes[0] / max(sizes[1:])))
    return worst
