"""Functions that return the built-in tables in scikit-learn's form."""

from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from gramian.datasets._arguments import checked
from gramian.datasets._builtin import BuiltinTable, Library
from gramian.datasets._bunch import Bunch
from gramian.datasets._frames import with_target
from gramian.datasets._tables import (
    AUTO_MPG,
    BREAST_CANCER,
    DIABETES,
    DIGITS,
    IRIS,
    PLAY_TENNIS,
    WINE,
)
from gramian.params import Boolean, Integer, OneOf

_DATA_MODULE = "gramian.datasets.data"
_LIBRARY = OneOf(*get_args(Library))


@checked()
def load_iris(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the measurements of 150 irises (three classes, 4 numeric columns).

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a `Bunch`.
    as_frame : bool, default=False
        Return pandas objects; `frame` is then the table of data and target.

    Returns
    -------
    Bunch or tuple
        With `data` (150, 4), `target` (150,), `target_names`, `feature_names`, `DESCR`, `frame`
        and the name of the file; or ``(data, target)``.

    Examples
    --------
    >>> from gramian.datasets import load_iris
    >>> iris = load_iris()
    >>> iris.data.shape, iris.target_names[iris.target[[0, 50, 149]]]
    ((150, 4), array(['setosa', 'versicolor', 'virginica'], dtype='<U10'))
    """
    bunch = _load_classes(IRIS, as_frame)
    bunch.update(filename=IRIS.filename, data_module=_DATA_MODULE)
    return (bunch.data, bunch.target) if return_X_y else bunch


@checked()
def load_wine(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the chemistry of 178 wines (three classes, 13 numeric columns).

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a `Bunch`.
    as_frame : bool, default=False
        Return pandas objects; `frame` is then the table of data and target.

    Returns
    -------
    Bunch or tuple
        With `data` (178, 13), `target` (178,), `target_names`, `feature_names`, `DESCR` and
        `frame`; or ``(data, target)``.

    Examples
    --------
    >>> from gramian.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> X.shape, y[[0, 60, 177]]
    ((178, 13), array([0, 1, 2]))
    """
    bunch = _load_classes(WINE, as_frame)
    return (bunch.data, bunch.target) if return_X_y else bunch


@checked()
def load_breast_cancer(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the diagnosis of 569 breast tumours (two classes, 30 numeric columns).

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a `Bunch`.
    as_frame : bool, default=False
        Return pandas objects; `frame` is then the table of data and target.

    Returns
    -------
    Bunch or tuple
        With `data` (569, 30), `target` (569,), `target_names`, `feature_names`, `DESCR`, `frame`
        and the name of the file; or ``(data, target)``. Class 0 is malignant, class 1 benign.

    Examples
    --------
    >>> from gramian.datasets import load_breast_cancer
    >>> tumours = load_breast_cancer()
    >>> tumours.data.shape, tumours.target_names
    ((569, 30), array(['malignant', 'benign'], dtype='<U9'))
    """
    bunch = _load_classes(BREAST_CANCER, as_frame)
    # The names are an array here, as in scikit-learn.
    bunch.update(
        feature_names=np.array(bunch.feature_names),
        filename=BREAST_CANCER.filename,
        data_module=_DATA_MODULE,
    )
    return (bunch.data, bunch.target) if return_X_y else bunch


@checked(n_class=Integer(1, 10, closed="both"))
def load_digits(*, n_class: int = 10, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load 1797 handwritten digits (ten classes, images of 8 x 8 pixels).

    Parameters
    ----------
    n_class : int, default=10
        Keep only the digits below this one, 1 to 10.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a `Bunch`.
    as_frame : bool, default=False
        Return pandas objects; `frame` is then the table of data and target.

    Returns
    -------
    Bunch or tuple
        With `data` (1797, 64), `target` (1797,), `images` (1797, 8, 8), `target_names`,
        `feature_names`, `DESCR` and `frame`; or ``(data, target)``.

    Examples
    --------
    >>> from gramian.datasets import load_digits
    >>> digits = load_digits(n_class=2)
    >>> digits.images.shape, digits.target[:4]
    ((360, 8, 8), array([0, 1, 0, 1]))
    """
    data, target, feature_names = _read_classes(DIGITS)
    kept = target < n_class
    data, target = data[kept], target[kept]
    images = data.reshape(-1, 8, 8)
    X, y, frame = with_target(data, target, feature_names, as_frame=as_frame)
    if return_X_y:
        return X, y
    return Bunch(
        data=X,
        target=y,
        frame=frame,
        feature_names=feature_names,
        target_names=np.arange(10),
        images=images,
        DESCR=DIGITS.descr,
    )


@checked(scaled=Boolean())
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
    columns = DIABETES.columns()
    target = np.array(columns.pop("target"), dtype=np.float64)
    data = _matrix(columns)
    if scaled:
        data = _unit_columns(data)
    feature_names = list(columns)
    X, y, frame = with_target(data, target, feature_names, as_frame=as_frame)
    if return_X_y:
        return X, y
    return Bunch(
        data=X,
        target=y,
        frame=frame,
        feature_names=feature_names,
        DESCR=DIABETES.descr,
        data_filename=DIABETES.filename,
        target_filename=DIABETES.filename,
        data_module=_DATA_MODULE,
    )


@checked(library=_LIBRARY)
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
    bunch = _load_mixed(AUTO_MPG, library)
    return (bunch.data, bunch.target) if return_X_y else bunch


@checked(library=_LIBRARY)
def load_play_tennis(*, return_X_y: bool = False, library: Library = "pandas") -> Any:
    """Load the 14 days of weather of the textbooks (two classes, 4 categorical columns).

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a `Bunch`.
    library : {"pandas", "polars", "pyarrow"}, default="pandas"
        The library whose data frame is returned.

    Returns
    -------
    Bunch or tuple
        With `data` (data frame of Outlook, Temp, Humidity and Windy), `target` (array of 14 texts,
        Yes or No), `target_names`, `frame` (data and target), `feature_names`, `DESCR`; or
        ``(data, target)``.

    Examples
    --------
    >>> from gramian.datasets import load_play_tennis
    >>> days = load_play_tennis()
    >>> list(days.data.iloc[2]), str(days.target[2])
    (['Overcast', 'Hot', 'High', 'False'], 'Yes')
    """
    bunch = _load_mixed(PLAY_TENNIS, library)
    bunch.target_names = np.array(PLAY_TENNIS.classes)
    return (bunch.data, bunch.target) if return_X_y else bunch


def _load_classes(table: BuiltinTable, as_frame: bool) -> Bunch:
    data, target, feature_names = _read_classes(table)
    X, y, frame = with_target(data, target, feature_names, as_frame=as_frame)
    return Bunch(
        data=X,
        target=y,
        frame=frame,
        target_names=np.array(table.classes),
        DESCR=table.descr,
        feature_names=feature_names,
    )


def _read_classes(table: BuiltinTable) -> tuple[NDArray[np.float64], NDArray[np.int64], list[str]]:
    """Return the columns as a matrix, the target's codes and the columns' names."""
    columns = table.columns()
    code_of = {name: code for code, name in enumerate(table.classes)}
    target = np.array([code_of[str(name)] for name in columns.pop(table.target)], dtype=np.int64)
    return _matrix(columns), target, list(columns)


def _load_mixed(table: BuiltinTable, library: Library) -> Bunch:
    import narwhals as nw

    frame = table.frame(library)
    feature_names = [name for name in nw.from_native(frame).columns if name != table.target]
    return Bunch(
        data=nw.from_native(frame).drop(table.target).to_native(),
        target=np.array(table.columns()[table.target]),
        frame=frame,
        feature_names=feature_names,
        DESCR=table.descr,
        data_filename=table.filename,
        target_filename=table.filename,
        data_module=_DATA_MODULE,
    )


def _matrix(columns: dict[str, Any]) -> NDArray[np.float64]:
    return np.column_stack([np.array(values, dtype=np.float64) for values in columns.values()])


def _unit_columns(data: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = data - data.mean(axis=0)
    scaled: NDArray[np.float64] = centred / np.sqrt((centred**2).sum(axis=0))
    return scaled
