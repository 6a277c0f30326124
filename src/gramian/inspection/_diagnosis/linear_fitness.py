"""Whether the data suit a linear model: rank, size, scale, influential rows, leakage."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gramian.inspection._diagnosis.findings import Finding, Verdict, conclude, counted
from gramian.inspection._diagnosis.linear_case import LinearCase


def check_rank(case: LinearCase) -> Finding:
    """Is the solution unique?"""
    about = ("rank", "X'X is invertible: the columns are linearly independent")
    if case.penalty > 0.0:
        return Finding.not_applicable(*about, "The penalty makes the solution unique.")
    design, full = case.reference_design, case.n_parameters
    rank = design.rank
    deficient = rank < full
    constant = [case.names[j] for j in np.flatnonzero(case.design.scale == 0.0)]
    explanation = f"The design has rank {rank} for {counted(full, 'free parameter')}."
    if deficient:
        explanation += (
            " Infinitely many coefficients fit equally well; those shown have least norm."
        )
    if constant:
        explanation += f" Constant: {', '.join(constant[:6])}."
    return conclude(
        about,
        "rank",
        float(rank),
        "problem" if deficient else "ok",
        explanation,
        "Drop a column of each dependent group (one level of a one-hot encoding, a total beside "
        "its parts, constant columns), or use Ridge.",
        columns=tuple(case.names[case.kept_columns[j]] for j in design.collinear),
    )


def check_sample_size(case: LinearCase) -> Finding:
    """Are there enough rows for the number of coefficients?"""
    about = ("sample size", "There are enough rows for the number of coefficients")
    if case.penalty > 0.0:
        return Finding.not_applicable(*about, "The penalty stands in for missing rows.")
    ratio = case.design.n_samples / max(case.n_parameters, 1)
    verdict: Verdict = "problem" if ratio < 3.0 else "warning" if ratio < 10.0 else "ok"
    return conclude(
        about,
        "rows per coefficient",
        ratio,
        verdict,
        f"{counted(case.design.n_samples, 'row')} for {counted(case.n_parameters, 'coefficient')}.",
        "Collect more rows, use fewer columns, or use Ridge or Lasso.",
    )


def check_scale(case: LinearCase) -> Finding:
    """Do columns differ in scale so much that it matters to this model?"""
    about = ("scale", "Columns have comparable scales")
    spread = case.design.scale / np.sqrt(case.design.total_weight)
    used = np.flatnonzero(spread > 0.0)
    if len(used) < 2:
        return Finding.not_applicable(*about, "There are fewer than two columns that vary.")
    ratio = float(spread[used].max() / spread[used].min())
    # Least squares itself is free of units; beyond 1e6 it is rounding that suffers.
    limit = 10.0 if case.penalty > 0.0 else 1e6
    large, small = used[spread[used].argmax()], used[spread[used].argmin()]
    harm = (
        "The penalty presses on the small ones most."
        if case.penalty > 0.0
        else "Least squares does not depend on units, but digits are lost and coefficients are "
        "hard to compare."
    )
    alarmed = ratio > limit
    return conclude(
        about,
        "ratio of scales",
        ratio,
        "warning" if alarmed else "ok",
        f"{case.names[large]} varies {ratio:.3g} times as much as {case.names[small]}. {harm}",
        "Standardise the columns first, or change their units.",
        columns=(case.names[large], case.names[small]),
    )


def check_influence(case: LinearCase) -> Finding:
    """Does a single row steer the fit?"""
    about = ("influence", "No single row determines the fit")
    if not case.has_residuals:
        return Finding.not_applicable(*about, "There are no residuals to judge the rows by.")
    measures, pvalue = case.influence, _outlier_pvalue(case)
    distance = measures.cooks_distance
    # Cook's distance is |shift of the fit|^2 / (p s^2), with p the trace of the hat matrix.
    shift = np.sqrt(measures.leverage.sum() * distance)
    # An outlier of a long table moves nothing; a row may also steer without being an outlier.
    steering = np.flatnonzero((distance >= 1.0) | ((pvalue < 0.01) & (shift >= 0.5)))
    steering = steering[np.argsort(-distance[steering], kind="stable")]
    worst = int(steering[0] if len(steering) else distance.argmax())
    verdict: Verdict = "ok"
    if len(steering):
        verdict = "problem" if distance[worst] >= 1.0 else "warning"
    return conclude(
        about,
        "Cook's distance",
        float(distance[worst]),
        verdict,
        f"Leaving out row {case.row_numbers[worst]} moves the fit by {shift[worst]:.2f} standard "
        f"errors (studentised residual {measures.studentized_external[worst]:.1f}, leverage "
        f"{measures.leverage[worst]:.2f}).",
        "Check these rows for errors; fit with and without them, or use a robust loss (Huber).",
        rows=tuple(case.row_numbers[steering].tolist()),
        pvalue=float(pvalue[worst]),
    )


def check_generalisation(case: LinearCase) -> Finding:
    """Is the fit much better on its own rows than on rows left out, or no better than none?"""
    about = ("generalisation", "The fit holds for rows it has not seen")
    if not case.has_residuals or case.total <= 0.0:
        return Finding.not_applicable(*about, "There are no residuals to judge the fit by.")
    free = np.maximum(1.0 - case.influence.leverage, 1e-12)
    # PRESS: by a fit without it, a row has the residual e / (1 - h).
    left_out = 1.0 - float(np.square(case.white / free).sum()) / case.total
    gap = case.rsquared - left_out
    verdict: Verdict = "ok"
    remedy = ""
    if left_out <= 0.0:
        verdict = "warning"
        remedy = "Look for other features or another form; this fit predicts no better than a mean."
    elif gap > 0.1:
        verdict = "problem" if gap > 0.3 else "warning"
        remedy = "The model overfits: use fewer columns, more rows, or a penalty (Ridge, Lasso)."
    return conclude(
        about,
        "R² left out",
        left_out,
        verdict,
        f"R² is {case.rsquared:.3f} on these rows and {left_out:.3f} when each row is predicted by "
        "a fit without it.",
        remedy,
    )


def check_leakage(case: LinearCase) -> Finding:
    """Does one column alone give the target away?"""
    about = ("leakage", "No feature is the target in disguise")
    if case.total <= 0.0 or case.design.n_features == 0:
        return Finding.not_applicable(*about, "The target does not vary.")
    mean = np.average(case.y, weights=case.design.weight) if case.design.fit_intercept else 0.0
    white = case.design.whiten(case.y - mean)
    products = np.sum([white[rows] @ block for rows, block in case.design.rows()], axis=0)
    usable = case.design.scale > 0.0
    correlation = np.zeros(case.design.n_features)
    correlation[usable] = np.abs(products[usable]) / case.design.scale[usable]
    correlation /= np.sqrt(case.total)
    suspects = np.flatnonzero(correlation > 0.999)
    # Two rows always lie on a line; a few rows often nearly do.
    alarmed = len(suspects) > 0 and case.design.n_samples >= 20
    return conclude(
        about,
        "largest |correlation|",
        float(correlation.max()),
        "warning" if alarmed else "ok",
        f"{case.names[int(correlation.argmax())]} has correlation {correlation.max():.4f} with the "
        "target.",
        "Make sure that this column is known before the target is, and not computed from it.",
        columns=tuple(case.names[j] for j in suspects),
    )


def _outlier_pvalue(case: LinearCase) -> NDArray[np.float64]:
    """Probability, for every row, that the largest of all studentised residuals is as large."""
    from scipy.special import stdtr

    df = max(case.df_resid - 1, 1)
    single = 2.0 * stdtr(df, -np.abs(case.influence.studentized_external))
    pvalue: NDArray[np.float64] = np.minimum(1.0, case.design.n_samples * single)
    return pvalue
