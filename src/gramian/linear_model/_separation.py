"""The warning that logistic regression without penalty has no solution."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from gramian.diagnostics import Separation, check_separation, column_names
from gramian.exceptions import ConvergenceWarning, shared

# Log-odds beyond this are rare in fits that have an optimum: only then is separation looked for.
_LARGE_SCORE = 8.0


def separation_warning(
    X: Any, y: Any, *, fit_intercept: bool = True, names: Any = None, stacklevel: int = 2
) -> Separation:
    """Warn with the columns concerned if the classes are separated; return what was found.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        Features as the model sees them, rows of weight zero left out.
    y : ndarray of shape (n_samples,)
        Classes.
    fit_intercept : bool, default=True
        Whether the model has an intercept.
    names : sequence of str, default=None
        Names of the columns.
    stacklevel : int, default=2
        Where the warning points to, as in `warnings.warn`.
    """
    found = check_separation(X, y, fit_intercept=fit_intercept, names=names)
    if found:
        warnings.warn(
            f"{found} Add a penalty (a finite C), or use FirthLogisticRegression, whose estimates "
            "are always finite.",
            shared(ConvergenceWarning),
            stacklevel=stacklevel + 1,
        )
    return found


def warn_if_diverged(model: Any, X: Any, codes: Any, weight: Any) -> None:
    """Look for separation after an unpenalised fit whose scores are large, and warn if there is.

    Parameters
    ----------
    model : estimator
        Logistic regression with ``coef_`` and ``intercept_``.
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        Features as the model sees them.
    codes : ndarray of shape (n_samples,)
        Classes of the rows.
    weight : ndarray of shape (n_samples,) or None
        Weights of the rows.
    """
    scores = np.asarray(X @ model.coef_.T) + model.intercept_
    spread = np.abs(scores) if scores.shape[1] == 1 else np.ptp(scores, axis=1)
    if spread.max(initial=0.0) > _LARGE_SCORE and np.isfinite(scores).all():
        used = slice(None) if weight is None else np.flatnonzero(weight)
        names = column_names(model)
        separation_warning(
            X[used], codes[used], fit_intercept=bool(model.fit_intercept), names=names, stacklevel=4
        )
