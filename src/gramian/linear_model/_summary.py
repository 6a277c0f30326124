"""Inference for least squares: standard errors, tests, and the summary table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gramian._rows import gather
from gramian._typing import Floats
from gramian.diagnostics import (
    Design,
    column_names,
    durbin_watson,
    jarque_bera,
    omnibus,
)
from gramian.linear_model._sandwich import (
    Groups,
    check_cov_type,
    normal_estimates,
    score_product,
    spread,
)
from gramian.linear_model._summary_table import RegressionSummary
from gramian.validation import training_matrix


def summarize(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: ArrayLike | None = None,
    *,
    alpha: float = 0.05,
    cov_type: str = "nonrobust",
    groups: Any = None,
) -> RegressionSummary | tuple[RegressionSummary, ...]:
    """Summarise a fitted least-squares model on its training data.

    Parameters
    ----------
    model : estimator
        Fitted linear model without penalty or constraint.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        The features the model was fitted on.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        The target the model was fitted on.
    sample_weight : array-like of shape (n_samples,), default=None
        The weights the model was fitted with. Standard errors take them as precisions: the
        variance of an error is inversely proportional to its weight. Rows of weight zero are left
        out.
    alpha : float, default=0.05
        One minus the level of the confidence intervals.
    cov_type : {"nonrobust", "HC0", "HC1", "HC2", "HC3", "cluster"}, default="nonrobust"
        Covariance of the estimates: classical, robust to unequal variances (White;
        MacKinnon and White), or robust to errors that are correlated within `groups` too.
    groups : array-like of shape (n_samples,), default=None
        Label of each row's cluster, for ``cov_type="cluster"``.

    Returns
    -------
    summary : RegressionSummary or tuple of RegressionSummary
        One for each output if there are several.

    Raises
    ------
    ValueError
        If the model is penalised or constrained, or was not fitted on these data.

    Examples
    --------
    >>> from gramian.linear_model import LinearRegression
    >>> from gramian.linear_model._summary import summarize
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [1.1, 2.9, 5.2, 6.8, 9.0]
    >>> summary = summarize(LinearRegression().fit(X, y), X, y)
    >>> summary.coef.round(3).tolist(), summary.std_err.round(3).tolist()
    ([1.06, 1.97], [0.135, 0.055])
    """
    check_cov_type(alpha, cov_type, groups)
    _check_unconstrained(model)
    matrix = training_matrix(model, X, y, sample_weight)
    target = np.asarray(y, dtype=np.float64).reshape(matrix.shape[0], -1)
    clusters = None if groups is None else Groups.of(groups, matrix.shape[0])
    if sample_weight is not None:
        used = np.asarray(sample_weight) != 0
        matrix, target = gather(matrix, used), target[used]
        sample_weight = np.asarray(sample_weight)[used]
        clusters = None if clusters is None else clusters.take(used)
    design = Design(matrix, sample_weight=sample_weight, fit_intercept=model.fit_intercept)
    coef = np.asarray(model.coef_, dtype=np.float64).reshape(target.shape[1], -1)
    intercept = np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), len(coef))
    resid = target - design.predict(coef.T) - intercept
    _check_training_data(model, design, resid, target)
    names = target_names(y, target.shape[1])
    parts = [
        _summarize_output(
            _Fit(
                model,
                design,
                target[:, t],
                resid[:, t],
                np.append(intercept[t], coef[t]),
                clusters,
            ),
            names[t],
            alpha,
            cov_type,
        )
        for t in range(target.shape[1])
    ]
    return parts[0] if len(parts) == 1 else tuple(parts)


@dataclass(frozen=True)
class _Fit:
    model: Any
    design: Design
    y: Floats
    resid: Floats
    theta: Floats
    groups: Groups | None


def _summarize_output(fit: _Fit, target: str, alpha: float, cov_type: str) -> RegressionSummary:
    from scipy.special import fdtrc

    design = fit.design
    n, df_resid = design.n_samples, design.n_samples - design.rank
    has_constant = design.spans_constant()
    white = design.whiten(fit.resid)
    ssr = float(white @ white)
    mean = np.average(fit.y, weights=design.weight) if has_constant else 0.0
    total = float(np.square(design.whiten(fit.y - mean)).sum())
    df_model = design.rank - int(has_constant)
    scale = ssr / df_resid if df_resid > 0 else np.nan
    covariance = _covariance(design, white, scale, cov_type, fit.groups)
    theta = fit.theta if design.fit_intercept else fit.theta[1:]
    estimates = normal_estimates(
        theta, covariance, df_resid if cov_type == "nonrobust" else np.inf, alpha
    )
    r2 = 1.0 - ssr / total if total > 0.0 else np.nan
    if cov_type == "nonrobust":
        fvalue = (total - ssr) / df_model / scale if df_model > 0 and scale > 0.0 else np.nan
        f_pvalue = float(fdtrc(df_model, df_resid, fvalue))
    else:
        df_denom = df_resid if fit.groups is None else fit.groups.n_groups - 1
        fvalue, f_pvalue = _wald(design, theta, covariance, df_denom)
    loglik = _log_likelihood(design, ssr)
    return RegressionSummary(
        target=target,
        names=("const",) * design.fit_intercept + column_names(fit.model),
        coef=theta,
        covariance=covariance,
        alpha=alpha,
        cov_type=cov_type,
        n_samples=n,
        rank=design.rank,
        df_model=df_model,
        df_resid=df_resid,
        rsquared=r2,
        rsquared_adj=1.0 - (n - int(has_constant)) / df_resid * (1.0 - r2) if df_resid else np.nan,
        fvalue=fvalue,
        f_pvalue=f_pvalue,
        scale=scale,
        loglik=loglik,
        aic=-2.0 * loglik + 2.0 * design.rank,
        bic=-2.0 * loglik + np.log(n) * design.rank,
        omnibus=omnibus(white),
        jarque_bera=jarque_bera(white),
        durbin_watson=durbin_watson(white),
        condition_number=design.condition_number(),
        notes=_notes(fit, has_constant, cov_type),
        model=fit.model,
        **estimates,
    )


def _covariance(
    design: Design, white: Floats, scale: float, cov_type: str, groups: Groups | None
) -> Floats:
    to_parameters = design.parameter_map
    if cov_type == "nonrobust":
        return scale * to_parameters @ to_parameters.T
    errors = spread(design, white, cov_type)
    scores = ((rows, errors[rows, None] * part) for rows, part in design.basis())
    meat = score_product(scores, groups, design.n_samples, design.rank)
    covariance: Floats = to_parameters @ meat @ to_parameters.T
    return covariance


def _wald(design: Design, theta: Floats, covariance: Floats, df_denom: int) -> tuple[float, float]:
    """F test from the robust covariance that all parameters but the constant are zero."""
    from scipy.special import fdtrc

    tested = np.arange(len(theta))[int(design.fit_intercept) :]
    if not design.fit_intercept and design.spans_constant():
        constant = design.constant_column()
        if constant is None:
            return np.nan, np.nan
        tested = np.delete(tested, constant)
    if len(tested) == 0 or df_denom <= 0:
        return np.nan, np.nan
    part = covariance[np.ix_(tested, tested)]
    rank = int(np.linalg.matrix_rank(part, hermitian=True))
    fvalue = float(theta[tested] @ np.linalg.pinv(part, hermitian=True) @ theta[tested]) / rank
    return fvalue, float(fdtrc(rank, df_denom, fvalue))


def _log_likelihood(design: Design, ssr: float) -> float:
    half = design.n_samples / 2.0
    if ssr <= 0.0:
        return float("inf")
    # The Gaussian log-likelihood at its own estimate of the variance, ssr / n.
    value = -half * (np.log(2.0 * np.pi) + np.log(ssr / design.n_samples) + 1.0)
    return float(value if design.weight is None else value + 0.5 * np.log(design.weight).sum())


def _notes(fit: _Fit, has_constant: bool, cov_type: str) -> tuple[str, ...]:
    design = fit.design
    notes = [
        covariance_note(cov_type, fit.groups, "Standard errors assume errors of equal variance.")
    ]
    if design.weight is not None:
        notes.append("Weights are taken as precisions of the rows, as in weighted least squares.")
    if not has_constant:
        notes.append("R-squared is uncentred: the model contains no constant.")
    return (*notes, *encoding_notes(fit.model, design))


def covariance_note(cov_type: str, groups: Groups | None, classical: str) -> str:
    """Return what a kind of covariance assumes; `classical` says it for ``"nonrobust"``."""
    if groups is not None:
        return (
            f"Standard errors allow any dependence of the rows within {groups.n_groups} clusters."
        )
    if cov_type == "nonrobust":
        return classical
    return f"Standard errors are robust to unequal variances ({cov_type})."


def encoding_notes(model: Any, design: Design) -> list[str]:
    """Return what to know about columns encoded by the target, and about dependent ones."""
    notes = []
    encoding = getattr(model, "encoding_", None)
    if encoding is not None and encoding.target_encoded:
        listed = ", ".join(str(column.name) for column in encoding.target_encoded)
        notes.append(
            f"Encoded by means of the target: {listed}. Standard errors take the encoding as given "
            "and do not include its uncertainty."
        )
    if len(design.collinear):
        names = column_names(model)
        listed = ", ".join(names[j] for j in design.collinear[:8])
        notes.append(
            f"The design has rank {design.rank}: {listed} depend on each other or on the constant. "
            "Their coefficients are those of least norm; only their joint effect is determined."
        )
    return notes


def penalty_text(model: Any) -> str:
    """Return a model's penalty as text, such as ``alpha=1.0``; empty if it has none."""
    if np.any(np.asarray(getattr(model, "alpha", 0.0)) != 0.0):
        return f"alpha={model.alpha!r}"
    strength = getattr(model, "C", np.inf)
    if getattr(model, "penalty", "l2") is not None and np.isfinite(strength):
        return f"C={strength!r}"
    return ""


def check_unpenalised(model: Any, instead: str) -> None:
    """Raise ValueError with the reason, and what to do instead, if a model is penalised."""
    penalty = penalty_text(model)
    if penalty:
        raise ValueError(
            f"{type(model).__name__} is penalised ({penalty}): its coefficients are biased towards "
            "zero on purpose, so that the usual standard errors, tests and confidence intervals "
            f"are not valid. {instead}, or use a bootstrap to see how much the penalised "
            "coefficients vary: summary(X, y, method='bootstrap')."
        )


def _check_unconstrained(model: Any) -> None:
    check_unpenalised(model, "Fit LinearRegression for inference")
    if getattr(model, "positive", False):
        raise ValueError(
            f"{type(model).__name__} was fitted with positive=True: estimates on the boundary of a "
            "constraint do not follow Student's t. Fit LinearRegression(positive=False) for "
            "inference."
        )


def _check_training_data(model: Any, design: Design, resid: Floats, target: Floats) -> None:
    """Raise unless the residuals are orthogonal to the design, as on the training data."""
    white = design.whiten(resid)
    inner = np.linalg.norm(sum(part.T @ white[rows] for rows, part in design.basis()), axis=0)
    rounding = 1e4 * np.finfo(np.asarray(model.coef_).dtype).eps
    allowed = 1e-4 * np.linalg.norm(white, axis=0)
    allowed += rounding * np.linalg.norm(design.whiten(target), axis=0)
    if (inner > allowed).any():
        raise ValueError(
            f"{type(model).__name__} does not minimise the squared error on these data: a summary "
            "needs the X, y and sample_weight that the model was fitted on."
        )


def target_names(y: Any, n_outputs: int) -> tuple[str, ...]:
    """Return the names of the outputs: those of a data frame or series, else made of ``y``."""
    columns = getattr(y, "columns", None)
    if columns is not None:
        return tuple(str(name) for name in columns)
    name = getattr(y, "name", None)
    base = "y" if name is None else str(name)
    return (base,) if n_outputs == 1 else tuple(f"{base}{t}" for t in range(n_outputs))
