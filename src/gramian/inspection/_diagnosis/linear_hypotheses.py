"""The hypotheses of linear regression, each checked by one function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gramian import diagnostics
from gramian._typing import Floats
from gramian.diagnostics import Design
from gramian.inspection._diagnosis.findings import (
    SIGNIFICANCE,
    Finding,
    Verdict,
    beyond_chance,
    conclude,
    counted,
    graded,
)
from gramian.inspection._diagnosis.linear_case import LinearCase

COLLINEAR = ("multicollinearity", "No feature is nearly a combination of the others")
# Rows used to test the form of the relation: enough to see 2 % of the variance with certainty.
MAX_FORM_ROWS = 100_000


def check_linearity(case: LinearCase) -> Finding:
    """Does a curve in some column, or in the fitted values, explain what the line leaves?"""
    about = ("linearity", "The target is a linear, additive function of the features")
    if not case.has_residuals:
        return _no_residuals(case, *about)
    part = _thinned(case)
    by_columns = _form_test(part, "exog", 3) or _form_test(part, "exog", 2)
    tests = [test for test in (by_columns, _form_test(part, "fitted", 3)) if test is not None]
    if not tests:
        return Finding.not_applicable(*about, "There are too few rows to test for curves.")
    best = min(tests, key=lambda test: test.pvalue)
    # Bonferroni: the better of two tests is looked at.
    pvalue = min(1.0, len(tests) * best.pvalue)
    # The partial R^2 of the curved terms, then adjusted for their number.
    gain = best.statistic * best.df_num / (best.statistic * best.df_num + best.df_denom)
    effect = max(0.0, 1.0 - (1.0 - gain) * (best.df_num + best.df_denom) / best.df_denom)
    verdict = beyond_chance(pvalue, effect, 0.02, 0.1)
    return conclude(
        about,
        "RESET F",
        best.statistic,
        verdict,
        f"Curved terms explain {effect:.1%} of what the straight fit leaves unexplained.",
        "Add a transformed column (logarithm, square, spline) or an interaction, or use a model "
        "that bends, such as trees or boosting.",
        columns=_bent_columns(part) if verdict != "ok" else (),
        pvalue=pvalue,
    )


def check_independence(case: LinearCase) -> Finding:
    """Are rows repeated although the target is continuous?"""
    about = ("independence", "Observations are independent of each other")
    generator = np.random.default_rng(0)
    direction = generator.normal(size=case.design.n_features)
    keys = np.empty(case.design.n_samples)
    for rows, block in case.design.rows_unweighted():
        keys[rows] = (block * direction).sum(axis=1)
    distinct, first, counts = np.unique(keys + 1j * case.y, return_index=True, return_counts=True)
    fraction = 1.0 - len(distinct) / case.design.n_samples
    # Rows of a few discrete columns repeat by nature; a continuous target then still differs.
    continuous = len(np.unique(distinct.imag)) >= 0.9 * len(distinct)
    verdict: Verdict = "ok"
    if continuous and fraction > 0.01:
        verdict = "problem" if fraction > 0.1 else "warning"
    repeated = case.row_numbers[np.sort(first[counts > 1])]
    return conclude(
        about,
        "repeated rows",
        fraction,
        verdict,
        f"{fraction:.1%} of the rows repeat another row in every column and the target. Standard "
        "errors count them as new evidence, and a split may put copies on both sides."
        if verdict != "ok"
        else "Rows are not copies of one another.",
        "Drop the copies, give them as sample_weight, or split by group.",
        rows=tuple(repeated.tolist()),
    )


def check_multicollinearity(case: LinearCase) -> Finding:
    """Do columns predict one another?"""
    if case.penalty > 0.0:
        return Finding.not_applicable(
            *COLLINEAR, "The penalty keeps the coefficients of like columns small and unique."
        )
    vif = case.reference_design.vif
    return conclude_on_vif(
        vif,
        [case.names[j] for j in case.kept_columns],
        f"Standard errors are up to {np.sqrt(vif.max(initial=1.0)):.3g} times those of unrelated "
        f"columns (condition number {case.reference_design.condition_number():.3g}).",
        "Remove or combine some of these columns, use Ridge, or use principal components. "
        "Predictions are not harmed; single coefficients are.",
    )


def conclude_on_vif(vif: Floats, names: Sequence[str], effect: str, remedy: str) -> Finding:
    """Return the finding of variance inflation factors: 10 is a common limit, 100 ten times it."""
    largest = float(vif.max(initial=1.0))
    order = [j for j in np.argsort(-vif, kind="stable") if vif[j] >= 10.0]
    return conclude(
        COLLINEAR,
        "largest VIF",
        largest,
        graded(largest, 10.0, 100.0),
        "Some columns are exact combinations of others." if np.isinf(largest) else effect,
        remedy,
        columns=[names[j] for j in order],
    )


def check_homoscedasticity(case: LinearCase) -> Finding:
    """Does the spread of the residuals follow a feature or the fitted value?"""
    about = ("homoscedasticity", "Errors have the same variance everywhere")
    if not case.has_residuals:
        return _no_residuals(case, *about)
    by_columns = diagnostics.breusch_pagan(case.white, case.plain_design)
    centred = case.fitted - case.fitted.mean()
    curve = np.column_stack([centred, np.square(centred / max(np.abs(centred).max(), 1e-300))])
    by_fitted = diagnostics.breusch_pagan(case.white, curve)
    best = min(by_columns, by_fitted, key=lambda test: test.f_pvalue)
    pvalue = min(1.0, 2.0 * best.f_pvalue)
    plain = case.plain_design
    ratio = _variance_ratio(case.white, plain if best is by_columns else Design(curve))
    verdict = beyond_chance(pvalue, ratio, 1.5, 4.0)
    return conclude(
        about,
        "Breusch-Pagan LM",
        best.statistic,
        verdict,
        f"The variance of the residuals is {ratio:.2g} times as large in the third of the rows "
        "where it is largest as in the third where it is smallest.",
        "Use robust standard errors (cov_type='HC3'), model the logarithm of the target, or give "
        "sample_weight as inverse variances.",
        columns=_spreading_columns(case, plain) if verdict != "ok" else (),
        pvalue=pvalue,
    )


def check_normality(case: LinearCase) -> Finding:
    """Are the residuals skewed or heavy-tailed?"""
    about = ("normality", "Errors are normally distributed")
    if not case.has_residuals:
        return _no_residuals(case, *about)
    test = diagnostics.jarque_bera(case.white)
    excess = test.kurtosis - 3.0
    # Skewness 0.5 or excess kurtosis 1 shows in a histogram; 2.5 or 5 spoils small samples' tests.
    verdict = beyond_chance(test.pvalue, max(abs(test.skew) / 0.5, excess), 1.0, 5.0)
    return conclude(
        about,
        "Jarque-Bera",
        test.statistic,
        verdict,
        f"Skewness {test.skew:.2f}, excess kurtosis {excess:.2f} (0 and 0 for normal errors). "
        "With many rows, coefficients and their tests hardly suffer; prediction intervals do.",
        "Transform the target, look at the outliers, or take intervals from a bootstrap.",
        pvalue=test.pvalue,
    )


def check_autocorrelation(case: LinearCase) -> Finding:
    """Does a residual tell about the next row's?

    Rows without a declared order may be sorted by anything, so that is no more than a warning.
    """
    about = ("autocorrelation", "Errors of successive rows are not correlated")
    if not case.has_residuals:
        return _no_residuals(case, *about)
    d = diagnostics.durbin_watson(case.white)
    correlation = 1.0 - d / 2.0
    pvalue = diagnostics.breusch_godfrey(case.white, case.plain_design, lags=1).f_pvalue
    verdict = beyond_chance(pvalue, abs(correlation), 0.1, 0.3 if case.in_time_order else np.inf)
    explanation, remedy = f"Successive residuals have correlation {correlation:.2f}.", ""
    if verdict != "ok" and case.in_time_order:
        explanation += " The rows are in the order of time, so standard errors are wrong."
        remedy = "Add lagged or seasonal features, difference the series, and split by time."
    elif verdict != "ok":
        explanation += (
            " The table does not say that its rows have an order; if they have one, as in time or "
            "space, standard errors are wrong."
        )
        remedy = (
            "If the rows follow one another in time, add lagged or seasonal features and split by "
            "time; if they were sorted by the target or a feature, shuffle them."
        )
    return conclude(about, "Durbin-Watson", d, verdict, explanation, remedy, pvalue=pvalue)


def _form_test(case: LinearCase, test_type: str, power: int) -> diagnostics.FTest | None:
    """RESET test, or None if the rows are too few or no column can be curved."""
    design = case.design
    n_terms = (power - 1) * (design.n_features if test_type == "exog" else 1)
    if case.df_resid < 5 * n_terms + 5:
        return None
    try:
        return diagnostics.ramsey_reset(
            design,
            case.y,
            power=power,
            test_type=test_type,
            sample_weight=design.weight,
            fit_intercept=design.fit_intercept,
        )
    except ValueError:
        return None


def _bent_columns(case: LinearCase) -> tuple[str, ...]:
    """Columns whose square or cube, alone, explains a significant part of the residuals."""
    design = case.design
    left = design.residuals(design.whiten(case.y))
    best = np.zeros(design.n_features)
    values = np.vstack([block for _, block in design.rows_unweighted()]) - design.mean
    values /= np.where(np.abs(values).max(axis=0) > 0.0, np.abs(values).max(axis=0), 1.0)
    for power in (2, 3):
        terms = design.whiten(values**power)
        beyond = design.residuals(terms)
        norms = np.linalg.norm(beyond, axis=0)
        usable = norms > 1e-8 * np.linalg.norm(terms, axis=0)
        explained = np.zeros(design.n_features)
        explained[usable] = (left @ beyond[:, usable]) ** 2 / norms[usable] ** 2 / (left @ left)
        best = np.maximum(best, explained)
    return _stand_out(case.names, best, case.df_resid)


def _spreading_columns(case: LinearCase, plain: Design) -> tuple[str, ...]:
    """Columns with which the squared residuals are significantly correlated."""
    squares = np.square(case.white)
    squares -= squares.mean()
    products = np.sum([squares[rows] @ block for rows, block in plain.rows()], axis=0)
    explained = np.zeros(plain.n_features)
    usable = plain.scale > 0.0
    explained[usable] = (products[usable] / plain.scale[usable]) ** 2 / (squares @ squares)
    return _stand_out(case.names, explained, case.df_resid)


def _stand_out(names: tuple[str, ...], explained: Floats, df: int) -> tuple[str, ...]:
    """Names, strongest first, whose squared correlation exceeds chance and a fifth of the best."""
    from scipy.special import fdtri

    f = fdtri(1, df, 1.0 - SIGNIFICANCE / max(len(names), 1))
    least = max(f / (f + df), 0.2 * explained.max(initial=0.0))
    return tuple(names[j] for j in np.argsort(-explained, kind="stable") if explained[j] > least)


def _variance_ratio(white: Floats, predictors: Design) -> float:
    """Mean squared residual of the third of rows predicted widest over that predicted narrowest."""
    squares = np.square(white)
    predicted = squares - predictors.residuals(squares)
    order = np.argsort(predicted, kind="stable")
    third = max(1, len(order) // 3)
    low = squares[order[:third]].mean()
    return float(squares[order[-third:]].mean() / low) if low > 0.0 else float("inf")


def _thinned(case: LinearCase) -> LinearCase:
    """The case on evenly spaced rows if there are more than the form test needs."""
    n = case.design.n_samples
    if n <= MAX_FORM_ROWS:
        return case
    rows = np.linspace(0, n - 1, MAX_FORM_ROWS).astype(np.int64)
    weight = None if case.design.weight is None else case.design.weight[rows]
    design = Design(
        case.design.X[rows], sample_weight=weight, fit_intercept=case.design.fit_intercept
    )
    return replace(
        case,
        design=design,
        y=case.y[rows],
        fitted=case.fitted[rows],
        row_numbers=case.row_numbers[rows],
    )


def _no_residuals(case: LinearCase, code: str, hypothesis: str) -> Finding:
    if case.df_resid < 3:
        rows = counted(case.design.n_samples, "row")
        reason = f"The freedom that {rows} leave is too little to test the residuals."
    elif case.design.rank <= int(case.design.fit_intercept):
        reason = "No column varies: the model is a constant."
    else:
        reason = "The fit is exact: there are no residuals to test."
    return Finding.not_applicable(code, hypothesis, reason)
