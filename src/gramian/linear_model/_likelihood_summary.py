"""Inference for generalised linear models with one linear predictor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._rows import gather
from gramian._typing import Floats
from gramian.diagnostics import Design, column_names
from gramian.linear_model._family import Family
from gramian.linear_model._likelihood_table import LikelihoodSummary
from gramian.linear_model._multinomial_summary import multinomial_evidence
from gramian.linear_model._sandwich import (
    Groups,
    check_cov_type,
    normal_estimates,
    score_product,
    spread,
)
from gramian.linear_model._summary import (
    check_unpenalised,
    covariance_note,
    encoding_notes,
    target_names,
)
from gramian.validation import check_sample_weight, training_matrix

# Largest distance from the optimum, in standard errors, of coefficients that can be summarised.
_FAR = 0.1
_NOTED = 1e-3


@dataclass(frozen=True)
class Sample:
    """Training data of a model, without rows of weight zero.

    Attributes
    ----------
    model : estimator
        The fitted model.
    X : ndarray or sparse matrix
        Features as the model sees them.
    y : ndarray of shape (n_samples,)
        Target, for a classifier the position of the class.
    weight : ndarray of shape (n_samples,)
        How many rows each row stands for.
    weighted : bool
        Whether weights were given.
    groups : Groups or None
        Clusters.
    target : str
        Name of the target.
    """

    model: Any
    X: Any
    y: Floats
    weight: Floats
    weighted: bool
    groups: Groups | None
    target: str

    @classmethod
    def of(cls, model: Any, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> Sample:
        """Check the data and bring them together."""
        matrix = training_matrix(model, X, y, sample_weight)
        n = matrix.shape[0]
        values = _target_values(model, y, n)
        clusters = None if groups is None else Groups.of(groups, n)
        weight, weighted = np.ones(n), sample_weight is not None
        if weighted:
            weight = np.asarray(check_sample_weight(sample_weight, matrix), dtype=np.float64)
            used = weight != 0.0
            clusters = None if clusters is None else clusters.take(used)
            matrix, values, weight = gather(matrix, used), values[used], weight[used]
        return cls(model, matrix, values, weight, weighted, clusters, target_names(y, 1)[0])

    @property
    def n_samples(self) -> float:
        """Sum of the weights."""
        return float(self.weight.sum())


@dataclass(frozen=True)
class Evidence:
    """What the likelihood says at the fitted parameters.

    Attributes
    ----------
    design : Design
        The design, whose rank counts the parameters of one equation.
    names : tuple of str
    theta : ndarray of shape (n_parameters,)
    covariance : ndarray of shape (n_parameters, n_parameters)
    distance : float
        How far the parameters are from the optimum, in standard errors.
    rank : int
        Number of free parameters.
    deviance, null_deviance, pearson_chi2, scale, loglik, loglik_null : float
    """

    design: Design
    names: tuple[str, ...]
    theta: Floats
    covariance: Floats
    distance: float
    rank: int
    deviance: float
    null_deviance: float
    pearson_chi2: float
    scale: float
    loglik: float
    loglik_null: float


def summarize_likelihood(
    model: Any,
    family: Family,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    alpha: float = 0.05,
    cov_type: str = "nonrobust",
    groups: Any = None,
) -> LikelihoodSummary:
    """Summarise a fitted generalised linear model on its training data.

    Parameters
    ----------
    model : estimator
        Fitted model without penalty.
    family : Family
        Distribution of the target.
    X, y, sample_weight
        The data of ``fit``; a weight of k counts as k rows.
    alpha : float, default=0.05
        One minus the level of the confidence intervals.
    cov_type : {"nonrobust", "HC0", "HC1", "HC2", "HC3", "cluster"}, default="nonrobust"
        Covariance of the estimates.
    groups : array-like of shape (n_samples,), default=None
        Clusters, for ``cov_type="cluster"``.

    Raises
    ------
    ValueError
        If the model is penalised or was not fitted on these data.
    """
    check_cov_type(alpha, cov_type, groups)
    _check_likelihood(model)
    sample = Sample.of(model, X, y, sample_weight, groups)
    several = np.ndim(model.coef_) == 2 and len(model.coef_) > 1
    if several and cov_type in ("HC2", "HC3"):
        raise ValueError(
            f"cov_type={cov_type!r} rests on the leverage of a row, which is not one number with "
            "more than two classes. Use 'HC1', or 'cluster'."
        )
    if several:
        evidence = Evidence(**multinomial_evidence(sample, cov_type))
    else:
        evidence = _evidence(sample, family, cov_type)
    if evidence.distance > _FAR:
        raise ValueError(
            f"{type(model).__name__} does not maximise the likelihood on these data: its "
            f"coefficients are {evidence.distance:.2g} standard errors from the optimum. A summary "
            "needs the X, y and sample_weight that the model was fitted on, and a fit that "
            "converged."
        )
    classes = tuple(str(name) for name in getattr(model, "classes_", ()))
    notes = _notes(sample, evidence, cov_type, classes)
    return _table(sample, family, evidence, alpha, cov_type, classes, notes)


def _evidence(sample: Sample, family: Family, cov_type: str) -> Evidence:
    model, weight, y = sample.model, sample.weight, sample.y
    intercept = bool(model.fit_intercept)
    coef = np.asarray(model.coef_, dtype=np.float64).ravel()
    constant = float(np.ravel(model.intercept_)[0])
    plain = sample.X @ coef.astype(np.float64) + constant
    eta = np.asarray(plain, dtype=np.float64).ravel()
    mu, slope = family.mean(eta), family.slope(eta)
    # Fisher information of a row about its linear predictor: (dmu / deta)^2 / V(mu).
    information = slope**2 / family.variance(mu)
    information = np.where(np.isfinite(information), information, 0.0)
    design = Design(sample.X, sample_weight=weight * information, fit_intercept=intercept)
    resid = np.divide(y - mu, slope, where=slope > 0.0, out=np.zeros_like(mu))
    # Working residuals; whitened they are Pearson's, sqrt(w) (y - mu) / sqrt(V(mu)).
    white = design.whiten(resid)
    score = np.sum([part.T @ white[rows] for rows, part in design.basis()], axis=0)
    pearson = float(weight @ (np.square(y - mu) / np.maximum(family.variance(mu), 1e-300)))
    df_resid = sample.n_samples - design.rank
    scale = 1.0 if family.known_scale else pearson / df_resid if df_resid > 0 else np.nan
    null_mu = np.full_like(mu, np.average(y, weights=weight))
    relative = np.divide(
        family.curvature(y, eta), information, where=information > 0.0, out=np.ones_like(mu)
    )
    return Evidence(
        design=design,
        names=("const",) * intercept + column_names(model),
        theta=np.append(constant, coef) if intercept else coef,
        covariance=_covariance(sample, design, white, relative, scale, cov_type),
        distance=float(np.linalg.norm(score) / np.sqrt(scale)),
        rank=design.rank,
        deviance=family.deviance(y, mu, weight),
        null_deviance=family.deviance(y, null_mu, weight),
        pearson_chi2=pearson,
        scale=scale,
        loglik=family.log_likelihood(y, mu, weight, scale),
        loglik_null=family.log_likelihood(y, null_mu, weight, scale),
    )


def _covariance(
    sample: Sample, design: Design, white: Floats, relative: Floats, scale: float, cov_type: str
) -> Floats:
    """Return the inverse expected information, or the sandwich around the observed one.

    `relative` is the observed information of each row over the expected one; it is 1 where the
    link is the canonical one.
    """
    to_parameters = design.parameter_map
    if cov_type == "nonrobust":
        return scale * to_parameters @ to_parameters.T
    copies = sample.weight if sample.weighted else None
    errors = spread(design, white, cov_type, copies=copies)
    scores = ((rows, errors[rows, None] * part) for rows, part in design.basis())
    meat = score_product(scores, sample.groups, sample.n_samples, design.rank)
    observed = np.sum(
        [part.T @ (relative[rows, None] * part) for rows, part in design.basis()], axis=0
    )
    bread = to_parameters @ np.linalg.inv(observed)
    covariance: Floats = bread @ meat @ bread.T
    return covariance


def _table(
    sample: Sample,
    family: Family,
    found: Evidence,
    alpha: float,
    cov_type: str,
    classes: tuple[str, ...],
    notes: tuple[str, ...],
) -> LikelihoodSummary:
    from scipy.special import chdtrc

    n, has_constant = sample.n_samples, found.design.spans_constant()
    equations = max(len(classes) - 1, 1)
    df_model = found.rank - equations * int(has_constant)
    ratio = 2.0 * (found.loglik - found.loglik_null)
    nested = has_constant and df_model > 0
    cox_snell = -np.expm1(-ratio / n)
    return LikelihoodSummary(
        target=sample.target,
        names=found.names,
        coef=found.theta,
        covariance=found.covariance,
        alpha=alpha,
        cov_type=cov_type,
        n_samples=n,
        notes=notes,
        model=sample.model,
        family=family,
        classes=classes,
        rank=found.rank,
        df_model=df_model,
        df_resid=n - found.rank,
        deviance=found.deviance,
        null_deviance=found.null_deviance,
        pearson_chi2=found.pearson_chi2,
        scale=found.scale,
        loglik=found.loglik,
        loglik_null=found.loglik_null,
        aic=-2.0 * found.loglik + 2.0 * found.rank,
        bic=-2.0 * found.loglik + np.log(n) * found.rank,
        lr_statistic=ratio if nested else np.nan,
        lr_pvalue=float(chdtrc(df_model, max(ratio, 0.0))) if nested else np.nan,
        mcfadden=1.0 - found.loglik / found.loglik_null,
        cox_snell=cox_snell,
        nagelkerke=cox_snell / -np.expm1(2.0 * found.loglik_null / n),
        **normal_estimates(found.theta, found.covariance, np.inf, alpha),
    )


def _notes(
    sample: Sample, found: Evidence, cov_type: str, classes: tuple[str, ...]
) -> tuple[str, ...]:
    classical = "Standard errors assume that the distribution of the target is the right one."
    notes = [covariance_note(cov_type, sample.groups, classical)]
    if len(classes) == 2:
        notes.append(f"Coefficients are log-odds of {classes[1]} against {classes[0]}.")
    elif classes:
        notes.append(f"Coefficients are log-odds of each class against {classes[0]}.")
    if sample.weighted:
        notes.append("Weights are taken as counts: a weight of k stands for k rows.")
    if not found.design.spans_constant():
        notes.append("There is no constant in the model, so that no test against one is made.")
    if np.isnan(found.loglik):
        notes.append(
            "The likelihood of this power has no closed form; measures made of it are left out."
        )
    if found.distance > _NOTED:
        notes.append(
            f"The solver stopped {found.distance:.2g} standard errors from the optimum; lower tol "
            "for more digits."
        )
    return (*notes, *encoding_notes(sample.model, found.design))


def _check_likelihood(model: Any) -> None:
    check_unpenalised(model, f"Fit {type(model).__name__} without penalty for inference")
    if getattr(model, "class_weight", None) is not None:
        raise ValueError(
            f"{type(model).__name__} was fitted with class_weight={model.class_weight!r}: weights "
            "that are no counts of rows make the likelihood, and all that rests on it, invalid. "
            "Fit without class_weight, or use summary(X, y, method='bootstrap')."
        )


def _target_values(model: Any, y: Any, n_samples: int) -> Floats:
    values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.shape != (n_samples,):
        raise ValueError(f"y has shape {values.shape}; it needs one value per row: ({n_samples},).")
    classes = getattr(model, "classes_", None)
    if classes is None:
        return values.astype(np.float64)
    codes = np.searchsorted(classes, values)
    known = codes < len(classes)
    known[known] = classes[codes[known]] == values[known]
    if not known.all():
        raise ValueError(f"y has the class {values[~known][0]!r}, which the model has not seen.")
    return codes.astype(np.float64)
