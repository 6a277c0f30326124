"""The problem of a stochastic gradient descent as arrays, its state, and its certificate."""

import math
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._linear.advice import scale_advice
from gramian._typing import Floats
from gramian.certificate import Certificate
from gramian.config import core_context

__all__ = ["SgdData", "SgdModel", "SgdResult", "SgdState", "certify", "descend", "seeds_of"]


_SPARSE_INTERCEPT_DECAY = 0.01  # sparse rows change the intercept far more often than a weight
_MAX_SEED = np.iinfo(np.int32).max
_REPORT = "Norm: {:.2f}, NNZs: {:d}, Bias: {:.6f}, T: {:d}, Avg. loss: {:f}, Objective: {:f}"


class SgdModel(Protocol):
    """The settings that a descent reads from its estimator."""

    loss: str
    epsilon: float
    penalty: str | None
    alpha: float
    l1_ratio: float | None
    learning_rate: str
    eta0: float
    power_t: float
    average: bool | int
    batch_size: int | str
    tol: float | None
    n_iter_no_change: int
    fit_intercept: bool
    shuffle: bool
    early_stopping: bool
    verbose: int
    _is_one_class: bool


@dataclass(frozen=True)
class SgdData:
    """Rows and targets; classes as their positions, with two weights for each target."""

    X: Any
    y: Floats
    weight: Floats | None
    class_weight: Floats | None  # (n_targets, 2): of the others and of the target's; None: numbers
    is_validation: NDArray[np.uint8] | None = None
    n_jobs: int | None = None

    @classmethod
    def of(cls, X: Any, y: Any, weight: Any, class_weight: Any, n_jobs: int | None) -> "SgdData":
        """Bring arrays into the form that native functions take, without a copy if they have it."""
        if isinstance(X, np.ndarray) and X.strides[1] != X.itemsize:
            X = np.ascontiguousarray(X)  # rows are read in random order
        return cls(X, np.ascontiguousarray(y, dtype=np.float64), weight, class_weight, None, n_jobs)

    @property
    def is_sparse(self) -> bool:
        """Whether `X` is a CSR matrix."""
        return not isinstance(self.X, np.ndarray)

    @property
    def n_targets(self) -> int:
        """Number of coefficient vectors."""
        return 1 if self.class_weight is None else len(self.class_weight)

    def call(self, name: str, *arguments: Any) -> Any:
        """Call the native function with these rows."""
        target = _core.SgdTarget(self.y, self.weight, self.is_validation, self.class_weight)
        return getattr(_core, name)(self.X, target, *arguments)


@dataclass
class SgdState:
    """Where a descent stands: weights, their average, and the number of the next step."""

    coef: Floats
    intercept: Floats
    average_coef: Floats
    average_intercept: Floats
    t: float = 1.0

    @classmethod
    def start(cls, coef: Floats, intercept: Floats) -> "SgdState":
        """Return the state before the first step."""
        return cls(coef, intercept, np.zeros_like(coef), np.zeros_like(intercept))

    def result(self, average: int) -> tuple[Floats, Floats]:
        """Return the average, once there is one, else the weights."""
        if 0 < average <= self.t - 1:
            return self.average_coef, self.average_intercept
        return self.coef, self.intercept


@dataclass(frozen=True)
class SgdResult:
    """How the descents of the targets ended."""

    n_iter: int
    ends: tuple[str, ...]

    @property
    def end(self) -> str:
        """The end that says most: that of the targets which did not get as far as the others."""
        return next((e for e in ("time_limit", "max_iter") if e in self.ends), "tolerance")


def seeds_of(rng: np.random.RandomState, data: SgdData) -> NDArray[np.uint32]:
    """Return the seeds from which scikit-learn shuffles for the same random state."""
    if data.class_weight is None:
        return np.array([rng.randint(_MAX_SEED)], dtype=np.uint32)
    sources = [rng]
    if data.n_targets > 1:
        drawn = rng.randint(_MAX_SEED, size=data.n_targets)
        sources = [np.random.RandomState(seed) for seed in drawn]
    # The first draw of each is for a purpose that shuffling does not have.
    return np.array([source.randint([1, 0], _MAX_SEED)[1] for source in sources], dtype=np.uint32)


def _options(model: SgdModel, data: SgdData, t: float, max_iter: int) -> _core.SgdOptions:
    loss = "hinge" if model.loss == "perceptron" else model.loss
    width = {"hinge": 1.0, "perceptron": 0.0}.get(model.loss, model.epsilon)
    n_rows = int(data.X.shape[0])
    return _core.SgdOptions(
        loss=loss,
        loss_parameter=float(width),
        penalty=model.penalty or "none",
        alpha=float(model.alpha),
        l1_ratio=float(model.l1_ratio or 0.0),
        learning_rate=model.learning_rate,
        eta0=float(model.eta0),
        power_t=float(model.power_t),
        t=t,
        intercept_decay=_SPARSE_INTERCEPT_DECAY if data.is_sparse else 1.0,
        average=int(model.average),
        batch_size=max(n_rows, 2) if model.batch_size == "full" else int(model.batch_size),
        max_iter=max_iter,
        tol=-math.inf if model.tol is None else float(model.tol),
        n_iter_no_change=int(model.n_iter_no_change),
        fit_intercept=bool(model.fit_intercept),
        shuffle=bool(model.shuffle),
        early_stopping=bool(model.early_stopping),
        one_class=model._is_one_class,
        reports=bool(model.verbose),
    )


def descend(
    model: SgdModel, data: SgdData, state: SgdState, seeds: NDArray[np.uint32], max_iter: int
) -> SgdResult:
    """Run the descents from `state`, which is changed; raise ValueError if one overflows."""
    options = _options(model, data, state.t, max_iter)
    arrays = _core.SgdArrays(
        state.coef,
        state.intercept,
        state.average_coef if model.average else None,
        state.average_intercept if model.average else None,
        seeds,
    )
    outcomes = data.call("sgd", arrays, options, core_context(data.n_jobs))
    if model.verbose:
        _print_reports(outcomes)
    for n_iter, end, _ in outcomes:
        if end == "not_finite":
            raise _overflow(f"occurred at epoch #{n_iter}", data)
    n_iter = max(outcome[0] for outcome in outcomes)
    state.t += n_iter * data.X.shape[0]
    return SgdResult(n_iter, tuple(outcome[1] for outcome in outcomes))


def _overflow(where: str, data: SgdData) -> ValueError:
    return ValueError(
        f"Floating-point under-/overflow {where}. Scaling input data with StandardScaler or "
        f"MinMaxScaler might help, or a smaller eta0. {scale_advice(data.X)}".rstrip()
    )


def _print_reports(outcomes: list[tuple[int, str, list[tuple[Any, ...]]]]) -> None:
    for n_iter, end, reports in outcomes:
        for epoch, report in enumerate(reports, start=1):
            score = "" if math.isnan(report[-1]) else f", Validation score: {report[-1]:f}"
            print(f"-- Epoch {epoch}")
            print(_REPORT.format(*report[:-1]) + score)
        if end == "tolerance":
            print(f"Convergence after {n_iter} epochs")


def certify(
    model: SgdModel,
    data: SgdData,
    coef: NDArray[Any],
    intercept: NDArray[Any],
    result: SgdResult,
) -> Certificate:
    """Return the certificate of coefficients (n_targets, n_features), from the data themselves.

    The optimality is the norm of the objective's gradient (the least of the subgradients of an L1
    penalty) over the mean norm of the rows' gradients: 0 where they cancel. Raises ValueError if
    the losses are not finite: steps are clipped, so that coefficients may stay finite where the
    predictions do not.
    """
    coef, intercept = coef.astype(np.float64), intercept.astype(np.float64)
    loss, norms = np.empty(data.n_targets), np.empty(data.n_targets)
    slope, intercept_slope = np.empty_like(coef), np.empty_like(intercept)
    arrays = _core.SgdGradientArrays(coef, intercept, loss, norms, slope, intercept_slope)
    data.call("sgd_gradient", arrays, _options(model, data, 1.0, 1), core_context(data.n_jobs))
    if not np.isfinite(loss).all():
        raise _overflow("occurred in the losses of the rows", data)
    l1, l2 = _penalties(model)
    objective = float((loss + l1 * np.abs(coef).sum(axis=1)).sum() + l2 / 2 * (coef**2).sum())
    slope += l2 * coef + l1 * np.sign(coef)
    at_zero = np.sign(slope) * np.maximum(np.abs(slope) - l1, 0.0)
    slope = np.where(coef == 0, at_zero, slope)
    if model._is_one_class:
        objective += float(model.alpha * intercept.sum())
        intercept_slope += model.alpha
    if not model.fit_intercept:
        intercept_slope[:] = 0.0
    norm = np.sqrt((slope**2).sum(axis=1) + intercept_slope**2)
    size = norms + np.sqrt((coef**2).sum(axis=1)) * l2 + l1
    ratio = np.divide(norm, size, out=np.zeros_like(norm), where=size > 0)
    optimality = float(ratio.max())
    facts = f"objective {objective:.6g}, the rows' gradients cancel but for {optimality:.1e}"
    return Certificate(
        objective=objective,
        optimality=optimality,
        converged=result.end == "tolerance",
        statement=f"{_verdict(model, result)}: {facts}",
        n_iter=result.n_iter,
        details={
            "solver": "sgd",
            "stopped": result.end.replace("_", " "),
            "gradient_norm": float(norm.max()),
        },
    )


def _penalties(model: SgdModel) -> tuple[float, float]:
    """Return the strengths of |v|_1 and of |v|^2 / 2 in the objective."""
    if model.penalty is None:
        return 0.0, 0.0
    share = {"l1": 1.0, "l2": 0.0}.get(model.penalty, model.l1_ratio or 0.0)
    return float(model.alpha) * share, float(model.alpha) * (1.0 - share)


def _verdict(model: SgdModel, result: SgdResult) -> str:
    n_iter = result.n_iter
    if result.end == "time_limit":
        return f"stopped by the time limit after {n_iter} epochs"
    if result.end == "tolerance":
        return f"converged to tol={model.tol:g} in {n_iter} epochs"
    if model.tol is None:
        return f"ran all {n_iter} epochs, as tol=None asks"
    return f"not converged to tol={model.tol:g} in {n_iter} epochs"


def with_validation(data: SgdData, rows: NDArray[np.intp]) -> SgdData:
    """Return the data with these rows set apart to judge the fit by."""
    mask = np.zeros(data.X.shape[0], dtype=np.uint8)
    mask[rows] = 1
    return replace(data, is_validation=mask)
