"""Rows and targets in the form that native functions take."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian import _core
from gramian._rows import take_rows
from gramian._typing import Floats

__all__ = ["TrainingData", "contiguous_rows"]


def contiguous_rows(X: Any, dtype: Any) -> Any:
    """Return a matrix of this type whose rows lie each in one piece."""
    if isinstance(X, np.ndarray):
        X = X.astype(dtype, copy=False)
        return X if X.shape[1] <= 1 or X.strides[1] == X.itemsize else np.ascontiguousarray(X)
    return X if X.dtype == dtype else X.astype(dtype)


@dataclass(frozen=True)
class TrainingData:
    """Rows with targets (numbers, or codes of classes) and weights."""

    X: Any
    values: NDArray[Any] | None
    codes: NDArray[np.int32] | None
    weight: Floats | None

    @staticmethod
    def of(X: Any, target: NDArray[Any], weight: Floats | None, dtype: Any) -> "TrainingData":
        """Return rows in one precision; a target of one axis are codes."""
        codes = values = None
        if target.ndim == 1:
            codes = np.ascontiguousarray(target, dtype=np.int32)
        else:
            values = np.ascontiguousarray(target, dtype=dtype)
        return TrainingData(contiguous_rows(X, dtype), values, codes, weight)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def targets(self) -> NDArray[Any]:
        """The numbers, or the codes."""
        found = self.codes if self.values is None else self.values
        assert found is not None
        return found

    def native(self) -> _core.NetworkRows:
        """Return the native view."""
        return _core.NetworkRows(self.X, values=self.values, codes=self.codes, weight=self.weight)

    def take(self, rows: NDArray[np.intp]) -> "TrainingData":
        """Return some of the rows."""
        parts = [
            None if each is None else np.ascontiguousarray(each[rows])
            for each in (self.values, self.codes, self.weight)
        ]
        return TrainingData(take_rows(self.X, rows), *parts)

    def without_weightless(self) -> "TrainingData":
        """Return the rows that count: a weight of zero is no row."""
        if self.weight is None or (self.weight > 0).all():
            return self
        return self.take(np.flatnonzero(self.weight))
