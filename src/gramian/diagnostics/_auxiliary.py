"""Tests made of an auxiliary regression: variance, form, and serial dependence."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramian._typing import Floats
from gramian.diagnostics._design import Design, as_design, check_vector, check_weight
from gramian.diagnostics._results import FTest, LagrangeTest
from gramian.diagnostics._tails import chi2_sf, f_sf


def breusch_pagan(
    resid: ArrayLike,
    X: ArrayLike | Design,
    *,
    robust: bool = True,
    sample_weight: ArrayLike | None = None,
) -> LagrangeTest:
    """Breusch-Pagan test that the variance of the errors does not depend on the features.

    The squared residuals are regressed on an intercept and `X`.

    Parameters
    ----------
    resid : array-like of shape (n_samples,)
        Residuals of the model.
    X : array-like, sparse matrix or Design of shape (n_samples, n_features)
        Variables the variance may depend on, without a column of ones.
    robust : bool, default=True
        Use Koenker's form ``n R^2``, valid for errors that are not normal; False gives the original
        half explained sum of squares.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of a weighted fit; residuals are multiplied by their square roots.

    Returns
    -------
    result : LagrangeTest
        `statistic`, `pvalue`, `f_statistic` and `f_pvalue`.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.diagnostics import breusch_pagan
    >>> x = np.linspace(1.0, 10.0, 40)
    >>> resid = x * np.where(np.arange(40) % 2, 1.0, -1.0)  # the spread grows with x
    >>> breusch_pagan(resid, x[:, None]).pvalue < 1e-6
    True
    """
    design = as_design(X)
    e = check_vector(resid, "resid", design.n_samples)
    if sample_weight is not None:
        e = e * np.sqrt(check_weight(sample_weight, len(e)))
    return variance_test(e, design, design.n_features, robust=robust)


def white_test(
    resid: ArrayLike, X: ArrayLike | Design, *, sample_weight: ArrayLike | None = None
) -> LagrangeTest:
    """White's test of constant variance against any smooth dependence on the features.

    As `breusch_pagan`, on the features, their squares and their products.

    Parameters
    ----------
    resid : array-like of shape (n_samples,)
        Residuals of the model.
    X : array-like, sparse matrix or Design of shape (n_samples, n_features)
        Features, without a column of ones. The auxiliary regression has
        ``(n_features + 1) (n_features + 2) / 2`` columns.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of a weighted fit; residuals are multiplied by their square roots.

    Returns
    -------
    result : LagrangeTest
        `statistic`, `pvalue`, `f_statistic` and `f_pvalue`.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.diagnostics import white_test
    >>> x = np.linspace(-5.0, 5.0, 40)
    >>> resid = x * np.where(np.arange(40) % 2, 1.0, -1.0)  # spread grows both ways from zero
    >>> white_test(resid, x[:, None]).pvalue < 1e-6
    True
    """
    base = as_design(X)
    e = check_vector(resid, "resid", base.n_samples)
    if sample_weight is not None:
        e = e * np.sqrt(check_weight(sample_weight, len(e)))
    with_ones = np.column_stack([np.ones(base.n_samples), _standardised(base)])
    first, second = np.triu_indices(with_ones.shape[1])
    products = with_ones[:, first[1:]] * with_ones[:, second[1:]]
    design = Design(products)
    return variance_test(e, design, design.rank - 1)


def variance_test(e: Floats, design: Design, df: int, *, robust: bool = True) -> LagrangeTest:
    """Regress squared residuals on an unweighted design with intercept; LM and F test."""
    squares = np.square(e)
    if not robust:
        squares = squares / squares.mean()
    total = float(np.square(squares - squares.mean()).sum())
    left = float(np.square(design.residuals(squares)).sum())
    n, df_model = design.n_samples, design.rank - 1
    df_resid = n - design.rank
    lagrange = n * (1.0 - left / total) if robust else (total - left) / 2.0
    f = (total - left) / df_model / (left / df_resid) if df_resid > 0 else np.nan
    return LagrangeTest(
        lagrange, float(chi2_sf(lagrange, df)), f, float(f_sf(f, df_model, df_resid))
    )


def breusch_godfrey(
    resid: ArrayLike, X: ArrayLike | Design, lags: int | None = None
) -> LagrangeTest:
    """Breusch-Godfrey test of autocorrelation of the errors up to a given lag.

    The residuals are regressed on an intercept, `X` and their own lags (zero before the first row).
    Unlike the Durbin-Watson statistic it has a p-value for any design.

    Parameters
    ----------
    resid : array-like of shape (n_samples,)
        Residuals in the order of the observations.
    X : array-like, sparse matrix or Design of shape (n_samples, n_features)
        Features of the model, without a column of ones.
    lags : int, default=None
        Largest lag; None takes ``min(10, n_samples // 5)``.

    Returns
    -------
    result : LagrangeTest
        `statistic`, `pvalue`, `f_statistic` and `f_pvalue`.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.diagnostics import breusch_godfrey
    >>> time = np.arange(50.0)
    >>> breusch_godfrey(np.sin(time / 5.0), time[:, None], lags=1).pvalue < 1e-6
    True
    """
    design = as_design(X)
    e = check_vector(resid, "resid", design.n_samples)
    n = len(e)
    largest = min(10, n // 5) if lags is None else lags
    if not 1 <= largest < n - design.rank:
        raise ValueError(
            f"lags={largest} must lie between 1 and n_samples - n_parameters - 1 = "
            f"{n - design.rank - 1}."
        )
    lagged = np.column_stack([np.concatenate([np.zeros(k), e[:-k]]) for k in range(1, largest + 1)])
    # Residuals of a model without intercept need not have mean zero; the lags must explain what
    # the design with intercept leaves, hence the projection of `e` itself.
    start = design.residuals(e)
    gain, df = explained(start, design, lagged)
    total = float(np.square(e - e.mean()).sum())
    left = float(start @ start) - gain
    df_resid = n - design.rank - df
    lagrange = n * (1.0 - left / total)
    f = gain / df / (left / df_resid)
    return LagrangeTest(
        lagrange, float(chi2_sf(lagrange, largest)), f, float(f_sf(f, df, df_resid))
    )


def ramsey_reset(
    X: ArrayLike | Design,
    y: ArrayLike,
    *,
    power: int = 3,
    test_type: str = "fitted",
    sample_weight: ArrayLike | None = None,
    fit_intercept: bool = True,
) -> FTest:
    """Ramsey's RESET test of linear form.

    Least squares of `y` on `X` is compared with least squares that also has the powers
    2, ..., `power` of the fitted values, or of the features.

    Parameters
    ----------
    X : array-like, sparse matrix or Design of shape (n_samples, n_features)
        Features, without a column of ones.
    y : array-like of shape (n_samples,)
        Target.
    power : int, default=3
        Largest power.
    test_type : {"fitted", "exog"}, default="fitted"
        Which variable to raise: the fitted values, or each feature with more than two values.
        The former misses a curve that the fitted line does not follow, as a parabola around its
        vertex; the latter needs more columns.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    fit_intercept : bool, default=True
        Whether the model has an intercept.

    Returns
    -------
    result : FTest
        `statistic`, `pvalue`, `df_num` and `df_denom`.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.diagnostics import ramsey_reset
    >>> x = np.linspace(0.0, 4.0, 30)
    >>> wiggle = 0.1 * np.where(np.arange(30) % 2, 1.0, -1.0)
    >>> ramsey_reset(x[:, None], np.exp(x) + wiggle).pvalue < 1e-6
    True
    >>> ramsey_reset(x[:, None], 2.0 * x + wiggle).pvalue > 0.1
    True
    """
    if power < 2:
        raise ValueError(f"power={power} must be at least 2.")
    design = as_design(X, sample_weight=sample_weight, fit_intercept=fit_intercept)
    target = check_vector(y, "y", design.n_samples)
    if test_type == "fitted":
        whitened = design.whiten(target)
        root = design.whiten(np.ones(design.n_samples))
        fitted = np.divide(
            whitened - design.residuals(whitened), root, where=root > 0.0, out=np.zeros_like(root)
        )
        raised = _comparable(fitted[:, None], centre=fit_intercept)
    elif test_type == "exog":
        raised = _standardised(design)[:, curved_columns(design)]
    else:
        raise ValueError(f"test_type={test_type!r} must be 'fitted' or 'exog'.")
    return form_test(design, target, raised, power)


def form_test(design: Design, target: Floats, raised: Floats, power: int) -> FTest:
    """F test that powers of the `raised` variables add nothing to the design."""
    extra = np.column_stack([raised**k for k in range(2, power + 1)])
    left = design.residuals(design.whiten(target))
    gain, df = explained(left, design, design.whiten(extra))
    df_resid = design.n_samples - design.rank - df
    if df == 0 or df_resid <= 0:
        raise ValueError(
            f"no degrees of freedom are left: {design.n_samples} rows, {design.rank} parameters "
            f"and {df} further terms."
        )
    f = gain / df / ((float(left @ left) - gain) / df_resid)
    return FTest(f, float(f_sf(f, df, df_resid)), df, df_resid)


def rainbow_test(
    X: ArrayLike | Design, y: ArrayLike, *, fraction: float = 0.5, fit_intercept: bool = True
) -> FTest:
    """Rainbow test of linear form (Utts, 1982).

    A curve looks straight near its centre: least squares on the rows in the middle is compared
    with least squares on all. Rows are taken in the order given; sort them by the feature in
    question first.

    Parameters
    ----------
    X : array-like, sparse matrix or Design of shape (n_samples, n_features)
        Features, without a column of ones.
    y : array-like of shape (n_samples,)
        Target.
    fraction : float, default=0.5
        Share of the rows that make the middle.
    fit_intercept : bool, default=True
        Whether the model has an intercept.

    Returns
    -------
    result : FTest
        `statistic`, `pvalue`, `df_num` and `df_denom`.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.diagnostics import rainbow_test
    >>> x = np.linspace(-1.0, 1.0, 40)
    >>> wiggle = 0.05 * np.where(np.arange(40) % 2, 1.0, -1.0)
    >>> rainbow_test(x[:, None], x**2 + wiggle).pvalue < 1e-3
    True
    """
    if not 0.0 < fraction < 1.0:
        raise ValueError(f"fraction={fraction} must lie strictly between 0 and 1.")
    whole = as_design(X, fit_intercept=fit_intercept)
    target = check_vector(y, "y", whole.n_samples)
    n = whole.n_samples
    first = int(np.ceil(0.5 * (1.0 - fraction) * n))
    middle = slice(first, int(np.floor(first + fraction * n)))
    part = Design(whole.X[middle], fit_intercept=fit_intercept)
    df = part.n_samples - part.rank
    if df <= 0:
        raise ValueError(
            f"fraction={fraction} leaves {part.n_samples} rows for {part.rank} parameters."
        )
    all_left = float(np.square(whole.residuals(target)).sum())
    middle_left = float(np.square(part.residuals(target[middle])).sum())
    df_num = n - part.n_samples
    f = (all_left - middle_left) / df_num / (middle_left / df)
    return FTest(f, float(f_sf(f, df_num, df)), df_num, df)


def curved_columns(design: Design) -> NDArray[np.int64]:
    """Return the columns with more than two distinct values: only those can be curved."""
    low, high = design.column_range()
    curved = np.zeros(design.n_features, dtype=bool)
    for _, block in design.rows_unweighted():
        curved |= ((block != low) & (block != high)).any(axis=0)
    return np.flatnonzero(curved)


def explained(left: Floats, design: Design, extra: Floats) -> tuple[float, int]:
    """Return the sum of squares of `left` that further columns explain, and how many count.

    `left` is orthogonal to the design; so must be what is left of the columns.
    """
    before = np.linalg.norm(extra, axis=0)
    beyond = design.residuals(extra)
    norms = np.linalg.norm(beyond, axis=0)
    new = norms > 1e-10 * before
    u, values, _ = np.linalg.svd(beyond[:, new] / norms[new], full_matrices=False)
    kept = values > max(extra.shape) * np.finfo(np.float64).eps * values.max(initial=0.0)
    return float(np.square(u[:, kept].T @ left).sum()), int(kept.sum())


def _standardised(design: Design) -> Floats:
    """Return the columns in comparable units: powers of them are then well conditioned."""
    values = np.vstack([block for _, block in design.rows_unweighted()])
    return _comparable(values, centre=design.fit_intercept)


def _comparable(values: Floats, *, centre: bool) -> Floats:
    # A shift changes the span of the powers unless the design has an intercept and the variable.
    shifted = values - values.mean(axis=0) if centre else values
    norms = np.sqrt(np.square(shifted).mean(axis=0))
    return shifted / np.where(norms > 0.0, norms, 1.0)
