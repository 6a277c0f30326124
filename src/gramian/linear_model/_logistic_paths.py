"""Paths of logistic regressions from strong to weak penalties, on the training rows of folds."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian.config import core_context, n_threads_for
from gramian.linear_model._glm import Floats, GlmFit, GlmProblem, fit_glm
from gramian.linear_model._logistic_base import logistic_problem
from gramian.linear_model._logistic_penalty import Penalty
from gramian.linear_model._path_cv import Rows, as_rows, run_all

__all__ = ["LogisticSearch", "Paths"]


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
        """Fit all folds, on threads of their own; each fold's numbers depend on it alone."""
        n_jobs = self.model.n_jobs
        n_workers = max(1, min(n_threads_for(n_jobs), len(self.folds)))
        ctx = core_context(1 if n_workers > 1 else n_jobs)
        found = run_all(lambda fold: self._fold_fits(fold[0], ctx), self.folds, n_workers, ctx)
        return self._collected([fit for fits in found for fit in fits])

    def _part(self, rows: Rows | None) -> tuple[Any, Floats, Floats | None]:
        """Return the features, the classes and the weights of some rows, or of all."""
        y = self.codes.astype(np.float64)
        if rows is None:
            return self.X, y, self.weight
        return self.X[rows], y[rows], None if self.weight is None else self.weight[rows]

    def _problem(self, part: tuple[Any, Floats, Floats | None], C: float, ratio: float) -> Any:
        return logistic_problem(self.model, *part, self.n_classes, Penalty.of(C, ratio))

    def _fold_fits(self, train: Any, ctx: _core.Context) -> list[GlmFit]:
        """Return the fits of one fold, in the order of the ratios and, within, of C as given."""
        part = self._part(as_rows(train, self.X.shape[0]))
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
