"""Paths of logistic regressions from strong to weak penalties, on the training rows of folds.

With two classes, an L2 penalty and many dense rows, the folds go in step through the data, which
one native call reads for all of them without copies of their rows. Otherwise each fold has its rows
copied, and a thread of its own.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._linear.glm import GlmFit, GlmProblem, fit_glm, raise_overflow
from gramian._linear.path_cv import Rows, as_rows, run_all
from gramian._rows import gather
from gramian._typing import Floats
from gramian.config import core_context, n_threads_for
from gramian.linear_model._logistic_base import logistic_problem
from gramian.linear_model._logistic_penalty import Penalty

_ROWS_PER_COLUMN = 20  # with fewer, the folds' Hessians are too different to share
_MAX_COLUMNS = 512
_GROUP = 8  # folds at a time: as many scores of a row as a vector register takes


@dataclass(frozen=True)
class Paths:
    """The fits of all folds: leading axes are folds, ratios and values of C."""

    params: Floats  # ..., then outputs, then coefficients and the constant
    n_iter: NDArray[np.int32]
    converged: NDArray[np.bool_]
    gradient: Floats  # its largest entry
    out_of_time: bool


@dataclass(frozen=True)
class LogisticSearch:
    """What is cross-validated: a path of penalties for each ratio, on each fold."""

    model: Any
    X: Any
    codes: NDArray[np.intp]
    weight: Floats | None
    n_classes: int
    Cs: Floats
    ratios: tuple[float, ...]
    folds: list[tuple[Rows, Rows]]

    @property
    def n_outputs(self) -> int:
        """Rows of coefficients."""
        return 1 if self.n_classes == 2 else self.n_classes

    def refit(self, C: float, ratio: float, start: Floats) -> tuple[GlmProblem, GlmFit]:
        """Fit all rows."""
        problem = self._problem(self._part(None), C, ratio)
        return problem, fit_glm(problem, start)

    def paths(self) -> Paths:
        """Fit all folds."""
        trains = [as_rows(train, self.X.shape[0]) for train, _ in self.folds]
        if not self._goes_in_step():
            return self._paths_apart(trains)
        groups = [trains[k : k + _GROUP] for k in range(0, len(trains), _GROUP)]
        parts = [self._paths_in_step(group) for group in groups]
        return Paths(
            np.concatenate([part.params for part in parts]),
            np.concatenate([part.n_iter for part in parts]),
            np.concatenate([part.converged for part in parts]),
            np.concatenate([part.gradient for part in parts]),
            any(part.out_of_time for part in parts),
        )

    def _goes_in_step(self) -> bool:
        """Tell whether the folds share reads of the data."""
        n, p = self.X.shape
        is_plain = self.n_classes == 2 and isinstance(self.X, np.ndarray) and not any(self.ratios)
        is_free = self.model.solver in ("lbfgs", "sag", "saga")  # to choose the method
        return is_plain and is_free and p <= _MAX_COLUMNS and n >= _ROWS_PER_COLUMN * p

    def _paths_in_step(self, trains: list[Rows]) -> Paths:
        n, p = self.X.shape
        weight = np.stack([np.bincount(rows, minlength=n) for rows in trains]).astype(np.float64)
        if self.weight is not None:
            weight *= self.weight
        order = np.argsort(self.Cs, kind="stable")
        n_fits = len(order) * len(trains)
        params, reached = np.empty((n_fits, p + 1)), np.empty((n_fits, 3))
        ctx = core_context(self.model.n_jobs)
        is_finite = _core.fit_logistic_folds(
            self.X,
            self.codes.astype(np.float64),
            weight,
            1.0 / self.Cs[order],
            fit_intercept=bool(self.model.fit_intercept),
            tol=float(self.model.tol),
            max_iter=int(self.model.max_iter),
            params=params,
            reached=reached,
            ctx=ctx,
        )
        if not is_finite:
            raise_overflow(self._problem(self._part(None), 1.0, 0.0))
        by_C = np.argsort(order, kind="stable")
        params, reached = (
            np.moveaxis(a.reshape(len(order), len(trains), -1)[by_C], 0, 1)[:, None]
            for a in (params, reached)
        )
        shape = (1, len(self.ratios), 1, 1)  # several ratios are all zero
        converged = np.tile(reached[..., 2] > 0, shape[:3])
        return Paths(
            np.tile(params[:, :, :, None], (*shape, 1)),
            np.tile(reached[..., 1].astype(np.int32), shape[:3]),
            converged,
            np.tile(reached[..., 0], shape[:3]),
            bool(ctx.expired and not converged.all()),
        )

    def _paths_apart(self, trains: list[Rows]) -> Paths:
        """Fit the folds on threads of their own; each fold's numbers depend on it alone."""
        n_jobs = self.model.n_jobs
        n_workers = max(1, min(n_threads_for(n_jobs), len(trains)))
        ctx = core_context(1 if n_workers > 1 else n_jobs)
        found = run_all(lambda train: self._fold_fits(train, ctx), trains, n_workers, ctx)
        return self._collected([fit for fits in found for fit in fits])

    def _part(self, rows: Rows | None) -> tuple[Any, Floats, Floats | None]:
        """Return the features, the classes and the weights of some rows, or of all."""
        y = self.codes.astype(np.float64)
        if rows is None:
            return self.X, y, self.weight
        return gather(self.X, rows), y[rows], None if self.weight is None else self.weight[rows]

    def _problem(self, part: tuple[Any, Floats, Floats | None], C: float, ratio: float) -> Any:
        return logistic_problem(self.model, *part, self.n_classes, Penalty.of(C, ratio))

    def _fold_fits(self, train: Rows, ctx: _core.Context) -> list[GlmFit]:
        """Return the fits of one fold, in the order of the ratios and, within, of C as given."""
        part = self._part(train)
        fits = []
        for ratio in self.ratios:
            params = np.zeros((self.n_outputs, self.X.shape[1] + 1))
            found: dict[int, GlmFit] = {}
            for k in np.argsort(self.Cs, kind="stable").tolist():
                found[k] = fit_glm(self._problem(part, self.Cs[k], ratio), params, ctx)
                params = found[k].params
            fits += [found[k] for k in range(len(self.Cs))]
        return fits

    def _collected(self, fits: list[GlmFit]) -> Paths:
        shape = (len(self.folds), len(self.ratios), len(self.Cs))
        params = np.stack([fit.params for fit in fits])
        return Paths(
            params.reshape(*shape, *params.shape[1:]),
            np.array([fit.n_iter for fit in fits], dtype=np.int32).reshape(shape),
            np.array([fit.converged for fit in fits]).reshape(shape),
            np.array([fit.gradient_size for fit in fits]).reshape(shape),
            any(fit.out_of_time for fit in fits),
        )
