"""Functions that return the built-in tables in scikit-learn's form."""

from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from gramian.datasets._bunch import Bunch
from gramian.datasets._registry import _AUTO_MPG, _DIABETES, BuiltinTable, Library
from gramian.exceptions import InvalidParameterError

__all__ = ["load_auto_mpg", "load_diabetes"]

_LIBRARIES = get_args(Library)


def load_diabetes(*, return_X_y: bool = False, as_frame: bool = False, scaled: bool = True) -> Any:
    """Load the diabetes progression of 442 patients (regression, 10 numeric columns).

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a `Bunch`.
    as_frame : bool, default=False
        Return pandas objects; `frame` is then the table of data and target.
    scaled : bool, default=True
        Centre each column and divide it by its standard deviation times the square root of the
        number of rows, so that its sum of squares is 1. False gives the measured values.

    Returns
    -------
    Bunch or tuple
        With `data` (442, 10), `target` (442,), `feature_names`, `DESCR`, `frame` and the names of
        the files; or ``(data, target)``.

    Examples
    --------
    >>> from gramian.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> X.shape, y[:3]
    ((442, 10), array([151.,  75., 141.]))
    """
    for name, value in (("return_X_y", return_X_y), ("as_frame", as_frame), ("scaled", scaled)):
        _check_bool("load_diabetes", name, value)
    columns = _DIABETES.columns()
    target: Any = np.array(columns.pop("target"), dtype=np.float64)
    data: Any = np.column_stack([np.array(v, dtype=np.float64) for v in columns.values()])
    if scaled:
        data = _unit_columns(data)
    feature_names = list(columns)
    frame = None
    if as_frame:
        import pandas as pd

        frame = pd.DataFrame(data, columns=feature_names).assign(target=target)
        data, target = frame[feature_names], frame["target"]
    if return_X_y:
        return data, target
    return _bunch(_DIABETES, data=data, target=target, frame=frame, feature_names=feature_names)


def load_auto_mpg(*, return_X_y: bool = False, library: Library = "pandas") -> Any:
    """Load the fuel use of 398 cars (regression; numbers, a category, text, missing values).

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a `Bunch`.
    library : {"pandas", "polars", "pyarrow"}, default="pandas"
        The library whose data frame is returned: a table of mixed types has no array form.

    Returns
    -------
    Bunch or tuple
        With `data` (data frame, 398 rows and 8 columns), `target` (array of 398), `frame` (data
        and target), `feature_names`, `DESCR`; or ``(data, target)``.

    Examples
    --------
    >>> from gramian.datasets import load_auto_mpg
    >>> cars = load_auto_mpg(library="polars")
    >>> cars.data.shape, cars.target[:3]
    ((398, 8), array([18., 15., 18.]))
    """
    _check_bool("load_auto_mpg", "return_X_y", return_X_y)
    if library not in _LIBRARIES:
        raise InvalidParameterError(
            f"The 'library' parameter of load_auto_mpg must be one of {', '.join(_LIBRARIES)}. "
            f"Got {library!r} instead."
        )
    import narwhals as nw

    frame = _AUTO_MPG.frame(library)
    data = nw.from_native(frame).drop(_AUTO_MPG.target).to_native()
    target = np.array(_AUTO_MPG.columns()[_AUTO_MPG.target], dtype=np.float64)
    if return_X_y:
        return data, target
    feature_names = [name for name in nw.from_native(frame).columns if name != _AUTO_MPG.target]
    return _bunch(_AUTO_MPG, data=data, target=target, frame=frame, feature_names=feature_names)


def _unit_columns(data: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = data - data.mean(axis=0)
    scaled: NDArray[np.float64] = centred / np.sqrt((centred**2).sum(axis=0))
    return scaled


def _bunch(table: BuiltinTable, **fields: Any) -> Bunch:
    return Bunch(
        **fields,
        DESCR=table.descr,
        data_filename=table.filename,
        target_filename=table.filename,
        data_module="gramian.datasets.data",
    )


def _check_bool(function: str, name: str, value: object) -> None:
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidParameterError(
            f"The {name!r} parameter of {function} must be True or False. Got {value!r} instead."
        )
