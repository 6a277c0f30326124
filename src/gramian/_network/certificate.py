"""What can be said of a fitted network's weights, from the weights and the data themselves."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._network.rows import TrainingData
from gramian.certificate import Certificate

__all__ = ["Ending", "certify", "gradient_at"]

_LEAST_ROWS = 1000
_SHARE = 20  # a certificate costs at most about one twentieth of the epochs


@dataclass(frozen=True)
class Ending:
    """How a fit ended: why, after how many epochs or iterations, and of which losses."""

    reason: str
    n_iter: int
    losses: list[float]
    tol: float
    solver: str

    @property
    def has_converged(self) -> bool:
        """Whether the fit stopped by itself."""
        return self.reason in ("tolerance", "gradient", "decrease", "schedule")

    def words(self) -> str:
        """Return the reason in words."""
        unit = "iterations" if self.solver == "lbfgs" else "epochs"
        after = f"after {self.n_iter} {unit}"
        return {
            "tolerance": f"no further gain of tol={self.tol:g} {after}",
            "gradient": f"stationary within tol={self.tol:g} {after}",
            "decrease": f"steps no longer lower the loss {after}",
            "max_iter": f"not converged to tol={self.tol:g} {after}",
            "max_fun": f"max_fun evaluations were used up {after}",
            "no_progress": f"no step lowers the loss {after}",
            "not_finite": f"the loss was no longer finite {after}",
            "schedule": f"the schedule was taken to its end {after}",
            "callback": f"stopped by a callback {after}",
            "time_limit": f"stopped by the time limit {after}",
        }[self.reason]


def gradient_at(
    network: _core.Network,
    data: TrainingData,
    alpha: float,
    like: list[NDArray[Any]],
    n: int,
    ctx: _core.Context,
) -> tuple[float, float, list[NDArray[Any]]]:
    """Return the objective, the loss as fits report it, and the gradient.

    The gradient has n arrays of weights, n of biases, and then those of shares.
    """
    gradient = [np.empty(each.shape, dtype=data.X.dtype) for each in like]
    parts = gradient[:n], gradient[n : 2 * n], gradient[2 * n :]
    value, loss = network.objective(data.native(), float(alpha), *parts, ctx)
    return value, loss, gradient


def certify(
    network: _core.Network,
    data: TrainingData,
    alpha: float,
    ending: Ending,
    ctx: _core.Context,
) -> Certificate:
    """Return the certificate of a network's parameters.

    The optimality is the relative change of the objective that a relative change of the weights
    can bring about at most: the norms of gradient and weights, over the objective. After few
    epochs it is taken on some of the rows, evenly spread.
    """
    n_judged = max(_LEAST_ROWS, data.n_rows * ending.n_iter // _SHARE)
    judged = data
    if n_judged < data.n_rows and ending.solver != "lbfgs":
        judged = data.take(np.arange(n_judged) * data.n_rows // n_judged)
    value, loss, slope, size = network.norms(judged.native(), float(alpha), ctx)
    optimality = slope * size / value if value > 0 else 0.0
    curve = ending.losses[-10:]
    fall = (curve[0] - curve[-1]) / abs(curve[0]) if len(curve) > 1 and curve[0] else 0.0
    on = "" if judged is data else f" on {judged.n_rows:,} of {data.n_rows:,} rows"
    statement = (
        f"{ending.words()}: loss {loss:.6g}{on}, relative gradient {optimality:.1e}, the last "
        f"{len(curve)} steps of the curve lowered the loss by {fall:.1%}"
    )
    return Certificate(
        objective=value,
        optimality=optimality,
        converged=ending.has_converged,
        statement=statement,
        n_iter=ending.n_iter,
        details={
            "solver": ending.solver,
            "stopped": ending.reason.replace("_", " "),
            "gradient_norm": slope,
            "rows": judged.n_rows,
            "recent_decrease": fall,
        },
    )
