"""Squared errors of whole paths under cross-validation, with shared Gram matrices."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._linear.descent import (
    Moments,
    Options,
    Path,
    descend,
    from_moments,
    moments,
    total_weight,
)
from gramian._linear.problem import Problem
from gramian._rows import gather
from gramian._typing import Floats
from gramian.config import core_context, n_threads_for

Rows = NDArray[np.intp]

_BLOCK_ENTRIES = 1 << 17  # a megabyte


@dataclass(frozen=True)
class Judged:
    """What came of the paths; the axes are ratios, folds and penalties."""

    errors: Floats  # mean squared, on the rows held out
    gaps: Floats  # duality gaps, in units of the mean objective
    goals: Floats  # what they should be at most
    out_of_time: bool


@dataclass(frozen=True)
class Search:
    """What is cross-validated: a path of penalties for each ratio, on each fold."""

    problem: Problem
    ratios: Floats
    alphas: list[Floats]
    folds: list[tuple[Rows, Rows]]
    options: Options
    total: Moments | None  # of all rows; None to work on the data

    def judge(self, n_jobs: int | None) -> Judged:
        """Fit all paths, and judge them by the rows that their folds hold out.

        Folds run on threads of their own; each fold's numbers depend on that fold alone.
        """
        n_workers = max(1, min(n_threads_for(n_jobs), len(self.folds)))
        ctx = core_context(1 if n_workers > 1 else n_jobs, self.options.seed)
        found = run_all(lambda fold: self._fold(fold, ctx), self.folds, n_workers, ctx)
        errors, gaps, goals = np.moveaxis(np.array(found), 0, 2)
        return Judged(errors, gaps, goals, ctx.expired)

    def _fold(self, fold: tuple[Rows, Rows], ctx: _core.Context) -> Floats:
        """Return errors, gaps and goals of one fold, of shape (3, n_ratios, n_alphas)."""
        train, test = (as_rows(part, self.problem.X.shape[0]) for part in fold)
        options = replace(self.options, ctx=ctx)
        held_out = take(self.problem, test)
        known = self._moments_of(train, test, held_out, ctx)
        training = None if known is not None else take(self.problem, train)
        weight = known.weight if known is not None else total_weight(training)  # type: ignore[arg-type]
        found = []
        for ratio, alphas in zip(self.ratios, self.alphas, strict=True):
            scaled = alphas * weight
            penalties = scaled * ratio, scaled * (1.0 - ratio)
            if known is not None:
                path, yy = from_moments(known, penalties, options), float(known.yy.sum())
            else:
                assert training is not None
                path = descend(training, penalties, options)
                yy = training.squares_about(path.mean_y)
            goals = np.full(len(alphas), options.tol * yy / weight)
            found.append([squared_errors(held_out, path, ctx), path.gap / weight, goals])
        return np.moveaxis(np.array(found), 0, 1)

    def _moments_of(
        self, train: Rows, test: Rows, held_out: Problem, ctx: _core.Context
    ) -> Moments | None:
        """Return the moments of the training rows: all less those of the test rows, if they can."""
        if self.total is None:
            return None
        n = self.problem.X.shape[0]
        counts = np.bincount(train, minlength=n) + np.bincount(test, minlength=n)
        if (counts == 1).all() and 2 * len(test) <= n:
            rest = self.total.minus(moments(held_out, ctx))
            if rest.weight > 0:
                return rest
        return moments(take(self.problem, train), ctx)


def run_all(
    task: Callable[[Any], Any], items: list[Any], n_workers: int, ctx: _core.Context
) -> list[Any]:
    """Return ``[task(item) for item in items]``, on some threads, which Ctrl-C stops too."""
    if n_workers == 1:
        return [task(item) for item in items]
    with ThreadPoolExecutor(n_workers) as pool:
        futures = [pool.submit(copy_context().run, task, item) for item in items]
        try:
            return [future.result() for future in futures]
        except BaseException:
            ctx.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def as_rows(part: Any, n: int) -> Rows:
    """Return one half of a split as row numbers; it may be a mask, or count from the end."""
    rows = np.asarray(part)
    return np.flatnonzero(rows) if rows.dtype == bool else rows % n if n else rows


def take(problem: Problem, rows: Rows) -> Problem:
    """Return some rows of a problem."""
    X = problem.X.tocsr()[rows].tocsc() if problem.is_sparse else gather(problem.X, rows)
    weight = None if problem.weight is None else problem.weight[rows]
    return replace(problem, X=X, Y=problem.Y[rows], weight=weight)


def squared_errors(problem: Problem, path: Path, ctx: _core.Context) -> Floats:
    """Return the weighted mean squared error for each penalty, over all targets."""
    count, t, p = path.coef.shape
    used = np.flatnonzero(path.coef.any(axis=(0, 1)))
    coef = np.ascontiguousarray(path.coef.reshape(count * t, p)[:, used].T)
    intercept = path.intercept.reshape(-1)
    X = problem.X[:, used].tocsr() if problem.is_sparse else problem.X
    sums = np.zeros(count * t)
    step = max(1, _BLOCK_ENTRIES // max(count * t, 1))
    for start in range(0, X.shape[0], step):  # blocks whose predictions stay in the cache
        rows = slice(start, start + step)
        block = X[rows] if problem.is_sparse or len(used) == p else X[rows, used]
        predicted = _predicted(block, coef, intercept, ctx)
        residual = predicted.reshape(-1, count, t).astype(np.float64, copy=False)
        residual -= problem.Y[rows, None, :]
        flat = residual.reshape(-1, count * t)
        if problem.weight is None:
            sums += np.einsum("ik,ik->k", flat, flat)
        else:
            sums += np.einsum("i,ik,ik->k", problem.weight[rows], flat, flat)
    errors: Floats = sums.reshape(count, t).mean(axis=1) / total_weight(problem)
    return errors


def _predicted(X: Any, coef: Floats, intercept: Floats, ctx: _core.Context) -> NDArray[Any]:
    out = np.empty((X.shape[0], coef.shape[1]), dtype=X.dtype)
    _core.affine_predict(X, coef, intercept, out=out, ctx=ctx)
    return out
