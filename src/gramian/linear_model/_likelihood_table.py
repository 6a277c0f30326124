"""The summary of a fit by maximum likelihood: its numbers, and how they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._typing import Floats
from gramian.linear_model._family import Family
from gramian.linear_model._prediction import Prediction, linear_predictor, quantile_of
from gramian.linear_model._summary_table import CoefficientSummary, Facts


@dataclass(frozen=True)
class LikelihoodSummary(CoefficientSummary):
    """What a generalised linear model says about its parameters, and how sure it is.

    Has the attributes of `CoefficientSummary`; `statistic` is taken as normal. With more than two
    classes the parameters of each class but the first stand after one another, as
    ``"class: column"``, and compare it with the first.

    Attributes
    ----------
    family : Family
        Distribution of the target, and link.
    classes : tuple of str
        The classes of a classifier, the one that others are compared with first; else empty.
    rank, df_model, df_resid : float
        Number of free parameters, and degrees of freedom of model and residuals.
    deviance, null_deviance : float
        Deviance of the model, and of a constant.
    pearson_chi2 : float
        Sum of squared Pearson residuals.
    scale : float
        Dispersion: 1 for logistic and Poisson regression, else `pearson_chi2` over `df_resid`.
    loglik, loglik_null : float
        Log-likelihood of the model, and of a constant.
    aic, bic : float
        Information criteria; a dispersion is not counted as a parameter.
    lr_statistic, lr_pvalue : float
        Likelihood-ratio test that all parameters but the constant are zero.
    mcfadden, cox_snell, nagelkerke : float
        Pseudo-R²: ``1 - loglik / loglik_null``, ``1 - exp(-lr_statistic / n)``, and the latter over
        its largest possible value.
    """

    family: Family
    classes: tuple[str, ...]
    rank: int
    df_model: int
    df_resid: float
    deviance: float
    null_deviance: float
    pearson_chi2: float
    scale: float
    loglik: float
    loglik_null: float
    aic: float
    bic: float
    lr_statistic: float
    lr_pvalue: float
    mcfadden: float
    cox_snell: float
    nagelkerke: float

    @property
    def exp_coef(self) -> Floats:
        """``exp(coef)``: odds ratios of logistic regression, ratios of means for a log link."""
        self._require_ratio()
        return np.exp(self.coef)

    @property
    def exp_conf_int(self) -> Floats:
        """Confidence limits of `exp_coef`."""
        self._require_ratio()
        return np.exp(self.conf_int)

    def predict(self, X: Any, *, alpha: float | None = None) -> Prediction:
        """Predict the mean of new rows (the probability of the second class), with intervals.

        The interval is made for the linear predictor and then taken through the link, so that it
        stays within the range of the mean.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            New rows, with the columns of ``fit``.
        alpha : float, default=None
            The intervals hold with probability ``1 - alpha``; None takes the summary's.

        Returns
        -------
        prediction : Prediction
            With `mean`, `std_err` and `mean_conf_int`; `obs_conf_int` is None.
        """
        if len(self.classes) > 2:
            raise ValueError(
                f"intervals of predicted probabilities are made for two classes; there are "
                f"{len(self.classes)}."
            )
        alpha = self.alpha if alpha is None else alpha
        quantile = quantile_of(alpha, np.inf)
        eta, error = linear_predictor(self, X)
        limits = [self.family.mean(eta + side * quantile * error) for side in (-1.0, 1.0)]
        return Prediction(
            self.family.mean(eta),
            np.abs(self.family.slope(eta)) * error,
            np.column_stack(limits),
            None,
            alpha,
        )

    def _require_ratio(self) -> None:
        if not self.family.ratio_name:
            raise AttributeError(
                f"exp(coef) has no meaning for the link {self.family.link!r}; use coef."
            )

    def _columns(self) -> dict[str, list[Any]]:
        columns = super()._columns()
        if self.family.ratio_name:
            columns[self.family.ratio_name] = self.exp_coef.tolist()
        return columns

    def _title(self) -> str:
        return f"{self.family.name}: {self.target}"

    def _facts(self) -> Facts:
        left = [
            ("Rows", f"{self.n_samples:.10g}"),
            ("Df residuals", f"{self.df_resid:.10g}"),
            ("Df model", str(self.df_model)),
            ("Covariance", self.cov_type),
            ("Dispersion", f"{self.scale:.5g}"),
            ("Deviance", f"{self.deviance:.5g}"),
            ("Null deviance", f"{self.null_deviance:.5g}"),
        ]
        right = [
            ("Log-likelihood", f"{self.loglik:.5g} (constant {self.loglik_null:.5g})"),
            ("LR chi-square", f"{self.lr_statistic:.5g} (p = {self.lr_pvalue:.3g})"),
            ("McFadden R2", f"{self.mcfadden:.4f}"),
            ("Cox-Snell R2", f"{self.cox_snell:.4f}"),
            ("Nagelkerke R2", f"{self.nagelkerke:.4f}"),
            ("AIC", f"{self.aic:.5g}"),
            ("BIC", f"{self.bic:.5g}"),
        ]
        return list(zip(left, right, strict=True))
