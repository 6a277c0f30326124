"""How a model's prediction changes with one or two features."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gramian._column_blocks import as_frame
from gramian._typing import Floats
from gramian.base import is_classifier, is_regressor
from gramian.datasets import Bunch
from gramian.inspection._columns import Columns, columns_of
from gramian.inspection._dependence.features import (
    categorical_flags,
    check_names,
    feature_position,
    feature_positions,
)
from gramian.inspection._dependence.grid import check_percentiles, custom_axis, grid_axis
from gramian.inspection._dependence.response import response_of
from gramian.params import Arrays, Estimator, Integer, Mappings, Nothing, OneOf, check_arguments
from gramian.validation import check_array, check_is_fitted, check_sample_weight

Kind = Literal["average", "individual", "both"]

BATCH_ROWS = 20_000
"""Rows of one call of the model: points of the grid are joined until there are so many."""

RECURSION = "_compute_partial_dependence_recursion"
"""Method of (grid, columns) by which a tree model averages over its own training rows."""

_BY_BRUTE_FORCE = {"ExtraTreesRegressor"}  # has the method, but scikit-learn does not use it


@dataclass(frozen=True)
class _Request:
    """What to compute: columns, the values for each of them, and the model's methods."""

    estimator: Any
    columns: list[int]
    axes: list[NDArray[Any]]
    methods: Sequence[str]
    sample_weight: Floats | None
    kind: Kind


def partial_dependence(
    estimator: Any,
    X: Any,
    features: Any,
    *,
    sample_weight: Any = None,
    categorical_features: Any = None,
    feature_names: Any = None,
    response_method: str = "auto",
    percentiles: tuple[float, float] = (0.05, 0.95),
    grid_resolution: int = 100,
    custom_values: dict[Any, Any] | None = None,
    method: str = "auto",
    kind: Kind = "average",
) -> Bunch:
    r"""Average a model's predictions while some features are set to chosen values.

    For features S and values v, the partial dependence is
    :math:`\frac{1}{n} \sum_i f(x_i \text{ with } x_{iS} = v)`; the single terms are the
    individual conditional expectations (ICE).

    Parameters
    ----------
    estimator : fitted classifier or regressor
    X : array-like or data frame of shape (n_samples, n_features)
        The rows to average over; the values of the features are taken from them too.
    features : int, str, or array-like of them, or a mask
        The features that are set, all at once; usually one or two.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the average. The individual curves have none.
    categorical_features : array-like of bool, int or str, optional
        Features of which every value is taken, and no value between them.
    feature_names : array-like of shape (n_features,), optional
        Names; by default those of the data frame, else x0, x1, ...
    response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
        What a classifier is asked for; "auto" takes the first that it has.
    percentiles : tuple of float, default=(0.05, 0.95)
        Quantiles of the feature between which the values lie.
    grid_resolution : int, default=100
        The number of values; a feature with fewer distinct values takes those.
    custom_values : dict, optional
        Feature -> values, in place of those.
    method : {"auto", "recursion", "brute"}, default="auto"
        "brute" predicts all rows at all values; "recursion" averages over the training rows
        inside the trees of a regression tree, a random forest of regression, or boosting; "auto"
        takes the latter where it can. Of boosting, recursion gives the sum of the trees: scores
        without their start.
    kind : {"average", "individual", "both"}, default="average"
        Whether to give the average, the curve of each row, or both.

    Returns
    -------
    Bunch
        With `grid_values`, a list of one array for each feature; `average`, of shape
        (n_outputs, len(values[0]), len(values[1]), ...); `individual`, of shape
        (n_outputs, n_samples, len(values[0]), ...). There is one output for each of three or more
        classes, or for each target of a regressor.

    Examples
    --------
    >>> from gramian.inspection import partial_dependence
    >>> from gramian.linear_model import LinearRegression
    >>> X = [[0.0, 1.0], [1.0, 3.0], [2.0, 1.0]]
    >>> model = LinearRegression().fit(X, [1.0, 3.0, 5.0])
    >>> partial_dependence(model, X, features=[0]).average.round(6)
    array([[1., 3., 5.]])
    """
    _check(estimator, features, response_method, grid_resolution, method, kind, custom_values)
    _check_model(estimator, response_method)
    method = _method(estimator, method, kind, response_method, sample_weight)
    X = readable(X)
    table = columns_of(X)
    weight = None if sample_weight is None else check_sample_weight(sample_weight, X)
    names = check_names(table, feature_names)
    columns = feature_positions(features, table, names)
    flags = categorical_flags(categorical_features, columns, names, table.n_columns)
    ends = check_percentiles(percentiles, grid_resolution)
    custom = {feature_position(key, names): value for key, value in (custom_values or {}).items()}
    _refuse_integers(table, columns, flags, names)
    axes = [
        custom_axis(place, custom[column])
        if column in custom
        else grid_axis(place, table.values(column), ends, grid_resolution, is_category)
        for place, (column, is_category) in enumerate(zip(columns, flags, strict=True))
    ]
    if method == "recursion":
        return Bunch(grid_values=axes, average=_by_recursion(estimator, columns, axes))
    methods = _methods(estimator, response_method)
    request = _Request(estimator, columns, axes, methods, weight, kind)
    return Bunch(grid_values=axes, **_by_brute_force(request, table))


def readable(X: Any) -> Any:
    """Return a data frame or array as it is, anything else as an array of objects."""
    if as_frame(X) is not None or isinstance(X, np.ndarray):
        return X
    if hasattr(X, "__array__") and not hasattr(X, "tocsr"):
        return np.asarray(X)
    return check_array(X, dtype=object, ensure_all_finite="allow-nan")


# -- arguments -------------------------------------------------------------------------------------


class _Features(Arrays):
    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) or Integer().accepts(value) or super().accepts(value)

    def describe(self) -> str:
        return "an array-like, an int or a str"


def _check(
    estimator: Any,
    features: Any,
    response_method: Any,
    grid_resolution: Any,
    method: Any,
    kind: Any,
    custom_values: Any,
) -> None:
    predicts = [
        Estimator(("fit", name)) for name in ("predict", "predict_proba", "decision_function")
    ]
    check_arguments(
        "partial_dependence",
        estimator=(estimator, predicts[0] | predicts[1] | predicts[2]),
        features=(features, _Features()),
        response_method=(response_method, OneOf("auto", "predict_proba", "decision_function")),
        grid_resolution=(grid_resolution, Integer(1)),
        method=(method, OneOf("auto", "recursion", "brute")),
        kind=(kind, OneOf("average", "individual", "both")),
        custom_values=(custom_values, Mappings() | Nothing()),
    )


def _check_model(estimator: Any, response_method: str) -> None:
    check_is_fitted(estimator)
    if not (is_classifier(estimator) or is_regressor(estimator)):
        raise ValueError("'estimator' must be a fitted regressor or classifier.")
    if is_classifier(estimator) and isinstance(estimator.classes_[0], np.ndarray):
        raise ValueError("Multiclass-multioutput estimators are not supported")
    if is_regressor(estimator) and response_method != "auto":
        raise ValueError(
            "The response_method parameter is ignored for regressors and must be 'auto'. "
            f"Got {response_method!r}."
        )


def _method(estimator: Any, method: str, kind: str, response: str, weight: Any) -> str:
    """Return "recursion" or "brute"."""
    can = hasattr(estimator, RECURSION) and type(estimator).__name__ not in _BY_BRUTE_FORCE
    if method == "auto":
        fits = can and kind == "average" and weight is None and _may_recur(estimator)
        method = "recursion" if fits else "brute"
    if method == "brute":
        return method
    if kind != "average":
        raise ValueError("The 'recursion' method only applies when 'kind' is set to 'average'")
    if weight is not None:
        raise ValueError("The 'recursion' method can only be applied when sample_weight is None.")
    if not can:
        raise ValueError(
            "Only the following estimators support the 'recursion' method: trees of regression, "
            f"random forests of regression and boosting. {type(estimator).__name__} does not. "
            "Try using method='brute'."
        )
    if response == "predict_proba":
        raise ValueError(
            "With the 'recursion' method, the response_method must be 'decision_function'. "
            f"Got {response}."
        )
    return method


def _may_recur(estimator: Any) -> bool:
    """Tell whether the trees say it all: a first guess of boosting is no part of them."""
    has_init = getattr(estimator, "init", None) is not None
    reads_text = bool(getattr(vars(estimator).get("_table_levels"), "readings", ()))
    return not has_init and not reads_text and getattr(estimator, "_no_recursion", None) is None


def _methods(estimator: Any, response_method: str) -> Sequence[str]:
    if is_regressor(estimator):
        return ("predict",)
    automatic = response_method == "auto"
    return ("predict_proba", "decision_function") if automatic else (response_method,)


def _refuse_integers(
    table: Columns, columns: Sequence[int], flags: Sequence[bool], names: Sequence[Any]
) -> None:
    for column, is_category in zip(columns, flags, strict=True):
        if not is_category and table.is_integer(column):
            shown = names[column] if table.names else column
            raise ValueError(
                f"The column {shown!r} contains integer data. Partial dependence plots are not "
                "supported for integer data: values between two integers would be rounded. "
                "Convert the column to floats, or name it in `categorical_features`."
            )


# -- the two methods -------------------------------------------------------------------------------


def _by_recursion(estimator: Any, columns: list[int], axes: list[NDArray[Any]]) -> Floats:
    points = np.meshgrid(*axes, indexing="ij")
    grid = np.column_stack([values.ravel() for values in points])
    average = getattr(estimator, RECURSION)(grid, np.array(columns, dtype=np.intp))
    return np.asarray(average).reshape(-1, *map(len, axes))


def _by_brute_force(request: _Request, table: Columns) -> dict[str, Floats]:
    """Return the averages and the curves of all rows, whichever were asked for."""
    average, individual = [], []
    for responses in _responses(request, table):
        if request.kind != "individual":
            average.append(np.average(responses, axis=1, weights=request.sample_weight))
        if request.kind != "average":
            individual.append(responses)
    shape = tuple(map(len, request.axes))
    result = {}
    if average:  # from (points, outputs)
        joined = np.concatenate(average)
        result["average"] = joined.reshape(len(joined), -1).T.reshape(-1, *shape)
    if individual:  # from (points, rows, outputs)
        joined = np.concatenate(individual)
        joined = joined.reshape(len(joined), table.n_rows, -1)
        result["individual"] = joined.T.reshape(-1, table.n_rows, *shape)
    return result


def _responses(request: _Request, table: Columns) -> Iterator[Floats]:
    """Yield the responses of all rows at some points of the grid, (points, rows[, outputs])."""
    points = list(product(*(range(len(axis)) for axis in request.axes)))
    n_joined = max(1, min(len(points), BATCH_ROWS // table.n_rows))
    tiled = table
    for start in range(0, len(points), n_joined):
        part = np.array(points[start : start + n_joined])
        if tiled.n_rows != len(part) * table.n_rows:
            tiled = table.rows(np.tile(np.arange(table.n_rows), len(part)))
        values = {
            column: np.repeat(axis[places], table.n_rows)
            for column, axis, places in zip(request.columns, request.axes, part.T, strict=True)
        }
        response, _ = response_of(request.estimator, tiled.replaced(values), request.methods)
        response = np.asarray(response)
        yield response.reshape(len(part), table.n_rows, *response.shape[1:])
