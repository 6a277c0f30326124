"""The data given to one's own estimator."""

from typing import Any

import numpy as np

from gramian._tags import tags_of
from gramian.table import as_table
from gramian.utils._arrays import check_array, check_X_y
from gramian.validation import check_n_features, check_y, match_names, set_feature_names


def validate_data(
    _estimator: Any,
    /,
    X: Any = "no_validation",
    y: Any = "no_validation",
    reset: bool = True,
    validate_separately: Any = False,
    skip_check_array: bool = False,
    **check_params: Any,
) -> Any:
    """Check the data given to a method of one's own estimator; set or compare its features.

    Parameters
    ----------
    _estimator : estimator
        The estimator.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features), default=none
    y : array-like of shape (n_samples,), default=none
        None raises ValueError if the estimator needs a target.
    reset : bool, default=True
        True, in ``fit``: set ``n_features_in_`` and ``feature_names_in_``. False: match the columns
        of a data frame by name with those, and compare their number.
    validate_separately : False or pair of dicts, default=False
        Arguments of `check_array` for `X` and for `y`, checked separately.
    skip_check_array : bool, default=False
        Whether to look at the features only, and return the data as they are.
    **check_params : dict
        Arguments of `check_array`, or of `check_X_y` if both are given.

    Returns
    -------
    X, y, or both
        Those that were given.

    Examples
    --------
    >>> from gramian.base import BaseEstimator
    >>> from gramian.utils.validation import validate_data
    >>> class Mean(BaseEstimator):
    ...     def fit(self, X, y=None):
    ...         self.mean_ = validate_data(self, X).mean(axis=0)
    ...         return self
    >>> Mean().fit([[1.0, 2.0], [3.0, 4.0]]).mean_
    array([2., 3.])
    """
    has_X, has_y = not _is_left_out(X), y is not None and not _is_left_out(y)
    if y is None and tags_of(_estimator).required_y:
        raise ValueError(
            f"This {type(_estimator).__name__} estimator requires y to be passed, but the target "
            "y is None."
        )
    if not has_X and not has_y:
        raise ValueError("Validation should be done on X, y or both.")
    if has_X:
        X = _with_names(_estimator, X, reset, skip_check_array)
    check_params = {"estimator": _estimator, **check_params}
    if not skip_check_array:
        X, y = _checked(X, y, (has_X, has_y), validate_separately, check_params)
    if has_X and not reset and hasattr(X, "shape") and len(X.shape) == 2:
        check_n_features(_estimator, X.shape[1])
    if has_X and has_y:
        return X, y
    return X if has_X else y


def _is_left_out(value: Any) -> bool:
    return isinstance(value, str) and value == "no_validation"


def _with_names(estimator: Any, X: Any, reset: bool, is_kept: bool) -> Any:
    """Set the features of an estimator, or return the columns in the order of its features."""
    if reset:
        set_feature_names(estimator, X)
        return X
    table = None if isinstance(X, np.ndarray) else as_table(X)
    matched = match_names(estimator, table)
    return X if matched is table or is_kept else X[list(estimator.feature_names_in_)]


def _checked(
    X: Any, y: Any, given: tuple[bool, bool], separately: Any, params: dict[str, Any]
) -> tuple[Any, Any]:
    has_X, has_y = given
    if has_X and has_y and not separately:
        return check_X_y(X, y, **params)
    for_X, for_y = separately or (params, params)
    if has_X:
        estimator = params["estimator"]
        X = check_array(X, **{"input_name": "X", "estimator": estimator, **for_X})
    if has_y and separately:
        y = check_array(y, **{"input_name": "y", "ensure_2d": False, **for_y})
    elif has_y:
        known = ("multi_output", "y_numeric", "estimator")
        y = check_y(y, **{name: for_y[name] for name in known if name in for_y})
    return X, y
