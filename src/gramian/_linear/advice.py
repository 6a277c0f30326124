"""What to change when a solver did not converge."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.exceptions import ConvergenceWarning, shared

__all__ = ["scale_advice", "warn_of_fits"]

# Standard deviations further apart than this slow every first-order method down.
_BAD_RATIO = 100.0
_ROWS = 10_000


def scale_advice(X: Any, names: Any = None) -> str:
    """Return a sentence that names columns of very different scale, or an empty text.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        What the solver worked on; up to 10,000 of its rows are looked at.
    names : sequence of str, optional
        Names of the columns.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # a spread that overflows is left out
        spread = _spread(X[:: max(X.shape[0] // _ROWS, 1)])
    varying = np.flatnonzero((spread > 0) & np.isfinite(spread))
    if len(varying) < 2:
        return ""
    low, high = varying[spread[varying].argmin()], varying[spread[varying].argmax()]
    if spread[high] < _BAD_RATIO * spread[low]:
        return ""
    labels = [f"column {j}" if names is None else repr(str(names[j])) for j in (low, high)]
    return (
        f"The columns are of very different scale (standard deviation {spread[low]:.2g} of "
        f"{labels[0]}, {spread[high]:.2g} of {labels[1]}), which slows the solver down: scale "
        "them, for example with gramian.preprocessing.StandardScaler."
    )


def _spread(rows: Any) -> NDArray[np.float64]:
    """Return the standard deviation of each column."""
    spread: NDArray[np.float64]
    if isinstance(rows, np.ndarray):
        spread = rows.std(axis=0, dtype=np.float64)
        return spread
    mean = np.asarray(rows.mean(axis=0)).ravel()
    squares = np.asarray(rows.multiply(rows).mean(axis=0)).ravel()
    spread = np.sqrt(np.maximum(squares - mean**2, 0.0))
    return spread


def warn_of_fits(
    failure: str, missed: tuple[int, int], worst: str, max_iter: int, advice: str = ""
) -> None:
    """Warn in one sentence of all fits of a cross-validation that did not converge.

    Parameters
    ----------
    failure : str
        What happened, in the words people search for.
    missed : (int, int)
        How many fits it concerns, of how many.
    worst : str
        How far the worst of them is from what was asked for.
    max_iter : int
        The limit that ended them.
    advice : str, default=""
        What else may help.
    """
    warnings.warn(
        f"{failure} in {missed[0]} of {missed[1]} fits: {worst}; raise max_iter={max_iter} or "
        f"tol, or scale the columns. {advice}".rstrip(),
        shared(ConvergenceWarning),
        stacklevel=5,
    )
