"""Names and origin of the columns that a fitted model's coefficients belong to."""

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


def one_hot_groups(model: Any) -> tuple[tuple[int, ...], ...]:
    """Return the groups of columns that a model's table encoding made of one category each.

    The 0/1 columns of a group add up to one in every row, so that beside an intercept they are
    linearly dependent by construction.

    Parameters
    ----------
    model : estimator
        Fitted estimator.

    Returns
    -------
    groups : tuple of tuple of int
        Positions of the columns of each one-hot encoded category.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from gramian.diagnostics import one_hot_groups
    >>> one_hot_groups(SimpleNamespace(n_features_in_=2))
    ()
    """
    encoding = getattr(model, "encoding_", None)
    groups, start = [], 0
    for column in encoding.columns_ if encoding is not None else ():
        stop = start + len(column.outputs)
        if getattr(column, "method", "") == "one-hot":
            groups.append(tuple(range(start, stop)))
        start = stop
    return tuple(groups)
