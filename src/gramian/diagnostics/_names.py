"""Names for the columns that a fitted model's coefficients belong to."""

from __future__ import annotations

from typing import Any


def column_names(model: Any) -> tuple[str, ...]:
    """Return one name per column of the matrix that a fitted model works on.

    These are the names of the model's table encoding, else those of the data frame it was fitted
    on, else ``x0``, ``x1``, ...

    Parameters
    ----------
    model : estimator
        Fitted estimator with `n_features_in_`.

    Returns
    -------
    names : tuple of str
        Names in the order of the coefficients.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from gramian.diagnostics import column_names
    >>> column_names(SimpleNamespace(n_features_in_=2))
    ('x0', 'x1')
    """
    encoding = getattr(model, "encoding_", None)
    if encoding is not None:
        return tuple(str(name) for name in encoding.get_feature_names_out())
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        return tuple(str(name) for name in names)
    return tuple(f"x{j}" for j in range(model.n_features_in_))
