"""Linear support vector machines: the problem, its solution, and what that proves."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from gramian import _core
from gramian._draws import random_state_of
from gramian._linear.advice import scale_advice
from gramian._rows import gather
from gramian._typing import Floats
from gramian.certificate import Certificate
from gramian.config import core_context
from gramian.exceptions import ConvergenceWarning, shared

__all__ = [
    "LinearFit",
    "LinearProblem",
    "check_combination",
    "fit_jointly",
    "fit_linear",
    "report",
]

_WAYS = ("newton", "proximal-newton", "interior-point", "dual-coordinate-descent")


@dataclass(frozen=True)
class LinearProblem:
    """Checked data without rows of weight 0, and the weights of the others.

    `class_factor` has a row for each machine: factors of the weights of the other classes and of
    its own. It is None for regression.
    """

    X: Any
    y: Floats
    weight: Floats
    class_factor: Floats | None

    @classmethod
    def of(
        cls, X: Any, y: Floats, weight: Floats | None, class_factor: Floats | None
    ) -> "LinearProblem":
        """Return the problem without the rows of weight 0, and as the native core takes it."""
        if weight is None:
            weight = np.ones(X.shape[0])
        elif (weight == 0.0).any():
            used = weight > 0.0
            X, y, weight = gather(X, used), y[used], weight[used]
        return cls(_by_rows(X), np.ascontiguousarray(y, dtype=np.float64), weight, class_factor)


@dataclass(frozen=True)
class LinearFit:
    """Coefficients and intercepts, and what was measured there."""

    coef: Floats
    intercept: Any
    n_iter: int
    certificate: Certificate


def check_combination(loss: str, penalty: str, dual: Any) -> None:
    """Raise ValueError for a combination that liblinear, and hence scikit-learn, does not have."""
    only_dual = loss in ("hinge", "epsilon_insensitive")
    if penalty == "l1" and only_dual:
        what = f"The combination of penalty={penalty!r} and loss={loss!r} is not supported"
    elif (only_dual and dual is False) or (penalty == "l1" and dual is True):
        what = (
            f"The combination of penalty={penalty!r} and loss={loss!r} is not supported when "
            f"dual={dual!r}"
        )
    else:
        return
    raise ValueError(
        f"Unsupported set of arguments: {what}, Parameters: penalty={penalty!r}, loss={loss!r}, "
        f"dual={dual!r}"
    )


def fit_linear(model: Any, problem: LinearProblem, penalty: str, epsilon: float) -> LinearFit:
    """Fit the machines of a model with the parameters of `LinearSVC` and `LinearSVR`."""
    n_machines = 1 if problem.class_factor is None else len(problem.class_factor)
    params = np.zeros((n_machines, problem.X.shape[1] + 1))
    reached = np.empty((n_machines, 6))
    options = {
        **_options(model),
        "loss": model.loss,
        "epsilon": float(epsilon),
        "is_l1": penalty == "l1",
        "side": {"auto": "any", True: "dual", False: "primal"}[model.dual],
        "params": params,
        "reached": reached,
    }
    target = (problem.y, float(model.C) * problem.weight, problem.class_factor)
    _core.linear_svm(problem.X, *target, **options)
    return _fitted(model, params, reached, out_of_time=options["ctx"].expired)


def fit_jointly(model: Any, problem: LinearProblem, n_classes: int) -> LinearFit:
    """Fit the machine of Crammer and Singer, which has coefficients for every class."""
    params = np.zeros((n_classes, problem.X.shape[1] + 1))
    reached = np.empty(6)
    options = {**_options(model), "params": params, "reached": reached}
    target = (problem.y, float(model.C) * problem.weight)
    _core.crammer_singer(problem.X, *target, **options)
    if n_classes == 2:  # one score, positive for the second class
        params = params[1:] - params[:1]
    return _fitted(model, params, reached[None], out_of_time=options["ctx"].expired)


def _options(model: Any) -> dict[str, Any]:
    return {
        "intercept_scaling": float(model.intercept_scaling) if model.fit_intercept else 0.0,
        "tol": float(model.tol),
        "max_iter": int(model.max_iter),
        "seed": int(random_state_of(model.random_state).randint(np.iinfo(np.int32).max)),
        "ctx": core_context(),
    }


def _fitted(model: Any, params: Floats, reached: Floats, *, out_of_time: bool) -> LinearFit:
    if not reached[:, 5].all():
        raise ValueError(
            f"{type(model).__name__} cannot evaluate its loss on these data: the numbers in X, "
            "the weights or C are too large. Scale the columns, for example with "
            "gramian.preprocessing.StandardScaler."
        )
    certificate = _certify(model, reached, out_of_time=out_of_time)
    intercept = params[:, -1].copy() if model.fit_intercept else 0.0
    coef = np.ascontiguousarray(params[:, :-1])
    return LinearFit(coef, intercept, int(reached[:, 2].max()), certificate)


def report(model: Any, X: Any, certificate: Certificate) -> None:
    """Print the certificate if the model is `verbose`, and warn if it has not converged."""
    if model.verbose:
        print(f"[{type(model).__name__}] {certificate.statement}")
    if certificate.converged or "stopped" in certificate.details:
        return
    names = getattr(model.encoding_, "get_feature_names_out", None)
    advice = scale_advice(X, None if names is None else names())
    warnings.warn(
        "Liblinear failed to converge, increase the number of iterations "
        f"(max_iter={model.max_iter}): {certificate.statement}. {advice}".rstrip(),
        shared(ConvergenceWarning),
        stacklevel=3,
    )


def _certify(model: Any, reached: Floats, *, out_of_time: bool) -> Certificate:
    """Return how far the machines, taken together, are from their optimum, by duality."""
    objective, bound = reached[:, :2].sum(axis=0).tolist()
    gap = max(objective - bound, 0.0) / objective if objective > 0.0 else 0.0
    converged = bool(reached[:, 4].all())
    n_iter = int(reached[:, 2].max())
    statement = (
        f"primal and dual objective differ by {100 * gap:.2g} % (asked for: "
        f"{100 * model.tol:g} %) after {n_iter} iterations"
    )
    ways = sorted({_WAYS[int(way)] for way in reached[:, 3]})
    details: dict[str, float | int | str] = {"solver": ", ".join(ways), "machines": len(reached)}
    if out_of_time and not converged:
        statement += ", stopped by the time limit"
        details["stopped"] = "time limit"
    return Certificate(objective, gap, converged, statement, n_iter, bound, gap, details)


def _by_rows(X: Any) -> Any:
    """Return X with contiguous rows; sparse rows that name no column twice."""
    if not issparse(X):
        return np.ascontiguousarray(X)
    if X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X
