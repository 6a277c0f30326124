"""Two steps of expectation and maximisation worked out, from a start that is given or drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian._draws import random_state_of
from gramian._typing import Floats
from gramian.base import clone
from gramian.inspection._worked.steps import Step, StepTable, Worked
from gramian.inspection._worked.worked import register_worked
from gramian.mixture import GaussianMixture
from gramian.validation import check_is_fitted, training_matrix

_STEPS = 2
_MOST_ROWS = 30
_DENSITY = (
    r"N(x; m_k, C_k) = \frac{1}{\sqrt{(2 \pi)^p |C_k|}} e^{-(x - m_k)^\top C_k^{-1} (x - m_k) / 2}"
)


@register_worked(GaussianMixture)
def work_mixture(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out two steps of EM on a few rows."""
    check_is_fitted(model)
    if query is not None:
        raise ValueError("worked: the steps of a mixture are worked out without a query.")
    rows = training_matrix(model, X, None).astype(np.float64)
    if len(rows) > _MOST_ROWS:
        raise ValueError(
            f"worked: {len(rows)} rows are too many to print; {_MOST_ROWS} are the most."
        )
    current = clone(model)
    current._initialize_parameters(rows, random_state_of(model.random_state))
    steps = [_state_step("Start", current)]
    for number in range(1, _STEPS + 1):
        densities = _densities(current, rows)
        joint = densities * current.weights_
        evidence = joint.sum(axis=1)
        parts = joint / evidence[:, None]
        steps.append(_parts_step(number, rows, parts, float(np.log(evidence).sum())))
        weights = {"weights_init": None, "means_init": None, "precisions_init": None}
        current = clone(model).set_params(**weights)
        current._initialize(rows, parts)
        steps.append(_state_step(f"Step {number}: maximisation", current))
    return Worked("A normal mixture by expectation and maximisation", steps)


def _densities(model: Any, rows: Floats) -> Floats:
    """Return N(x; m_k, C_k) of each row and component, by its definition."""
    out = np.empty((len(rows), len(model.means_)))
    for k, mean in enumerate(model.means_):
        covariance = _covariance(model, k)
        apart = rows - mean
        squares = np.einsum("ij,jl,il->i", apart, np.linalg.inv(covariance), apart)
        volume = np.sqrt(np.linalg.det(2.0 * np.pi * covariance))
        out[:, k] = np.exp(-0.5 * squares) / volume
    return out


def _covariance(model: Any, k: int) -> Floats:
    form, p = model.covariance_type, model.means_.shape[1]
    found = model.covariances_ if form == "tied" else model.covariances_[k]
    covariance: Floats = found if form in ("full", "tied") else np.diag(np.broadcast_to(found, p))
    return covariance


def _state_step(title: str, model: Any) -> Step:
    values: dict[str, Any] = {"w": model.weights_}
    for k, mean in enumerate(model.means_):
        values[f"m_{k}"], values[f"C_{k}"] = mean, _covariance(model, k)
    formula = (
        r"w_k = \frac{N_k}{n} , \quad m_k = \frac{1}{N_k} \sum_i r_{ik} x_i , \quad "
        r"C_k = \frac{1}{N_k} \sum_i r_{ik} (x_i - m_k)(x_i - m_k)^\top"
    )
    text = "$N_k = \\sum_i r_{ik}$; reg_covar is added to the diagonals."
    return Step(title, formula if title != "Start" else _DENSITY, text, values)


def _parts_step(number: int, rows: Floats, parts: Floats, likelihood: float) -> Step:
    heads = ["row", *(f"$r_{{i{k}}}$" for k in range(parts.shape[1]))]
    table = StepTable(heads, [[i, *map(float, part)] for i, part in enumerate(parts)])
    formula = r"r_{ik} = \frac{w_k N(x_i; m_k, C_k)}{\sum_l w_l N(x_i; m_l, C_l)}"
    text = "The log-likelihood is that of the parameters before the step."
    values = {r"\log L": likelihood, "N": parts.sum(axis=0)}
    return Step(f"Step {number}: expectation", formula, text, values, table)
