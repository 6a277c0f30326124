"""The lasso and the elastic net by coordinate descent: soft-thresholding, one weight at a time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian import linear_model
from gramian._typing import Floats
from gramian.inspection._worked.linear import check_step, problem_of, query_steps
from gramian.inspection._worked.numbers import number_text
from gramian.inspection._worked.steps import Step, StepTable, Worked, escape_text
from gramian.inspection._worked.worked import register_worked

_MAX_EPOCHS = 100_000
_TOL = 1e-14


@dataclass(frozen=True)
class Penalties:
    """The weights of the penalties  l1 |w|_1 + l2 / 2 |w|^2."""

    l1: float
    l2: float = 0.0


def soft_threshold(value: float, threshold: float) -> float:
    """Return the value moved towards zero by the threshold, and zero if it is not larger."""
    return math.copysign(max(abs(value) - threshold, 0.0), value)


def epoch(Z: Floats, t: Floats, w: Floats, penalties: Penalties) -> tuple[Floats, list[list[Any]]]:
    """Return the weights after one round over the columns, and a row of numbers for each.

    Of column j: the correlation rho with what the others leave, the curvature, the old and the new
    weight.
    """
    m = len(t)
    w = w.copy()
    residual = t - Z @ w
    rows: list[list[Any]] = []
    for j, column in enumerate(Z.T):
        curvature = float(column @ column) / m
        old = float(w[j])
        rho = float(column @ residual) / m + curvature * old
        bottom = curvature + penalties.l2
        new = soft_threshold(rho, penalties.l1) / bottom if bottom > 0.0 else 0.0
        residual -= (new - old) * column
        w[j] = new
        rows.append([rho, curvature, old, new])
    return w, rows


def work_lasso(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out one epoch of coordinate descent from zero, and where the epochs lead."""
    problem = problem_of(model, X, y, query)
    ratio = float(getattr(model, "l1_ratio", 1.0))
    penalties = Penalties(model.alpha * ratio, model.alpha * (1.0 - ratio))
    mean, y_mean = np.zeros(problem.X.shape[1]), 0.0
    if problem.fit_intercept:
        mean, y_mean = problem.X.mean(axis=0), float(problem.y.mean())
    Z, t = problem.X - mean, problem.y - y_mean
    first, rows = epoch(Z, t, np.zeros(Z.shape[1]), penalties)
    w, n_epochs = _descend(Z, t, first, penalties)
    steps = [
        _model_step(len(t), penalties),
        Step("Centring", r"Z = X - 1 \bar{x}^\top, \quad t = y - \bar{y}", "", {"Z": Z, "t": t}),
        _epoch_step(rows, problem.names, penalties),
        _result_step(Z, t, w, n_epochs, penalties),
    ]
    theta = w
    if problem.fit_intercept:
        theta = np.append(y_mean - float(mean @ w), w)
        steps.append(
            Step("Intercept", r"\theta_0 = \bar{y} - \bar{x}^\top w", "", {r"\theta_0": theta[0]})
        )
    steps += [*query_steps(problem, theta), check_step(problem, theta)]
    name = "Lasso" if penalties.l2 == 0.0 else "Elastic net"
    return Worked(f"{name} by coordinate descent", steps)


def _descend(Z: Floats, t: Floats, w: Floats, penalties: Penalties) -> tuple[Floats, int]:
    for n_epochs in range(1, _MAX_EPOCHS):
        before, (w, _) = w, epoch(Z, t, w, penalties)
        if float(np.abs(w - before).max(initial=0.0)) <= _TOL * float(np.abs(w).max(initial=1.0)):
            return w, n_epochs
    return w, _MAX_EPOCHS


def _model_step(m: int, penalties: Penalties) -> Step:
    square = r" + \frac{\lambda_2}{2} \lVert w \rVert^2" if penalties.l2 > 0.0 else ""
    strength = rf"$\lambda_2 = {number_text(penalties.l2)}$, " if penalties.l2 > 0.0 else ""
    return Step(
        "Model and cost",
        rf"J(w) = \frac{{1}}{{2m}} \lVert Zw - t \rVert^2 + \lambda \sum_j |w_j|{square}",
        rf"There are $m = {m}$ rows; {strength}$\lambda = {number_text(penalties.l1)}$.",
    )


def _epoch_step(rows: list[list[Any]], names: tuple[str, ...], penalties: Penalties) -> Step:
    bottom = r"c_j + \lambda_2" if penalties.l2 > 0.0 else "c_j"
    zeros = frozenset((j, 5) for j, row in enumerate(rows) if row[3] == 0.0)
    return Step(
        "One epoch of coordinate descent, from zero",
        rf"\rho_j = \frac{{1}}{{m}} z_j^\top (t - Zw + z_j w_j), \quad "
        rf"w_j = \frac{{S(\rho_j, \lambda)}}{{{bottom}}}, \quad "
        r"S(\rho, \lambda) = \operatorname{sign}(\rho) \max(|\rho| - \lambda, 0)",
        r"The cost is least in $w_j$, all others held, where $\rho_j$ is moved towards zero by "
        r"$\lambda$: a column whose $|\rho_j| \le \lambda$ gets weight zero. "
        r"$c_j = \frac{1}{m} z_j^\top z_j$.",
        {r"w^{(1)}": np.array([row[3] for row in rows])},
        StepTable(
            ["column", r"$\rho_j$", "$c_j$", r"$S(\rho_j, \lambda)$", "old $w_j$", "new $w_j$"],
            [
                [escape_text(name), rho, curvature, soft_threshold(rho, penalties.l1), old, new]
                for name, (rho, curvature, old, new) in zip(names, rows, strict=True)
            ],
            zeros,
        ),
    )


def _result_step(Z: Floats, t: Floats, w: Floats, n_epochs: int, penalties: Penalties) -> Step:
    residual = t - Z @ w
    cost = float(residual @ residual) / (2 * len(t)) + penalties.l1 * float(np.abs(w).sum())
    cost += 0.5 * penalties.l2 * float(w @ w)
    return Step(
        "Further epochs",
        "",
        f"After {n_epochs} more epochs the weights no longer change.",
        {"w": w, "J(w)": cost},
    )


for _name in ("Lasso", "ElasticNet"):
    _class = getattr(linear_model, _name, None)
    if _class is not None:
        register_worked(_class)(work_lasso)
