"""Probabilities from the scores of pairs of classes."""

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from gramian._draws import random_state_of
from gramian._kernel.kernels import Kernel, kernel_sums
from gramian._kernel.machine import Machine, Solved, solve
from gramian._platt import platt_sigmoid
from gramian._typing import Floats

__all__ = ["couple", "pair_probabilities", "platt_parameters"]

_FOLDS = 5
_LEAST = 1e-7  # probabilities of pairs stay this far from 0 and 1
_BLOCK = 1 << 22  # entries of linear systems solved at a time


def platt_parameters(
    model: Any, kernel: Kernel, X: Any, machines: list[Machine], factor: Floats
) -> tuple[Floats, Floats]:
    """Return slopes and offsets of ``P(first class | score) = 1 / (1 + exp(a score + b))``.

    They are fitted to the scores of rows that a machine has not seen, in five folds.
    """
    rng = random_state_of(model.random_state)
    folds = [_folds(machine, rng) for machine in machines]
    parts = [
        _part(model, machine, fold != k, factor)
        for machine, fold in zip(machines, folds, strict=True)
        for k in range(_FOLDS)
    ]
    fitted = [k for k, part in enumerate(parts) if len(np.unique(part.sign)) == 2]
    solved = dict(zip(fitted, solve(model, kernel, X, [parts[k] for k in fitted]), strict=True))
    slopes, offsets = [], []
    for m, (machine, fold) in enumerate(zip(machines, folds, strict=True)):
        scores = np.empty(len(fold))
        for k in range(_FOLDS):
            part = parts[m * _FOLDS + k]
            rows = machine.rows[fold == k]
            own = solved.get(m * _FOLDS + k)
            if own is None:  # rows of one class only, or of none
                scores[fold == k] = part.sign[0] if len(part.sign) else 0.0
            else:
                scores[fold == k] = _scores(model, kernel, X, own, rows)
        slope, offset = platt_sigmoid(scores, machine.sign > 0)
        slopes.append(slope)
        offsets.append(offset)
    return np.array(slopes), np.array(offsets)


def _folds(machine: Machine, rng: np.random.RandomState) -> NDArray[np.intp]:
    """Return the fold of each row of a machine."""
    n = len(machine.rows)
    fold = np.empty(n, dtype=np.intp)
    fold[rng.permutation(n)] = np.arange(n) * _FOLDS // n
    return fold


def _part(model: Any, machine: Machine, kept: NDArray[np.bool_], factor: Floats) -> Machine:
    """Return the problem of some of a machine's rows."""
    first, second = (machine.rows[kept & (machine.sign == sign)] for sign in (1.0, -1.0))
    part: Machine = model._machine(first, second, factor)
    return part


def _scores(model: Any, kernel: Kernel, X: Any, solved: Solved, rows: NDArray[np.int64]) -> Floats:
    coef, intercept = model._scaled(solved)
    used = coef != 0.0
    centres = solved.machine.rows[used]
    if kernel.name == "precomputed":
        sums: Floats = X[np.ix_(rows, centres)] @ coef[used]
    else:
        sums = kernel_sums(kernel, X[rows], X[centres], coef[None, used])[:, 0]
    result: Floats = sums + intercept
    return result


def pair_probabilities(scores: Floats, slopes: Floats, offsets: Floats) -> Floats:
    """Return the probability of the first class of each pair, given that it is one of both."""
    found: Floats = np.clip(expit(-(slopes * scores + offsets)), _LEAST, 1.0 - _LEAST)
    return found


def couple(pairs: Floats, n_classes: int) -> Floats:
    """Return the probabilities of all classes that fit best to those of the pairs.

    They minimise ``sum_ij (r_ji p_i - r_ij p_j)^2`` over ``sum p = 1`` (Wu, Lin and Weng 2004,
    second method), which is a linear system, whose solution is positive.
    """
    if n_classes == 2:
        return np.concatenate([pairs, 1.0 - pairs], axis=1)
    out = np.empty((len(pairs), n_classes))
    size = max(_BLOCK // (n_classes + 1) ** 2, 1)
    for begin in range(0, len(pairs), size):
        out[begin : begin + size] = _couple_block(pairs[begin : begin + size], n_classes)
    return out


def _couple_block(pairs: Floats, n_classes: int) -> Floats:
    ratio = np.zeros((len(pairs), n_classes, n_classes))  # ratio[i, j]: i, if it is i or j
    for k, (i, j) in enumerate(combinations(range(n_classes), 2)):
        ratio[:, i, j], ratio[:, j, i] = pairs[:, k], 1.0 - pairs[:, k]
    system = np.ones((len(pairs), n_classes + 1, n_classes + 1))
    system[:, :-1, :-1] = -ratio.transpose(0, 2, 1) * ratio
    diagonal = np.arange(n_classes)
    system[:, diagonal, diagonal] = (ratio**2).sum(axis=1)
    system[:, -1, -1] = 0.0
    target = np.zeros((len(pairs), n_classes + 1, 1))
    target[:, -1] = 1.0
    shares = np.maximum(np.linalg.solve(system, target)[:, :-1, 0], 0.0)
    coupled: Floats = shares / shares.sum(axis=1, keepdims=True)
    return coupled
