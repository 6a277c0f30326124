"""Summaries of fitted linear models: their numbers, and how they are shown."""

from __future__ import annotations

import html
import textwrap
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gramian._drawing import Backend, frame_of
from gramian._typing import Floats
from gramian.diagnostics import NormalityTest
from gramian.linear_model._prediction import Prediction, predict_linear

Facts = list[tuple[tuple[str, str], tuple[str, str]]]


@dataclass(frozen=True)
class CoefficientSummary:
    """What a fit says about its parameters, and how it is shown.

    Attributes
    ----------
    target : str
        Name of the target.
    names : tuple of str
        Names of the parameters; the intercept comes first, as ``"const"``.
    coef, std_err, statistic, pvalue : ndarray of shape (n_parameters,)
        Estimates, standard errors, their ratio, and its two-sided p-value.
    conf_int : ndarray of shape (n_parameters, 2)
        Confidence limits of level ``1 - alpha``.
    covariance : ndarray of shape (n_parameters, n_parameters)
        Covariance of the estimates.
    alpha : float
        One minus the level of the confidence intervals.
    cov_type : str
        Kind of covariance.
    n_samples : int or float
        Number of rows; the sum of the weights where these count copies.
    notes : tuple of str
        What a reader must know to use the table.
    model : estimator
        The fitted model.
    """

    target: str
    names: tuple[str, ...]
    coef: Floats
    std_err: Floats
    statistic: Floats
    pvalue: Floats
    conf_int: Floats
    covariance: Floats
    alpha: float
    cov_type: str
    n_samples: float
    notes: tuple[str, ...]
    model: Any = field(repr=False, compare=False)

    def frame(self, backend: Backend = "pandas") -> Any:
        """Return the table of parameters as a data frame of the named library."""
        return frame_of(self._columns(), backend)

    def __str__(self) -> str:
        """Return the summary as a table for a terminal."""
        table = _text_table(self._columns())
        width = max(len(line) for line in table)
        double = "=" * width
        lines = [self._title().center(width).rstrip(), double]
        lines += [_pair_line(left, right) for left, right in self._facts()]
        lines += [double, table[0], "-" * width, *table[1:], double]
        if further := self._further_facts():
            lines += [_pair_line(left, right) for left, right in further]
            lines.append(double)
        for number, note in enumerate(self.notes, start=1):
            lines += textwrap.wrap(f"[{number}] {note}", width, subsequent_indent=" " * 4)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        further = self._further_facts()
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.notes)
        return (
            f"<div><h4>{html.escape(self._title())}</h4>{_html_facts(self._facts())}"
            f"{_html_table(self._columns())}{_html_facts(further) if further else ''}"
            f"<ol style='font-size:90%'>{notes}</ol></div>"
        )

    def _columns(self) -> dict[str, list[Any]]:
        letter = self._letter()
        return {
            "parameter": list(self.names),
            "coef": self.coef.tolist(),
            "std err": self.std_err.tolist(),
            letter: self.statistic.tolist(),
            f"P>|{letter}|": self.pvalue.tolist(),
            **interval_columns(self.conf_int, self.alpha),
        }

    def _letter(self) -> str:
        return "z"

    def _title(self) -> str:
        raise NotImplementedError

    def _facts(self) -> Facts:
        raise NotImplementedError

    def _further_facts(self) -> Facts:
        return []


@dataclass(frozen=True)
class RegressionSummary(CoefficientSummary):
    """What a least-squares fit says about its parameters, and how sure it is.

    Has the attributes of `CoefficientSummary`; `statistic` follows Student's t for the covariance
    ``"nonrobust"`` and is taken as normal for the others.

    Attributes
    ----------
    rank, df_model, df_resid : int
        Rank of the design, and degrees of freedom of model and residuals.
    rsquared, rsquared_adj : float
        Coefficient of determination, plain and adjusted; uncentred if no constant is in the model.
    fvalue, f_pvalue : float
        Test that all parameters but the constant are zero.
    scale : float
        Estimated variance of the errors.
    loglik, aic, bic : float
        Gaussian log-likelihood and information criteria.
    omnibus, jarque_bera : NormalityTest
        Tests of normal errors.
    durbin_watson : float
        Statistic of first-order autocorrelation.
    condition_number : float
        Condition number of the design.
    """

    rank: int
    df_model: int
    df_resid: int
    rsquared: float
    rsquared_adj: float
    fvalue: float
    f_pvalue: float
    scale: float
    loglik: float
    aic: float
    bic: float
    omnibus: NormalityTest
    jarque_bera: NormalityTest
    durbin_watson: float
    condition_number: float

    def predict(self, X: Any, *, alpha: float | None = None) -> Prediction:
        """Predict new rows, with an interval for the mean and one for a new observation.

        The interval of the mean covers the regression line at the row; that of the observation
        also holds the error of a single target, of weight one.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            New rows, with the columns of ``fit``.
        alpha : float, default=None
            The intervals hold with probability ``1 - alpha``; None takes the summary's.

        Returns
        -------
        prediction : Prediction
            With `mean`, `std_err`, `mean_conf_int`, `obs_conf_int` and `frame`.
        """
        df = self.df_resid if self.cov_type == "nonrobust" else np.inf
        return predict_linear(self, X, self.alpha if alpha is None else alpha, df, self.scale)

    def _letter(self) -> str:
        return "t" if self.cov_type == "nonrobust" else "z"

    def _title(self) -> str:
        return f"Least squares: {self.target}"

    def _facts(self) -> Facts:
        left = [
            ("Rows", f"{self.n_samples:.10g}"),
            ("Df residuals", str(self.df_resid)),
            ("Df model", str(self.df_model)),
            ("Covariance", self.cov_type),
            ("Error variance", f"{self.scale:.5g}"),
        ]
        right = [
            ("R-squared", f"{self.rsquared:.4f} (adjusted {self.rsquared_adj:.4f})"),
            ("F-statistic", f"{self.fvalue:.5g} (p = {self.f_pvalue:.3g})"),
            ("Log-likelihood", f"{self.loglik:.5g}"),
            ("AIC", f"{self.aic:.5g}"),
            ("BIC", f"{self.bic:.5g}"),
        ]
        return list(zip(left, right, strict=True))

    def _further_facts(self) -> Facts:
        left = [
            ("Omnibus", f"{self.omnibus.statistic:.3f} (p = {self.omnibus.pvalue:.3g})"),
            ("Skew", f"{self.omnibus.skew:.3f}"),
            ("Kurtosis", f"{self.omnibus.kurtosis:.3f}"),
        ]
        right = [
            (
                "Jarque-Bera",
                f"{self.jarque_bera.statistic:.3f} (p = {self.jarque_bera.pvalue:.3g})",
            ),
            ("Durbin-Watson", f"{self.durbin_watson:.3f}"),
            ("Condition number", f"{self.condition_number:.3g}"),
        ]
        return list(zip(left, right, strict=True))


def interval_columns(conf_int: Floats, alpha: float) -> dict[str, list[float]]:
    """Return the limits of intervals as columns, with their levels in the heads."""
    return {
        f"[{alpha / 2:.4g}": conf_int[:, 0].tolist(),
        f"{1 - alpha / 2:.4g}]": conf_int[:, 1].tolist(),
    }


def _pair_line(left: tuple[str, str], right: tuple[str, str]) -> str:
    return f"{left[0] + ':':<16}{left[1]:<22}{right[0] + ':':<18}{right[1]}"


def _cell(header: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.3g}" if header.startswith("P>") else f"{value:.5g}"


def _text_table(columns: dict[str, list[Any]]) -> list[str]:
    rows = [list(columns)]
    rows += [
        [_cell(header, value) for header, value in zip(columns, row, strict=True)]
        for row in zip(*columns.values(), strict=True)
    ]
    first = max(16, *(len(row[0]) for row in rows))
    widths = [max(10, *(len(row[j]) + 2 for row in rows)) for j in range(1, len(columns))]
    return [
        row[0].ljust(first) + "".join(c.rjust(w) for c, w in zip(row[1:], widths, strict=True))
        for row in rows
    ]


def _html_table(columns: dict[str, list[Any]]) -> str:
    head = "".join(f"<th>{html.escape(header)}</th>" for header in columns)
    body = "".join(
        "<tr>"
        + "".join(
            f"<td>{html.escape(_cell(header, value))}</td>"
            for header, value in zip(columns, row, strict=True)
        )
        + "</tr>"
        for row in zip(*columns.values(), strict=True)
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html_facts(facts: Facts) -> str:
    rows = "".join(
        "<tr>"
        + "".join(f"<th>{html.escape(k)}</th><td>{html.escape(v)}</td>" for k, v in pair)
        + "</tr>"
        for pair in facts
    )
    return f"<table>{rows}</table>"
