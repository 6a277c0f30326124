"""The dual problems of support vector machines, their solution, and what it proves."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from gramian import _core
from gramian._kernel.kernels import Kernel, shift_of, sorted_rows
from gramian._typing import Floats
from gramian.certificate import Certificate
from gramian.config import core_context

__all__ = ["Machine", "Solved", "certify", "solve"]

# Problems that fit into one working set, for which double precision costs nothing.
_FEW_ROWS = 1024
_NEARLY_HARD = 1e9  # bounds that alphas of separable classes hardly reach
_TIGHT = 1e-5  # tolerances below which kernels are kept in double precision


@dataclass
class Machine:
    """Minimise ``a' Q a / 2 + linear' a`` over ``0 <= a <= upper``, ``sign' a`` as at the start.

    ``Q[u, v] = sign[u] sign[v] K(row of u, row of v)``. There is one variable for each of `rows`,
    or two: first all first ones, then all second ones. For the nu-machines (`by_sign`) the sum over
    each sign stays, and without an intercept none does. An infinite `upper` makes the margin hard:
    then all are infinite, or 0 for rows without a constraint.
    """

    rows: NDArray[np.int64]
    sign: Floats
    linear: Floats
    upper: Floats
    alpha: Floats
    by_sign: bool = False
    has_intercept: bool = True

    @property
    def is_hard(self) -> bool:
        """Whether no constraint may be violated at any price."""
        return bool(np.isinf(self.upper).any())


@dataclass
class Solved:
    """The solution of one machine.

    `f` is ``sign * gradient``, summed afresh from `alpha`; it equals `rho` where a variable is free
    (`rho` + `margin` and `rho` - `margin` for the signs of a nu-machine).
    """

    machine: Machine
    f: Floats
    n_iter: int
    violation: float
    rho: float
    margin: float
    converged: bool
    timed_out: bool
    is_feasible: bool

    @property
    def squared_norm(self) -> float:
        """The squared length of the vector w."""
        machine = self.machine
        return max(_sum(machine.alpha * (machine.sign * self.f - machine.linear)), 0.0)

    @property
    def coef(self) -> Floats:
        """The coefficient of each row: the sum of its ``sign * alpha``."""
        signed = self.machine.sign * self.machine.alpha
        total: Floats = signed.reshape(-1, len(self.machine.rows)).sum(axis=0)
        return total

    def bounds(self) -> tuple[float, float]:
        """Return primal and dual objective of the support vector machine."""
        machine = self.machine
        level = self.rho + self.margin * machine.sign if machine.by_sign else self.rho
        reduced = machine.sign * (self.f - level)
        short = reduced < 0.0
        gap = _sum(machine.alpha * reduced)
        if machine.is_hard:  # what is short of a constraint has no price: the violation tells of it
            gap = abs(gap)
        else:
            gap -= _sum(machine.upper[short] * reduced[short])
        dual = -0.5 * _sum(machine.alpha * (machine.sign * self.f + machine.linear))
        return dual + gap, dual


def _sum(terms: Floats) -> float:
    """Return a sum whose bits do not depend on the threads of the BLAS, as a dot product's do."""
    return float(terms.sum())


def solve(model: Any, kernel: Kernel, X: Any, machines: Sequence[Machine]) -> list[Solved]:
    """Solve the dual problems of machines on parts of the rows of X."""
    if all(_is_nearly_hard(machine) for machine in machines):
        # Where no alpha of the hard margin is beyond its bound, it is the solution: exact, where
        # steps of two variables would go on for long.
        hard = [replace(m, upper=np.full_like(m.upper, np.inf)) for m in machines]
        solved = _solve(model, kernel, X, hard)
        pairs = zip(solved, machines, strict=True)
        if all(p.is_feasible and (p.machine.alpha <= m.upper).all() for p, m in pairs):
            return solved
    return _solve(model, kernel, X, machines)


def _is_nearly_hard(machine: Machine) -> bool:
    return not (machine.by_sign or machine.is_hard) and float(machine.upper.min()) >= _NEARLY_HARD


def _solve(model: Any, kernel: Kernel, X: Any, machines: Sequence[Machine]) -> list[Solved]:
    machines = list(machines)
    lengths = [len(machine.rows) for machine in machines]
    joined = {
        name: np.concatenate([getattr(machine, name) for machine in machines])
        for name in ("rows", "sign", "linear", "upper", "alpha")
    }
    for name in ("linear", "upper", "alpha"):  # C, nu and epsilon may be of any precision
        joined[name] = joined[name].astype(np.float64, copy=False)
    f, reached = np.empty_like(joined["alpha"]), np.empty((len(machines), 7))
    options: dict[str, Any] = {
        **joined,
        "starts": np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        "by_sign": machines[0].by_sign,
        "has_intercept": machines[0].has_intercept,
        "tol": float(model.tol),
        "max_iter": int(model.max_iter),
        "cache_mb": float(model.cache_size),
        "shrinking": bool(model.shrinking),
        "f": f,
        "reached": reached,
        "ctx": core_context(),
    }
    shift = _call(kernel, X, options, max(lengths))
    bounds = np.cumsum([len(machine.alpha) for machine in machines])[:-1]
    solved = []
    alphas, fs = np.split(joined["alpha"], bounds), np.split(f, bounds)
    for machine, alpha, own_f, facts in zip(machines, alphas, fs, reached, strict=True):
        machine.alpha = alpha
        n_iter, violation, rho, margin, converged, timed_out, is_feasible = facts.tolist()
        solved.append(
            Solved(
                machine,
                own_f,
                int(n_iter),
                violation,
                rho,
                margin,
                bool(converged),
                bool(timed_out),
                bool(is_feasible),
            )
        )
        if kernel.name == "linear" and len(shift):
            _undo_shift(solved[-1], X, shift)
    return solved


def _undo_shift(part: Solved, X: Any, shift: Floats) -> None:
    """Bring scores of a linear kernel of shifted rows, whose coefficients sum to 0, to X."""
    used = part.coef != 0.0
    rows = X[part.machine.rows[used]].astype(np.float64, copy=False)
    by = _sum(np.einsum("i,ij->j", part.coef[used], rows) * shift)
    part.f = part.f + by
    part.rho += by


def _call(kernel: Kernel, X: Any, options: dict[str, Any], n_rows: int) -> Floats:
    """Call the native solver; return what was taken off the rows."""
    if kernel.name == "precomputed":
        largest = float(np.abs(X.diagonal()).max())
        _core.svm_gram(X, **options, precision=_precision(options, largest, n_rows))
        return np.empty(0)
    # Without an upper bound rounding has none either: nearness to the origin is worth a lot.
    is_hard = options["has_intercept"] and bool(np.isinf(options["upper"]).any())
    shift = shift_of(kernel, X, with_products=is_hard)
    precision = _precision(options, kernel.bound(_largest_norm(kernel, X, shift)), n_rows)
    _core.svm(sorted_rows(X), shift, **kernel.arguments(), **options, precision=precision)
    return shift


def _largest_norm(kernel: Kernel, X: Any, shift: Floats) -> float:
    """Return the largest norm of a row, as the kernel's bound takes it."""
    if kernel.name == "cosine":
        return 1.0
    if issparse(X):
        terms = abs(X) if kernel.by_absolutes else X.multiply(X)
        return float(terms.sum(axis=1).max())
    centred = X - shift if len(shift) else X
    if kernel.by_absolutes:
        return float(np.abs(centred).sum(axis=1).max())
    return float(np.einsum("ij,ij->i", centred, centred).max())


def _precision(options: dict[str, Any], largest: float, n_rows: int) -> str:
    """Return how kernels are computed and kept: as exactly as the tolerance calls for.

    A gradient is a sum of n kernels with coefficients of up to C; its rounding errors grow like
    the root of their number. As in LIBSVM, at most the kernel is rounded: all sums are double.
    """
    if options["tol"] < _TIGHT or np.isinf(options["upper"]).any():
        return "double"
    error = float(np.finfo(np.float32).eps) * largest * options["upper"].max() * np.sqrt(n_rows)
    is_close = error <= 10.0 * options["tol"]
    return "single" if is_close and n_rows > _FEW_ROWS else "rounded"


def certify(solved: Sequence[Solved], tol: float) -> Certificate:
    """Return how far solutions are from the optimum, by duality and by the conditions for it."""
    bounds = np.array([part.bounds() for part in solved])
    primal, dual = bounds.sum(axis=0).tolist()
    violation = max(part.violation for part in solved)
    n_iter = sum(part.n_iter for part in solved)
    scale = max(abs(primal), abs(dual), np.finfo(np.float64).tiny)
    gap = max(primal - dual, 0.0) / scale
    converged = all(part.converged for part in solved)
    statement = (
        f"no pair of variables violates the optimality conditions by more than {violation:.1e} "
        f"(asked for: {tol:g}); primal and dual objective differ by {100 * gap:.2g} % after "
        f"{n_iter} steps"
    )
    details: dict[str, float | int | str] = {"solver": "smo", "machines": len(solved)}
    if any(part.timed_out for part in solved):
        statement += ", stopped by the time limit"
        details["stopped"] = "time limit"
    return Certificate(primal, violation, converged, statement, n_iter, dual, gap, details)
