"""Diagnosis of Poisson, gamma and Tweedie regression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gramian._typing import Floats
from gramian.diagnostics import Design, column_names
from gramian.inspection._diagnosis.diagnose import register_diagnosis
from gramian.inspection._diagnosis.findings import (
    SIGNIFICANCE,
    Diagnosis,
    Finding,
    Verdict,
    conclude,
    counted,
    graded,
)
from gramian.inspection._diagnosis.linear_case import LinearCase, single_target
from gramian.inspection._diagnosis.linear_fitness import check_rank, check_sample_size
from gramian.inspection._diagnosis.linear_hypotheses import (
    check_autocorrelation,
    check_homoscedasticity,
    check_linearity,
    check_multicollinearity,
)
from gramian.inspection._diagnosis.time_order import is_in_time_order
from gramian.linear_model import GammaRegressor, PoissonRegressor, TweedieRegressor
from gramian.validation import check_sample_weight, training_matrix


@dataclass(frozen=True)
class GlmCase:
    """A fitted generalised linear model with the data it is judged on.

    Attributes
    ----------
    working : LinearCase
        The weighted least-squares problem that the last step of Newton's method solves. Its
        whitened residuals are Pearson's.
    y, mean, weight : ndarray of shape (n_samples,)
        Target, fitted mean, and how many rows each row stands for.
    """

    working: LinearCase
    y: Floats
    mean: Floats
    weight: Floats

    @classmethod
    def of(cls, model: Any, X: Any, y: Any, sample_weight: Any) -> GlmCase:
        """Bring model and data together; rows of weight zero are left out."""
        matrix = training_matrix(model, X, y, sample_weight)
        target = single_target(y, matrix.shape[0], type(model).__name__)
        weight = np.ones(len(target))
        if sample_weight is not None:
            weight = np.asarray(check_sample_weight(sample_weight, matrix), dtype=np.float64)
        rows = np.flatnonzero(weight)
        matrix, target, weight = matrix[rows], target[rows], weight[rows]
        coef = np.asarray(model.coef_, dtype=np.float64)
        predictor = np.asarray(matrix @ coef, dtype=np.float64) + float(model.intercept_)
        family = model._family()
        mean, slope = family.mean(predictor), family.slope(predictor)
        design = Design(
            matrix,
            sample_weight=weight * slope**2 / family.variance(mean),
            fit_intercept=bool(model.fit_intercept),
        )
        response = predictor + (target - mean) / slope
        penalty = float(model.alpha) * float(weight.sum())
        names, ordered = column_names(model), is_in_time_order(X)
        working = LinearCase(model, names, design, response, predictor, rows, penalty, ordered)
        return cls(working, target, mean, weight)

    @property
    def power(self) -> float:
        """Power of the mean that the variance is taken to be proportional to."""
        return float(self.working.model._family().power)


def check_dispersion(case: GlmCase) -> Finding:
    """Is the variance of counts their mean?"""
    from scipy.special import ndtr

    about = ("dispersion", "The variance of the counts is their mean")
    if case.power != 1.0:
        return Finding.not_applicable(*about, "The dispersion of this distribution is estimated.")
    freedom = float(case.weight.sum()) - case.working.design.rank
    if freedom < 3.0:
        return Finding.not_applicable(*about, "There are too few rows.")
    ratio = float(np.square(case.working.white).sum() / freedom)
    # Cameron and Trivedi's test: under the hypothesis each term has the mean zero.
    terms = (np.square(case.y - case.mean) - case.y) / case.mean
    spread = float(np.sqrt(case.weight @ np.square(terms)))
    statistic = float(case.weight @ terms) / spread if spread > 0.0 else 0.0
    pvalue = float(2.0 * ndtr(-abs(statistic)))
    verdict: Verdict = "ok"
    if pvalue < SIGNIFICANCE and (ratio > 1.5 or ratio < 0.67):
        verdict = "problem" if ratio > 3.0 else "warning"
    return conclude(
        about,
        "Pearson chi²/df",
        ratio,
        verdict,
        f"The variance is {ratio:.3g} times the mean: standard errors of the model are "
        f"{np.sqrt(ratio):.2g} times {'too small' if ratio > 1.0 else 'what they say'}."
        if verdict != "ok"
        else f"The variance is {ratio:.3g} times the mean.",
        _dispersion_remedy(ratio),
        pvalue=pvalue,
    )


def _dispersion_remedy(ratio: float) -> str:
    if ratio < 1.0:
        return (
            "Counts vary less than independent events do: are they bounded, or averages? Use "
            "summary(cov_type='HC1')."
        )
    return (
        "Overdispersion: predictions of the mean stay right. Take robust standard errors, "
        f"summary(cov_type='HC1'), or multiply those of the model by {np.sqrt(ratio):.2f} "
        "(quasi-Poisson); look for columns that are missing; or let the variance grow faster, with "
        "TweedieRegressor(power=1.5)."
    )


def check_zeros(case: GlmCase) -> Finding:
    """Are there more zeros than the means explain?"""
    about = ("zeros", "There are as many zeros as a Poisson distribution gives")
    if case.power != 1.0:
        return Finding.not_applicable(*about, "The distribution does not say how many there are.")
    chance = np.exp(-case.mean)
    expected = float(case.weight @ chance)
    observed = float(case.weight @ (case.y == 0.0))
    spread = float(np.sqrt(case.weight @ (chance * (1.0 - chance))))
    excess = (observed - expected) / max(float(case.weight.sum()), 1.0)
    many = observed > expected + 5.0 * spread and excess > 0.05
    return conclude(
        about,
        "observed / expected",
        observed / expected if expected > 0.0 else np.nan,
        "warning" if many else "ok",
        f"{observed:.10g} targets are zero; the fitted means make {expected:.4g} likely.",
        "Some rows may not be able to count at all: fit a classifier of zero or not, and a "
        "regression of the rest.",
    )


def check_link(case: GlmCase) -> Finding:
    """Is the link of the mean linear in the features?"""
    link = case.working.model._family().link
    what = "logarithm of the mean" if link == "log" else "mean"
    hypothesis = f"The {what} is a linear, additive function of the features"
    return replace(check_linearity(case.working), hypothesis=hypothesis)


def check_variance_power(case: GlmCase) -> Finding:
    """Does the spread of the Pearson residuals follow a feature or the mean?"""
    found = check_homoscedasticity(case.working)
    remedy = (
        "Use robust standard errors (cov_type='HC3'), or another power in TweedieRegressor: a "
        "larger one if the residuals spread with the mean."
    )
    return replace(
        found,
        hypothesis=f"The variance is proportional to the mean to the power {case.power:g}",
        remedy=remedy if found.remedy else "",
    )


def check_steering_rows(case: GlmCase) -> Finding:
    """Does a single row steer the fit?"""
    about = ("influence", "No single row determines the fit")
    if not case.working.has_residuals:
        return Finding.not_applicable(*about, "There are no residuals to judge the rows by.")
    measures = case.working.influence
    distance = measures.cooks_distance
    steering = np.flatnonzero(distance >= 0.5)
    steering = steering[np.argsort(-distance[steering], kind="stable")]
    worst = int(distance.argmax())
    shift = float(np.sqrt(measures.leverage.sum() * distance[worst]))
    return conclude(
        about,
        "Cook's distance",
        float(distance[worst]),
        graded(distance[worst], 0.5, 1.0),
        f"Leaving out row {case.working.row_numbers[worst]} moves the fit by {shift:.2f} "
        f"standard errors; its target is {case.y[worst]:.4g} and its mean {case.mean[worst]:.4g}.",
        "Check these rows for errors; fit with and without them.",
        rows=tuple(case.working.row_numbers[steering].tolist()),
    )


CHECKS: tuple[Callable[[GlmCase], Finding], ...] = (
    check_link,
    lambda case: check_multicollinearity(case.working),
    check_dispersion,
    check_zeros,
    check_variance_power,
    lambda case: check_autocorrelation(case.working),
    lambda case: check_rank(case.working),
    lambda case: check_sample_size(case.working),
    check_steering_rows,
)


@register_diagnosis(GammaRegressor, PoissonRegressor, TweedieRegressor)
def diagnose_glm(model: Any, X: Any, y: Any, sample_weight: Any) -> Diagnosis:
    """Diagnose a generalised linear model: its hypotheses first, then whether the data suit it."""
    case = GlmCase.of(model, X, y, sample_weight)
    rows, columns = counted(len(case.y), "row"), counted(case.working.design.n_features, "column")
    return Diagnosis(f"{type(model).__name__} on {rows} and {columns}", [c(case) for c in CHECKS])
