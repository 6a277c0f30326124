"""Inference for Firth's logistic regression by the profile of its penalised likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._typing import Floats
from gramian.diagnostics import column_names
from gramian.linear_model._firth_solver import FirthLikelihood, FirthPoint, maximise
from gramian.linear_model._likelihood_summary import Sample
from gramian.linear_model._sandwich import check_cov_type
from gramian.linear_model._summary import encoding_notes
from gramian.linear_model._summary_table import CoefficientSummary, Facts

_MOST_EXPANSIONS = 60


@dataclass(frozen=True)
class FirthSummary(CoefficientSummary):
    """What Firth's logistic regression says about its parameters, and how sure it is.

    Has the attributes of `CoefficientSummary`: `std_err` and `covariance` come from the Fisher
    information, but `statistic`, `pvalue` and `conf_int` from the profile of the penalised
    likelihood: `statistic` is the ratio test that the parameter is zero, chi-square with one degree
    of freedom.

    Attributes
    ----------
    classes : tuple of str
        The two classes.
    rank, df_model : int
        Number of free parameters, with and without the constant.
    penalised_loglik, penalised_loglik_null : float
        Penalised log-likelihood of the model, and of the best constant.
    lr_statistic, lr_pvalue : float
        Test that all parameters but the constant are zero.
    """

    classes: tuple[str, ...]
    rank: int
    df_model: int
    penalised_loglik: float
    penalised_loglik_null: float
    lr_statistic: float
    lr_pvalue: float

    @property
    def exp_coef(self) -> Floats:
        """Odds ratios."""
        return np.exp(self.coef)

    @property
    def exp_conf_int(self) -> Floats:
        """Confidence limits of the odds ratios."""
        return np.exp(self.conf_int)

    def _columns(self) -> dict[str, list[Any]]:
        columns = super()._columns()
        renamed = {"z": "chi2", "P>|z|": "P>chi2"}
        table = {renamed.get(name, name): values for name, values in columns.items()}
        return {**table, "odds ratio": self.exp_coef.tolist()}

    def _title(self) -> str:
        return f"Firth's logistic regression: {self.target}"

    def _facts(self) -> Facts:
        left = [("Rows", f"{self.n_samples:.10g}"), ("Df model", str(self.df_model))]
        ratio = f"{self.lr_statistic:.5g} (p = {self.lr_pvalue:.3g})"
        right = [("Penalised loglik", f"{self.penalised_loglik:.6g}"), ("LR chi-square", ratio)]
        return list(zip(left, right, strict=True))


def summarize_firth(
    model: Any, X: Any, y: Any, sample_weight: Any = None, *, alpha: float = 0.05
) -> FirthSummary:
    """Summarise a fitted `FirthLogisticRegression` on its training data.

    Parameters
    ----------
    model : FirthLogisticRegression
        Fitted model.
    X, y, sample_weight
        The data of ``fit``.
    alpha : float, default=0.05
        One minus the level of the intervals.
    """
    from scipy.special import chdtrc

    check_cov_type(alpha, "nonrobust", None)
    sample = Sample.of(model, X, y, sample_weight)
    likelihood = FirthLikelihood(sample.X, sample.y, sample.weight, bool(model.fit_intercept))
    top = maximise(likelihood)
    theta = likelihood.parameters(top.gamma)
    fitted = np.append(model.intercept_, model.coef_)[0 if model.fit_intercept else 1 :]
    covariance = likelihood.to_parameters @ np.linalg.inv(top.information)
    covariance = covariance @ likelihood.to_parameters.T
    std_err = np.sqrt(np.diag(covariance))
    if (np.abs(fitted - theta) > 1e-2 * std_err).any():
        raise ValueError(
            "FirthLogisticRegression was not fitted on these data: a summary needs the X, y and "
            "sample_weight that the model was fitted on."
        )
    profiles = [_Profile(likelihood, top, j) for j in range(len(theta))]
    statistic = np.array([profile.drop(0.0) for profile in profiles])
    null, df_model = _null(likelihood, top)
    ratio = 2.0 * (top.value - null)
    return FirthSummary(
        target=sample.target,
        names=("const",) * bool(model.fit_intercept) + column_names(model),
        coef=theta,
        std_err=std_err,
        statistic=statistic,
        pvalue=chdtrc(1, statistic),
        conf_int=np.array([profile.limits(alpha) for profile in profiles]),
        covariance=covariance,
        alpha=alpha,
        cov_type="profile",
        n_samples=sample.n_samples,
        notes=_notes(sample, likelihood),
        model=model,
        classes=tuple(str(name) for name in model.classes_),
        rank=likelihood.design.rank,
        df_model=df_model,
        penalised_loglik=top.value,
        penalised_loglik_null=null,
        lr_statistic=ratio,
        lr_pvalue=float(chdtrc(df_model, max(ratio, 0.0))) if df_model else np.nan,
    )


class _Profile:
    """The penalised likelihood of one parameter, the others at their best."""

    def __init__(self, likelihood: FirthLikelihood, top: FirthPoint, j: int) -> None:
        self.likelihood, self.top = likelihood, top
        self.row = likelihood.to_parameters[j]
        self.centre = float(self.row @ top.gamma)
        inverse = np.linalg.solve(top.information, self.row)
        self.std_err = float(np.sqrt(self.row @ inverse))
        # Moving one parameter by its fraction of this direction lets the others follow at once.
        self.along = inverse / (self.row @ inverse)
        self.free = _complement(self.row)

    def drop(self, value: float) -> float:
        """Return twice the loss of penalised log-likelihood with the parameter at `value`."""
        start = self.top.gamma + (value - self.centre) * self.along
        best = maximise(self.likelihood, start=start, free=self.free, tol=1e-7)
        return max(2.0 * (self.top.value - best.value), 0.0)

    def limits(self, alpha: float) -> list[float]:
        """Return where the loss reaches the quantile of chi-square, on either side."""
        from scipy.special import chdtri

        bound = float(np.sqrt(chdtri(1, alpha)))
        return [self._limit(side, bound) for side in (-1.0, 1.0)]

    def _limit(self, side: float, bound: float) -> float:
        from scipy.optimize import brentq

        def missing(distance: float) -> float:
            # The signed root of the loss is nearly a line: few steps find its crossing.
            return float(np.sqrt(self.drop(self.centre + side * distance)) - bound)

        near, far = 0.0, bound * self.std_err
        for _ in range(_MOST_EXPANSIONS):
            if missing(far) >= 0.0:
                root = brentq(missing, near, far, xtol=1e-9 * self.std_err, rtol=1e-10)
                return self.centre + side * float(root)
            near, far = far, 1.5 * far
        return side * np.inf


def _complement(row: Floats) -> Floats:
    """Return an orthonormal basis of the directions that leave a parameter as it is."""
    q, _ = np.linalg.qr(row.reshape(-1, 1), mode="complete")
    return np.asarray(q[:, 1:], dtype=np.float64)


def _null(likelihood: FirthLikelihood, top: FirthPoint) -> tuple[float, int]:
    """Return the penalised log-likelihood with all slopes zero, and how many that are.

    The information, and so the penalty, stays that of the whole design.
    """
    if not likelihood.design.fit_intercept:
        return likelihood.at(likelihood.start()).value, likelihood.design.rank
    # The first vector of the basis is the constant.
    constant = np.eye(len(top.gamma))[:, :1]
    return maximise(likelihood, free=constant).value, likelihood.design.rank - 1


def _notes(sample: Sample, likelihood: FirthLikelihood) -> tuple[str, ...]:
    classes = sample.model.classes_
    notes = [
        "Tests and limits are those of the profile penalised likelihood; standard errors are "
        "Wald's.",
        f"Coefficients are log-odds of {classes[1]} against {classes[0]}.",
    ]
    if sample.weighted:
        notes.append("Weights are taken as counts: a weight of k stands for k rows.")
    return (*notes, *encoding_notes(sample.model, likelihood.design))
