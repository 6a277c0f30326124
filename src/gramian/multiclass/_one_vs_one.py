"""One binary classifier for each pair of classes."""

from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._labels import check_classification_targets
from gramian._parts import run_parts
from gramian._requests import raise_for_params
from gramian._routing import process_routing
from gramian._rows import rows_of_params, split_rows
from gramian.base import clone
from gramian.multiclass._binary import (
    BinaryReduction,
    PartialFit,
    binary_scores,
    classes_of_parts,
    fit_binary,
    partial_fit_binary,
    threshold_of,
)
from gramian.params import Integer, Nothing, param
from gramian.validation import check_fit, check_predict, check_y

_FORMATS = ("csr", "csc")


class OneVsOneClassifier(PartialFit, BinaryReduction):
    """One classifier for each pair of classes, fitted to the rows of these two.

    Each classifier votes for one class of its pair, and the class with most votes is predicted; the
    sums of the scores break ties.

    Parameters
    ----------
    estimator : estimator
        A binary classifier with ``decision_function`` or ``predict_proba``; copied for each pair.
        A regressor casts no votes: the sums of its predictions alone decide.
    n_jobs : int, optional
        Number of workers, through joblib.

    Attributes
    ----------
    estimators_ : list of ``n_classes * (n_classes - 1) / 2`` estimators
        In the order of the pairs (0, 1), (0, 2), ..., (1, 2), ...
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_classes_ : int
        Number of classes.
    pairwise_indices_ : list of ndarrays, or None
        The training rows of each pair, if the classifiers take a kernel matrix.
    n_features_in_ : int
        Number of columns seen at fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.
    encoding_ : TableEncoding or None
        How the columns of a data frame became numbers.

    Examples
    --------
    >>> from gramian.dummy import DummyClassifier
    >>> from gramian.multiclass import OneVsOneClassifier
    >>> X, y = [[0.0]] * 6, ["ash", "birch", "birch", "cedar", "cedar", "cedar"]
    >>> model = OneVsOneClassifier(DummyClassifier(strategy="prior")).fit(X, y)
    >>> model.decision_function([[0.0]]).round(2)
    array([[-0.2 ,  1.02,  2.19]])
    >>> model.predict([[0.0]]).tolist()
    ['cedar']
    """

    n_jobs: int | None = param(None, Integer() | Nothing())
    estimators_: list[Any]
    pairwise_indices_: list[NDArray[np.intp]] | None

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Fit a classifier for each pair of classes.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            The classes.
        **fit_params : dict
            Arguments for the classifiers; only while metadata routing is on.
        """
        raise_for_params(fit_params, self, "fit")
        params = process_routing(self, "fit", fit_params)["estimator"]["fit"]
        data = check_fit(self, X, y, accept_sparse=_FORMATS, dtype="numeric", check_finite=False)
        labels = np.asarray(data.y)
        check_classification_targets(labels)
        classes, codes = np.unique(labels, return_inverse=True)
        if len(classes) == 1:
            raise ValueError(
                f"OneVsOneClassifier can not be fit when only one class is present: {classes[0]!r}."
            )
        pairs = list(combinations(range(len(classes)), 2))
        rows = [np.flatnonzero((codes == i) | (codes == j)) for i, j in pairs]
        calls = [
            (self.estimator, data.X, codes, taken, j, params, (classes[i], classes[j]))
            for (i, j), taken in zip(pairs, rows, strict=True)
        ]
        self.estimators_ = run_parts(_fit_pair, calls, self.n_jobs)
        self.pairwise_indices_ = rows if self._tags().pairwise else None
        self.classes_ = classes
        return self

    def _partial_fit(self, X: Any, y: Any, classes: Any, params: dict[str, Any]) -> Self:
        raise_for_params(params, self, "partial_fit")
        routed = process_routing(self, "partial_fit", params)["estimator"]["partial_fit"]
        known, is_first = classes_of_parts(self, y, classes, "it")
        pairs = list(combinations(range(len(known)), 2))
        if is_first:
            data = check_fit(
                self, X, y, accept_sparse=_FORMATS, dtype="numeric", check_finite=False
            )
            matrix, labels, parts = (
                data.X,
                np.asarray(data.y),
                [clone(self.estimator) for _ in pairs],
            )
        else:
            matrix, labels = self._read(X), check_y(y, estimator=self)
            parts = self.estimators_
        check_classification_targets(labels)
        codes = np.searchsorted(known, labels)
        calls = [
            (part, matrix, codes, pair, routed) for part, pair in zip(parts, pairs, strict=True)
        ]
        self.estimators_ = run_parts(_partial_fit_pair, calls, self.n_jobs)
        self.pairwise_indices_ = None
        self.classes_ = known
        return self

    def _read(self, X: Any) -> Any:
        return check_predict(self, X, accept_sparse=_FORMATS, dtype="numeric", check_finite=False)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with most votes.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        scores = self.decision_function(X)
        if len(self.classes_) == 2:
            is_second = scores > threshold_of(self.estimators_[0])
            return self.classes_[is_second.astype(np.intp)]
        result: NDArray[Any] = self.classes_[scores.argmax(axis=1)]
        return result

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the votes for each class, moved by less than a third by the sum of scores.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
        """
        matrix = self._read(X)
        n_classes = len(self.classes_)
        votes, sums = np.zeros((2, matrix.shape[0], n_classes))
        for k, (i, j) in enumerate(combinations(range(n_classes), 2)):
            part = self.estimators_[k]
            kernel = self.pairwise_indices_
            rows = matrix if kernel is None else matrix[:, kernel[k]]
            score, chosen = binary_scores(part, rows), part.predict(rows)
            sums[:, i] -= score
            sums[:, j] += score
            votes[:, i] += chosen == 0
            votes[:, j] += chosen == 1
        total: NDArray[np.float64] = votes + sums / (3 * (np.abs(sums) + 1))
        return total[:, 1] if n_classes == 2 else total


def _fit_pair(
    estimator: Any,
    X: Any,
    codes: NDArray[np.intp],
    rows: NDArray[np.intp],
    positive: int,
    params: dict[str, Any],
    names: tuple[Any, Any],
) -> Any:
    """Fit a classifier to the rows of two classes."""
    part, _ = split_rows(estimator, X, None, rows)
    y = (codes[rows] == positive).astype(np.int64)
    return fit_binary(estimator, part, y, rows_of_params(X, params, rows), names)


def _partial_fit_pair(
    estimator: Any,
    X: Any,
    codes: NDArray[np.intp],
    pair: tuple[int, int],
    params: dict[str, Any],
) -> Any:
    """Fit a classifier to those of some more rows that are of its two classes, if any."""
    rows = np.flatnonzero(np.isin(codes, pair))
    if not len(rows):
        return estimator
    y = (codes[rows] == pair[1]).astype(np.int64)
    return partial_fit_binary(estimator, X[rows], y, rows_of_params(X, params, rows))
