"""Answers of a fitted model, frame by frame."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from gramian.blocks._dask_apply import lazy_answers
from gramian.blocks._dask_frames import is_dask
from gramian.blocks._scan import Scan, scan

__all__ = ["Answering", "answering", "apply"]


def apply(model: Any, source: Any, method: str = "predict") -> Any:
    """Return what a fitted model answers about the rows of each frame of a source.

    Parameters
    ----------
    model : estimator
        A fitted model or transformer.
    source : Scan, source or Dask collection
        A result of `scan`, or what it takes. Columns that the model was not fitted on, such as the
        target, are not read.
    method : str, default="predict"
        The method to call: "predict", "predict_proba", "transform", ...

    Returns
    -------
    iterator of ndarray or data frame, or Dask collection
        The answer for the rows of one frame after the other, in their order. Of a Dask collection
        it is another one, not yet computed: an Array of an Array, and of a DataFrame a Series or a
        DataFrame with its index.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from gramian import blocks
    >>> from gramian.linear_model import LinearRegression
    >>> frame = pd.DataFrame({"x": [0.0, 1.0, 2.0], "y": [1.0, 3.0, 5.0]})
    >>> model = LinearRegression().fit(frame[["x"]], frame["y"])
    >>> np.concatenate(list(blocks.apply(model, [frame, frame]))).round(6)
    array([1., 3., 5., 1., 3., 5.])
    """
    answer = getattr(model, method, None)
    if not callable(answer):
        raise AttributeError(f"{type(model).__name__} has no method {method!r}.")
    if is_dask(source):
        return lazy_answers(model, source, method)
    rows = source if isinstance(source, Scan) else scan(source)
    names = getattr(model, "feature_names_in_", None)
    return _answers(answer, rows, None if names is None else list(names))


class Answering:
    """A fitted model that answers about the rows of a scan, as others do about rows in memory."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._model, name)
        if name == "score":
            return partial(type(self._model).score, self)
        if name not in _RESPONSES:
            return found
        return lambda rows: np.concatenate([np.asarray(a) for a in apply(self._model, rows, name)])


_RESPONSES = ("predict", "predict_proba", "predict_log_proba", "decision_function")


def answering(model: Any, X: Any, y: Any) -> tuple[Any, Any, Any]:
    """Return what a score is taken of: for a scan a model that reads it, and the target whole."""
    if not isinstance(X, Scan) or isinstance(model, Answering):
        return model, X, y
    return Answering(model), X, None if y is None else X.target(y)


def _answers(answer: Any, rows: Scan, names: list[str] | None) -> Iterator[Any]:
    import narwhals.stable.v2 as nw

    for _, frame in rows.frames(names):
        chosen = nw.from_native(frame, eager_only=True)
        yield answer((chosen if names is None else chosen.select(names)).to_native())
