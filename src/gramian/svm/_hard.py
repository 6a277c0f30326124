"""Linear machines without errors (``C=inf``)."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gramian._kernel.hard_margin import no_boundary, no_tube, upper_bounds
from gramian._kernel.kernels import Kernel
from gramian._kernel.machine import Machine, Solved, certify, solve
from gramian._linear.linear_svm import LinearFit, LinearProblem
from gramian._typing import Floats

__all__ = ["fit_hard_classes", "fit_hard_tube"]


@dataclass(frozen=True)
class _Settings:
    tol: float
    max_iter: int = -1
    cache_size: float = 200.0
    shrinking: bool = False


def fit_hard_classes(model: Any, problem: LinearProblem, classes: Any) -> LinearFit:
    """Fit the widest margin with the penalised intercept of `LinearSVC`, for each machine."""
    assert problem.class_factor is not None
    owners = [1] if len(problem.class_factor) == 1 else range(len(problem.class_factor))
    machines = []
    for factor, own in zip(problem.class_factor, owners, strict=True):
        is_own = problem.y == own
        weight = problem.weight * np.where(is_own, factor[1], factor[0])
        sign = np.where(is_own, 1.0, -1.0)
        upper = upper_bounds(np.inf, weight)
        machines.append(_machine(len(sign), sign, np.full(len(sign), -1.0), upper))
    solved = _solve(model, problem.X, machines)
    for part, own in zip(solved, owners, strict=True):
        if not part.is_feasible:
            other = str(classes[0]) if len(classes) == 2 else "all others"
            labels = (str(classes[own]), other)
            _blame_offsets(model, problem.X, part.machine)
            raise ValueError(no_boundary(part, labels, through_origin=not model.fit_intercept))
    return _fitted(model, problem.X, solved)


def fit_hard_tube(model: Any, problem: LinearProblem) -> LinearFit:
    """Fit the flattest function within the tube, with the penalised intercept of `LinearSVR`."""
    sign = np.repeat([1.0, -1.0], len(problem.y))
    epsilon = float(model.epsilon)
    linear = np.concatenate([epsilon - problem.y, epsilon + problem.y])
    machine = _machine(len(problem.y), sign, linear, np.full(len(sign), np.inf))
    solved = _solve(model, problem.X, [machine])
    if not solved[0].is_feasible:
        _blame_offsets(model, problem.X, solved[0].machine)
        raise ValueError(no_tube(solved[0], epsilon))
    return _fitted(model, problem.X, solved)


def _machine(n_rows: int, sign: Floats, linear: Floats, upper: Floats) -> Machine:
    start = np.zeros(len(sign))
    return Machine(np.arange(n_rows), sign, linear, upper, start, has_intercept=False)


def _solve(model: Any, X: Any, machines: list[Machine]) -> list[Solved]:
    return solve(_Settings(model.tol), Kernel("poly", 1.0, _constant(model), 1), X, machines)


def _blame_offsets(model: Any, X: Any, machine: Machine) -> None:
    """Raise if a free intercept would do: then rounding of large numbers is in the way."""
    if not model.fit_intercept:
        return
    free = replace(machine, has_intercept=True, alpha=np.zeros(len(machine.sign)))
    if solve(_Settings(model.tol), Kernel("linear", 0.0, 0.0, 1), X, [free])[0].is_feasible:
        name = type(model).__name__.removeprefix("Linear")
        raise ValueError(
            "C=inf allows no errors, and there is a solution, but with a penalised intercept "
            "rounding hides it: the columns are too far from zero beside their spread. Centre "
            f"them, as StandardScaler does, or take {name}(kernel='linear', C=inf)."
        )


def _constant(model: Any) -> float:
    """Return the square of the constant column whose coefficient gives the intercept."""
    return float(model.intercept_scaling) ** 2 if model.fit_intercept else 0.0


def _fitted(model: Any, X: Any, solved: list[Solved]) -> LinearFit:
    coefs = np.stack([part.coef for part in solved])
    coef = np.asarray(coefs @ X, dtype=np.float64)
    intercept = _constant(model) * coefs.sum(axis=1) if model.fit_intercept else 0.0
    certificate = certify(solved, model.tol)
    return LinearFit(np.ascontiguousarray(coef), intercept, certificate.n_iter, certificate)
