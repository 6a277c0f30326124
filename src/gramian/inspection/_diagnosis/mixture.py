"""Diagnosis of mixtures: components that collapsed, that are not needed, and how sure parts are."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian._typing import Floats
from gramian.inspection._diagnosis.diagnose import register_diagnosis
from gramian.inspection._diagnosis.findings import Diagnosis, Finding, Verdict, counted
from gramian.mixture import BayesianGaussianMixture, GaussianMixture
from gramian.validation import training_matrix

_FLOOR = 10.0  # a variance below so many reg_covar is the floor's, not the rows'
_FEW = 1.0  # rows per column of a component: below, its covariance has no inverse of its own
_ALIKE = 0.5  # distance of two means, in deviations of both, below which they share their rows


@register_diagnosis(GaussianMixture, BayesianGaussianMixture)
def diagnose_mixture(model: Any, X: Any, y: Any, sample_weight: Any) -> Diagnosis:
    """Diagnose a mixture: collapsed and superfluous components, and convergence."""
    if sample_weight is not None:
        raise ValueError("diagnose takes mixtures without sample_weight.")
    rows = training_matrix(model, X, None).astype(np.float64)
    n, p = rows.shape
    parts = np.asarray(model.predict_proba(X), np.float64)
    title = f"{type(model).__name__} on {counted(n, 'row')} and {counted(p, 'column')}"
    findings = [_collapsed(model, parts, p), _superfluous(model, parts, p), _convergence(model)]
    return Diagnosis(title, findings)


def _least_variances(model: Any) -> Floats:
    """Return the smallest variance along any direction of each component."""
    form, k = model.covariance_type, len(model.means_)
    if form in ("full", "tied"):
        least = np.linalg.eigvalsh(np.asarray(model.covariances_, np.float64))[..., 0]
    else:
        least = model.covariances_ if form == "spherical" else model.covariances_.min(axis=1)
    return np.array(np.broadcast_to(np.asarray(least, np.float64), (k,)))


def _collapsed(model: Any, parts: Floats, p: int) -> Finding:
    code, hypothesis = "collapsed components", "Every component has rows that spread in all columns"
    least = _least_variances(model)
    is_flat = least < _FLOOR * model.reg_covar
    size = parts.sum(axis=0)
    is_small = (size < _FEW * p + 1) & (size >= 1.0) & (model.covariance_type == "full")
    wrong = np.flatnonzero(is_flat | is_small)
    if not len(wrong):
        text = f"The smallest variance of a component is {least.min():.3g}"
        return Finding(code, hypothesis, "smallest variance", float(least.min()), None, "ok", text)
    worst = int(wrong[np.argmin(least[wrong])])
    rows = tuple(int(i) for i in np.flatnonzero(parts[:, worst] > 0.5)[:20])
    text = (
        f"{counted(len(wrong), 'component')} collapsed; component {worst} has {size[worst]:.1f} "
        f"rows and a variance of {least[worst]:.2g} along some direction, which reg_covar holds up"
    )
    remedy = f"Raise reg_covar above {model.reg_covar:g}, or take fewer components."
    return Finding(
        code, hypothesis, "smallest variance", float(least[worst]), None, "problem", text, remedy,
        rows=rows,
    )  # fmt: skip


def _superfluous(model: Any, parts: Floats, p: int) -> Finding:
    code, hypothesis = "superfluous components", "Every component is needed"
    k = len(model.means_)
    if k == 1:
        return Finding.not_applicable(code, hypothesis, "There is one component.")
    size = parts.sum(axis=0)
    empty = [int(j) for j in np.flatnonzero(size < 1.0)]
    pairs = [(_apart(model, i, j), i, j) for i in range(k) for j in range(i)]
    nearest, i, j = min(pairs)
    verdict: Verdict = "ok"
    text = f"Components {j} and {i} are nearest, {nearest:.2g} deviations apart"
    if empty:
        verdict = "ok" if isinstance(model, BayesianGaussianMixture) else "warning"
        text = f"{counted(len(empty), 'component')} of {k} hold less than one row: {empty}"
    elif nearest < _ALIKE:
        verdict = "warning"
        text = f"Components {j} and {i} have nearly the same place and shape"
    remedy = "" if verdict == "ok" else "Compare mixture.choose_components for fewer components."
    return Finding(code, hypothesis, "deviations apart", nearest, None, verdict, text, remedy)


def _apart(model: Any, i: int, j: int) -> float:
    """Return the root of the symmetric Kullback-Leibler divergence of two components."""
    (m, C), (n, D) = (_normal(model, c) for c in (i, j))
    P, Q = np.linalg.inv(C), np.linalg.inv(D)
    d = m - n
    divergence = 0.5 * float(d @ (P + Q) @ d + np.trace(P @ D + Q @ C) - 2 * len(d))
    return float(np.sqrt(max(divergence, 0.0)))


def _normal(model: Any, k: int) -> tuple[Floats, Floats]:
    form, p = model.covariance_type, model.means_.shape[1]
    found = np.asarray(model.covariances_, np.float64)
    found = found if form == "tied" else found[k]
    covariance = found if form in ("full", "tied") else np.diag(np.broadcast_to(found, p))
    return np.asarray(model.means_[k], np.float64), covariance


def _convergence(model: Any) -> Finding:
    certificate = model.certificate_
    verdict: Verdict = "ok" if certificate.converged else "warning"
    remedy = "" if certificate.converged else "Raise max_iter, or set warm_start and fit again."
    return Finding(
        "convergence", "The steps have come to an end", "gain of one more step",
        float(certificate.details["gain"]), None, verdict, str(certificate), remedy,
    )  # fmt: skip
