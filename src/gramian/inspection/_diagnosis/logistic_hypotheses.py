"""The hypotheses of logistic regression, each checked by one function."""

from __future__ import annotations

import numpy as np

from gramian import diagnostics
from gramian.inspection._diagnosis.findings import (
    SIGNIFICANCE,
    Finding,
    Verdict,
    beyond_chance,
    conclude,
    counted,
    graded,
)
from gramian.inspection._diagnosis.linear_hypotheses import conclude_on_vif
from gramian.inspection._diagnosis.logistic_case import ClassPair, LogisticCase


def check_log_odds(case: LogisticCase) -> Finding:
    """Does x ln x of some column explain what straight log-odds leave?"""
    about = ("linearity", "The log-odds are a linear, additive function of the features")
    tests = [(pair, test) for pair in case.pairs if (test := _box_tidwell(case, pair)) is not None]
    if not tests:
        return Finding.not_applicable(
            *about, "No column has more than two values, or rows are few."
        )
    pair, test = min(tests, key=lambda found: found[1].pvalue)
    pvalue = min(1.0, len(tests) * test.pvalue)
    effect = test.statistic / case.weight[pair.rows].sum()
    verdict = beyond_chance(pvalue, effect, 0.01, 0.05)
    least = SIGNIFICANCE / max(len(test.columns), 1)
    bent = test.columns[(test.column_pvalue < least)] if verdict != "ok" else ()
    of = f" ({pair.label})" if len(case.pairs) > 1 else ""
    return conclude(
        about,
        "Box-Tidwell chi²",
        test.statistic,
        verdict,
        f"Terms x ln x explain {effect:.1%} of the residual variance{of}.",
        "Add a transformed column (logarithm, square, spline) or bins, or use a model that bends, "
        "such as trees or boosting.",
        columns=tuple(case.names[j] for j in bent),
        pvalue=pvalue,
    )


def check_repeated_rows(case: LogisticCase) -> Finding:
    """Are rows repeated although a column is continuous?"""
    about = ("independence", "Observations are independent of each other")
    direction = np.random.default_rng(0).normal(size=case.X.shape[1])
    keys = np.asarray(case.X @ direction).ravel() + 1j * case.codes
    distinct, first, counts = np.unique(keys, return_index=True, return_counts=True)
    fraction = 1.0 - len(distinct) / len(keys)
    # Rows of a few discrete columns repeat by nature.
    continuous = len(distinct) >= 0.5 * len(keys)
    verdict: Verdict = "ok"
    if continuous and fraction > 0.01:
        verdict = "problem" if fraction > 0.1 else "warning"
    repeated = np.sort(first[counts > 1])
    return conclude(
        about,
        "repeated rows",
        fraction,
        verdict,
        f"{fraction:.1%} of the rows repeat another in every column and the class. Standard errors "
        "count them as new evidence, and a split may put copies on both sides."
        if verdict != "ok"
        else "Rows are not copies of one another beyond what discrete columns explain.",
        "Drop the copies, give them as sample_weight, or split by group; for rows that belong "
        "together use summary(cov_type='cluster', groups=...).",
        rows=tuple(case.row_numbers[repeated].tolist()),
    )


def check_collinearity(case: LogisticCase) -> Finding:
    """Do columns predict one another?"""
    vif = diagnostics.variance_inflation_factor(
        case.reference_design,
        sample_weight=case.reference_design.weight,
        fit_intercept=case.reference_design.fit_intercept,
    )
    return conclude_on_vif(
        vif,
        [case.names[j] for j in case.kept_columns],
        f"Standard errors are up to about {np.sqrt(vif.max(initial=1.0)):.3g} times those of "
        "unrelated columns.",
        "Remove or combine some of these columns, or use principal components; a penalty keeps the "
        "coefficients small. Predictions are not harmed; single coefficients are.",
    )


def check_variance(case: LogisticCase) -> Finding:
    """Say why equal variances are not a hypothesis here."""
    return Finding.not_applicable(
        "homoscedasticity",
        "Errors have the variance that the model gives them",
        "A class has the variance p(1 - p) by nature: it is part of the likelihood.",
    )


def check_error_correlation(case: LogisticCase) -> Finding:
    """Does a residual tell about the next row's?"""
    from scipy.special import ndtr

    about = ("autocorrelation", "Errors of successive rows are not correlated")
    if len(case.codes) < 10:
        return Finding.not_applicable(*about, "There are too few rows.")
    d = diagnostics.durbin_watson(case.pearson)
    correlation = 1.0 - d / 2.0
    # Without correlation it is nearly normal, with variance 1 / n.
    pvalue = float(2.0 * ndtr(-abs(correlation) * np.sqrt(len(case.codes))))
    verdict = beyond_chance(pvalue, abs(correlation), 0.1, 0.3 if case.in_time_order else np.inf)
    return conclude(
        about,
        "Durbin-Watson",
        d,
        verdict,
        f"Successive Pearson residuals have correlation {correlation:.2f}."
        + ("" if case.in_time_order else " The table does not say that its rows have an order."),
        "If the rows follow one another in time, add lagged or seasonal features and split by "
        "time; if they were sorted by the class or a feature, shuffle them.",
        pvalue=pvalue,
    )


def check_outliers(case: LogisticCase) -> Finding:
    """Does a single row steer the fit?"""
    about = ("influence", "There are no extreme outliers: no single row determines the fit")
    if case.separation:
        return Finding.not_applicable(
            *about, "The classes are separated: no finite coefficients to move away from."
        )
    shift = np.zeros(len(case.codes))
    for pair in case.pairs:
        measures = diagnostics.logistic_influence(
            pair.y,
            pair.proba,
            case.X[pair.rows],
            sample_weight=case.weight[pair.rows],
            fit_intercept=case.fit_intercept,
        )
        shift[pair.rows] = np.maximum(shift[pair.rows], np.sqrt(measures.dbeta))
    worst = int(shift.argmax())
    steering = np.flatnonzero(shift >= 1.0)
    steering = steering[np.argsort(-shift[steering], kind="stable")]
    happened = case.proba[worst, case.codes[worst]]
    return conclude(
        about,
        "Pregibon's dbeta",
        float(shift[worst] ** 2),
        graded(shift[worst], 1.0, 2.0),
        f"Leaving out row {case.row_numbers[worst]} moves the coefficients by {shift[worst]:.2f} "
        f"standard errors; its class had the probability {happened:.3g}.",
        "Check these rows for errors; fit with and without them.",
        rows=tuple(case.row_numbers[steering].tolist()),
    )


def check_events(case: LogisticCase) -> Finding:
    """Are there enough rows of the rarest class for the number of coefficients?"""
    about = ("sample size", "There are enough rows of each class for the number of coefficients")
    rarest = int(case.counts.argmin())
    ratio = float(case.counts[rarest]) / max(case.n_parameters, 1)
    verdict: Verdict = "problem" if ratio < 5.0 else "warning" if ratio < 10.0 else "ok"
    return conclude(
        about,
        "events per coefficient",
        ratio,
        verdict,
        f"{case.counts[rarest]:.10g} rows of class {case.classes[rarest]} for "
        f"{counted(case.n_parameters, 'coefficient')}.",
        "Collect more rows of the rare class, use fewer columns or a penalty, or use "
        "FirthLogisticRegression, which removes the bias of few rows.",
    )


def check_overlap(case: LogisticCase) -> Finding:
    """Has the likelihood a maximum?"""
    about = ("separation", "The classes overlap, so that the likelihood has a maximum")
    found = case.separation
    verdict: Verdict = "ok"
    if found:
        verdict = "warning" if case.is_penalised else "problem"
    remedy = ""
    if found and case.is_penalised:
        remedy = (
            "Make sure that these columns are known before the class is. The penalty alone decides "
            "how large their coefficients are."
        )
    elif found:
        remedy = (
            "Make sure that these columns are known before the class is; add a penalty (a finite "
            "C) or use FirthLogisticRegression."
        )
    return conclude(
        about,
        "separated rows",
        float(found.separated.mean()),
        verdict,
        str(found),
        remedy,
        columns=found.columns,
    )


def check_balance(case: LogisticCase) -> Finding:
    """Is a class so rare that accuracy says little?"""
    about = ("class balance", "No class is rare")
    fraction = case.counts / case.counts.sum()
    rarest = int(fraction.argmin())
    alarmed = bool(fraction[rarest] < 0.1 * 2.0 / len(fraction))
    return conclude(
        about,
        "rarest share",
        float(fraction[rarest]),
        "warning" if alarmed else "ok",
        f"{fraction[rarest]:.1%} of the rows are of class {case.classes[rarest]}. Coefficients are "
        "not harmed by that, but accuracy and the threshold of one half say little.",
        "Judge by average precision, log loss or balanced accuracy, choose the threshold with "
        "TunedThresholdClassifierCV, and stratify splits; reweighting spoils the probabilities.",
    )


def check_calibration(case: LogisticCase) -> Finding:
    """Do the probabilities agree with what happened?"""
    about = ("calibration", "Predicted probabilities agree with observed shares")
    tests = [(pair, test) for pair in case.pairs if (test := _hosmer(case, pair)) is not None]
    if not tests:
        return Finding.not_applicable(*about, "There are too few different probabilities to group.")
    pair, test = min(tests, key=lambda found: found[1].pvalue)
    pvalue = min(1.0, len(tests) * test.pvalue)
    gap = float(np.abs(test.observed - test.expected).sum() / test.size.sum())
    verdict = beyond_chance(pvalue, gap, 0.02, 0.1)
    of = f" ({pair.label})" if len(case.pairs) > 1 else ""
    return conclude(
        about,
        "Hosmer-Lemeshow chi²",
        test.statistic,
        verdict,
        f"Observed shares differ from probabilities by {gap:.3f} on average{of}.",
        "Look at linearity and missing interactions first; then calibrate with "
        "CalibratedClassifierCV.",
        pvalue=pvalue,
    )


def _box_tidwell(case: LogisticCase, pair: ClassPair) -> diagnostics.BoxTidwell | None:
    X = case.X[pair.rows]
    if X.shape[0] <= 2 * X.shape[1] + 5:
        return None
    try:
        return diagnostics.box_tidwell(
            pair.y,
            pair.proba,
            X,
            sample_weight=case.weight[pair.rows],
            fit_intercept=case.fit_intercept,
        )
    except ValueError:  # no column has more than two values
        return None


def _hosmer(case: LogisticCase, pair: ClassPair) -> diagnostics.HosmerLemeshow | None:
    if len(np.unique(pair.proba)) < 6:
        return None
    return diagnostics.hosmer_lemeshow(pair.y, pair.proba, sample_weight=case.weight[pair.rows])
