"""The warning that logistic regression without penalty has no solution."""

from __future__ import annotations

import warnings
from typing import Any

from gramian.diagnostics import Separation, check_separation
from gramian.exceptions import ConvergenceWarning, shared

__all__ = ["separation_warning"]


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
