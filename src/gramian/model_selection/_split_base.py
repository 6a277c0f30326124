"""What all splitters share: the protocol, the checks of their input, and how they are shown."""

import inspect
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramian._labels import type_of_target
from gramian._requests import UNUSED, MetadataRequester
from gramian.validation import check_array, check_consistent_length, column_or_1d, n_samples_of

Indices = NDArray[np.intp]
Splits = Iterator[tuple[Indices, Indices]]

_LINE = 75  # characters after which the repr of a splitter goes on in the next line


class Splitter(MetadataRequester):
    """What every splitter can: show itself, be saved, and say whether it takes groups."""

    __metadata_request__split: ClassVar[dict[str, Any]] = {"groups": UNUSED}

    def __repr__(self) -> str:
        return splitter_text(self)

    def _check_state(self) -> None:
        missing = [name for name in _arguments(type(self)) if name not in vars(self)]
        if missing:
            raise ValueError(f"{', '.join(missing)} of the splitter are missing")


class GroupsConsumer:
    """Mixin of splitters that read the groups; they ask for them without being told to."""

    __metadata_request__split: ClassVar[dict[str, Any]] = {"groups": True}


class BaseCrossValidator(Splitter, ABC):
    """Base class of splitters whose training part is all rows outside the test part.

    A subclass writes ``get_n_splits`` and one of ``_iter_test_masks(X, y, groups)`` and
    ``_iter_test_indices(X, y, groups)``, which yield the rows of each test part.

    Examples
    --------
    >>> from gramian.model_selection import BaseCrossValidator
    >>> class FirstRow(BaseCrossValidator):
    ...     def get_n_splits(self, X=None, y=None, groups=None):
    ...         return 1
    ...     def _iter_test_indices(self, X=None, y=None, groups=None):
    ...         yield [0]
    >>> next(FirstRow().split([[1], [2], [3]]))
    (array([1, 2]), array([0]))
    """

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Splits:
        """Yield the row numbers of the training and of the test part, for each split.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            Only its number of rows is used.
        y : array-like of shape (n_samples,), optional
            The target; splitters that stratify read it.
        groups : array-like of shape (n_samples,), optional
            The group of each row; splitters of groups read it.
        """
        check_consistent_length(X, y, groups)
        for in_test in self._iter_test_masks(X, y, groups):
            yield np.flatnonzero(~in_test), np.flatnonzero(in_test)

    def _iter_test_masks(
        self, X: Any = None, y: Any = None, groups: Any = None
    ) -> Iterator[NDArray[np.bool_]]:
        n_samples = n_samples_of(X)
        for rows in self._iter_test_indices(X, y, groups):
            in_test = np.zeros(n_samples, dtype=np.bool_)
            in_test[rows] = True
            yield in_test

    def _iter_test_indices(self, X: Any = None, y: Any = None, groups: Any = None) -> Iterator[Any]:
        raise NotImplementedError

    @abstractmethod
    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits."""


def warn_unused_groups(splitter: object, groups: Any) -> None:
    """Warn that a splitter which knows no groups was given some."""
    if groups is not None:
        warnings.warn(
            f"The groups parameter is ignored by {type(splitter).__name__}",
            UserWarning,
            stacklevel=3,
        )


def as_labels(values: Any, name: str) -> NDArray[Any]:
    """Return labels of any type and container as an array; missing ones raise."""
    if values is None:
        raise ValueError(f"The {name!r} parameter should not be None.")
    if hasattr(values, "columns"):
        import narwhals as nw

        values = nw.from_native(values).to_numpy()
    elif not isinstance(values, (np.ndarray, list, tuple)) and hasattr(values, "__array__"):
        values = np.asarray(values)
    if isinstance(values, np.ndarray) and values.dtype.kind in "mM":
        if np.isnat(values).any():
            raise ValueError(f"Input {name} contains NaT.")
        values = values.view(np.int64)
    labels: NDArray[Any] = check_array(values, dtype=None, ensure_2d=False, input_name=name)
    return labels


def group_codes(groups: Any) -> tuple[NDArray[Any], Indices]:
    """Return the sorted names of the groups, and the number of each row's group."""
    names, codes = np.unique(as_labels(groups, "groups"), return_inverse=True)
    return names, codes.reshape(-1)


def class_labels(y: Any) -> NDArray[Any]:
    """Return a target of classes as a vector; another kind of target raises."""
    kind = type_of_target(y)
    if kind not in ("binary", "multiclass"):
        raise ValueError(
            f"Supported target types are: ('binary', 'multiclass'). Got {kind!r} instead."
        )
    return column_or_1d(y)


def splitter_text(splitter: object) -> str:
    """Return ``Class(name=value, ...)`` with sorted names, in scikit-learn's line breaks."""
    cls = type(splitter)
    indent = ",\n" + " " * (1 + len(cls.__name__) // 2)
    text, length = "", len(cls.__name__)
    with np.printoptions(precision=5, threshold=64, edgeitems=2):
        for name in sorted(_arguments(cls)):
            item = f"{name}={getattr(splitter, name, None)!r}"
            item = item if len(item) <= 500 else f"{item[:300]}...{item[-100:]}"
            if text:
                breaks = length + len(item) >= _LINE or "\n" in item
                text += indent if breaks else ", "
                length = len(indent) if breaks else length + 2
            text += item
            length += len(item)
    return f"{cls.__name__}({text})"


def _arguments(cls: type) -> list[str]:
    """Return the names of the constructor's arguments."""
    init = cls.__init__  # type: ignore[misc]
    return [] if init is object.__init__ else list(inspect.signature(init).parameters)[1:]
