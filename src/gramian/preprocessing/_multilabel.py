"""Sets of labels as columns of zeros and ones."""

import warnings
from collections.abc import Iterable
from itertools import chain
from typing import Any, Self

import numpy as np

from gramian.params import Arrays, Boolean, Nothing, param
from gramian.preprocessing._checks import is_sparse
from gramian.preprocessing._labels import LabelTransformer
from gramian.validation import check_is_fitted, check_sparse


class MultiLabelBinarizer(LabelTransformer):
    """Turn sets of labels into a matrix of zeros and ones with a column for each class.

    Parameters
    ----------
    classes : array-like of shape (n_classes,), default=None
        The classes, in the order of the columns; by default those that occur, sorted.
    sparse_output : bool, default=False
        Whether to return a sparse matrix (CSR).

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.

    Examples
    --------
    >>> from gramian.preprocessing import MultiLabelBinarizer
    >>> MultiLabelBinarizer().fit_transform([("drama", "crime"), ("comedy",)])
    array([[0, 1, 1],
           [1, 0, 0]])
    """

    classes: Any = param(None, Arrays() | Nothing())
    sparse_output: bool = param(False, Boolean())

    def fit(self, y: Iterable[Iterable[Any]]) -> Self:
        """Find the classes.

        Parameters
        ----------
        y : iterable of iterables
            The labels of each row.
        """
        if self.classes is None:
            classes = _sorted_labels(set(chain.from_iterable(_label_sets(y))))
        else:
            classes = list(self.classes)
            if len(set(classes)) < len(classes):
                raise ValueError(
                    "The classes argument contains duplicate classes. Remove these duplicates "
                    "before passing them to MultiLabelBinarizer."
                )
        is_whole = all(isinstance(label, int) for label in classes)
        self.classes_ = np.empty(len(classes), dtype=np.int64 if is_whole else object)
        self.classes_[:] = classes
        return self

    def fit_transform(self, y: Iterable[Iterable[Any]]) -> Any:
        """Find the classes, and return the matrix.

        Parameters
        ----------
        y : iterable of iterables
            The labels of each row.
        """
        rows = _label_sets(y)
        return self.fit(rows).transform(rows)

    def transform(self, y: Iterable[Iterable[Any]]) -> Any:
        """Return the matrix of zeros and ones.

        Parameters
        ----------
        y : iterable of iterables
            The labels of each row; those not seen at fit are left out, with a warning.
        """
        check_is_fitted(self)
        from scipy import sparse

        place = {label: column for column, label in enumerate(self.classes_.tolist())}
        rows = _label_sets(y)
        unknown = set(chain.from_iterable(rows)) - place.keys()
        if unknown:
            warnings.warn(
                f"unknown class(es) {sorted(unknown, key=str)} will be ignored",
                UserWarning,
                stacklevel=2,
            )
        columns = [sorted(place[label] for label in labels - unknown) for labels in rows]
        indptr = np.concatenate([[0], np.cumsum([len(found) for found in columns])])
        indices = np.fromiter(chain.from_iterable(columns), dtype=np.int32, count=int(indptr[-1]))
        matrix = sparse.csr_matrix(
            (np.ones(len(indices), dtype=np.int64), indices, indptr.astype(np.int32)),
            shape=(len(rows), len(place)),
        )
        return matrix if self.sparse_output else matrix.toarray()

    def inverse_transform(self, yt: Any) -> list[tuple[Any, ...]]:
        """Return the labels of each row.

        Parameters
        ----------
        yt : array-like or sparse matrix of shape (n_samples, n_classes)
            Zeros and ones.
        """
        check_is_fitted(self)
        matrix = check_sparse(yt, "yt").toarray() if is_sparse(yt) else np.asarray(yt)
        if matrix.shape[1] != len(self.classes_):
            raise ValueError(
                f"Expected indicator for {len(self.classes_)} classes, but got {matrix.shape[1]}"
            )
        unexpected = np.setdiff1d(matrix, [0, 1])
        if len(unexpected):
            raise ValueError(f"Expected only 0s and 1s in label indicator. Also got {unexpected}")
        return [tuple(self.classes_.compress(row)) for row in matrix]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.one_d_labels = False
        tags.target_tags.two_d_labels = True
        return tags


def _label_sets(y: Any) -> list[set[Any]]:
    if not hasattr(y, "__iter__"):
        raise TypeError(f"y must be collections of labels, one for each row. Got {y!r}.")
    rows = list(y)
    for labels in rows:
        if not hasattr(labels, "__iter__"):
            raise TypeError(f"Each row of y must be a collection of labels. Got {labels!r}.")
    try:
        return [set(labels) for labels in rows]
    except TypeError as error:
        raise TypeError(f"Labels must be strings or numbers. Got y={y!r}.") from error


def _sorted_labels(labels: set[Any]) -> list[Any]:
    try:
        return sorted(labels)
    except TypeError as error:
        kinds = sorted({type(label).__name__ for label in labels})
        raise TypeError(
            f"Labels must be uniformly strings or numbers. Got {', '.join(kinds)}."
        ) from error
