"""One binary classifier for each class."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._composition import available_if
from gramian._parts import copy_names, run_parts
from gramian._requests import raise_for_params
from gramian._routing import process_routing
from gramian._tags import tagged
from gramian.base import clone
from gramian.multiclass._binary import (
    BinaryReduction,
    PartialFit,
    binary_scores,
    classes_of_parts,
    fit_binary,
    part_has,
    partial_fit_binary,
    threshold_of,
)
from gramian.params import Boolean, Integer, Nothing, param
from gramian.preprocessing import LabelBinarizer
from gramian.validation import check_is_fitted


class OneVsRestClassifier(PartialFit, BinaryReduction):
    """One classifier for each class, fitted to tell it from all others.

    The class whose classifier gives the highest score is predicted. If the target is a matrix of
    zeros and ones, each column is a label of its own, and a row may have several.

    Parameters
    ----------
    estimator : estimator
        A binary classifier with ``decision_function`` or ``predict_proba``, or a regressor, whose
        prediction is the score; copied for each class.
    n_jobs : int, optional
        Number of workers, through joblib.
    verbose : int, default=0
        How much joblib prints on its way.

    Attributes
    ----------
    estimators_ : list of estimators
        One for each class; a single one for two classes.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted; the numbers of the columns if the target is a matrix.
    n_classes_ : int
        Number of classes.
    label_binarizer_ : LabelBinarizer
        Turns classes into columns, and back.
    multilabel_ : bool
        Whether a row may have several labels.
    n_features_in_ : int
        Number of columns seen at fit, if the classifiers say so.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    Examples
    --------
    >>> from gramian.linear_model import Ridge
    >>> from gramian.multiclass import OneVsRestClassifier
    >>> X = [[0.0, 0.0], [0.0, 1.0], [3.0, 0.0], [3.0, 1.0], [0.0, 5.0], [1.0, 5.0]]
    >>> y = ["ash", "ash", "birch", "birch", "cedar", "cedar"]
    >>> OneVsRestClassifier(Ridge()).fit(X, y).predict([[0.5, 0.5], [0.5, 6.0]]).tolist()
    ['ash', 'cedar']
    """

    n_jobs: int | None = param(None, Integer() | Nothing())
    verbose: int = param(0, Integer(0) | Boolean())
    estimators_: list[Any]
    label_binarizer_: LabelBinarizer

    _own_tags = tagged(multi_output=True, multi_label=True)

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Fit a classifier for each class.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Whatever the classifiers take.
        y : array-like of shape (n_samples,), or matrix of shape (n_samples, n_classes)
            The classes; or zeros and ones, in an array or a sparse matrix.
        **fit_params : dict
            Arguments for the classifiers; only while metadata routing is on.
        """
        raise_for_params(fit_params, self, "fit")
        params = process_routing(self, "fit", fit_params)["estimator"]["fit"]
        binarizer = LabelBinarizer(sparse_output=True)
        columns = _columns(binarizer.fit_transform(y))
        classes = binarizer.classes_
        names = [(f"not {label}", label) for label in classes]
        # With two classes there is one column, and the message names the first, as elsewhere.
        calls = [
            (self.estimator, X, column, params, pair)
            for column, pair in zip(columns, names, strict=False)
        ]
        self.estimators_ = run_parts(fit_binary, calls, self.n_jobs, verbose=int(self.verbose))
        self.label_binarizer_, self.classes_ = binarizer, classes
        copy_names(self.estimators_[0], self)
        return self

    def _partial_fit(self, X: Any, y: Any, classes: Any, params: dict[str, Any]) -> Self:
        raise_for_params(params, self, "partial_fit")
        routed = process_routing(self, "partial_fit", params)["estimator"]["partial_fit"]
        known, is_first = classes_of_parts(self, y, classes, "classes")
        if is_first:
            binarizer = LabelBinarizer(sparse_output=True).fit(known)
            parts = [clone(self.estimator) for _ in known]
        else:
            binarizer, parts = self.label_binarizer_, self.estimators_
        columns = _columns(binarizer.transform(y))
        calls = [(part, X, col, routed) for part, col in zip(parts, columns, strict=False)]
        self.estimators_ = run_parts(partial_fit_binary, calls, self.n_jobs)
        self.label_binarizer_, self.classes_ = binarizer, known
        copy_names(self.estimators_[0], self)
        return self

    def predict(self, X: Any) -> Any:
        """Return the class with the highest score, or the matrix of labels.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Sparse if the target of ``fit`` was.
        """
        check_is_fitted(self)
        scores = np.column_stack([binary_scores(part, X) for part in self.estimators_])
        if self.label_binarizer_.y_type_ == "multiclass":
            return self.classes_[scores.argmax(axis=1)]
        says_yes = (scores > threshold_of(self.estimators_[0])).astype(np.int64)
        return self.label_binarizer_.inverse_transform(says_yes)

    @available_if(part_has("predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class; they sum to one unless a row may have several.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        proba = np.column_stack([part.predict_proba(X)[:, 1] for part in self.estimators_])
        if len(self.estimators_) == 1:
            proba = np.hstack([1.0 - proba, proba])
        if not self.multilabel_:
            total = proba.sum(axis=1, keepdims=True)
            np.divide(proba, total, out=proba, where=total != 0)
        return proba

    @available_if(part_has("decision_function"))
    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the score of each class, or one score of the second of two.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        if len(self.estimators_) == 1:
            score: NDArray[Any] = self.estimators_[0].decision_function(X)
            return score
        return np.column_stack([np.ravel(e.decision_function(X)) for e in self.estimators_])

    @property
    def multilabel_(self) -> bool:
        """Whether a row may have several labels."""
        return bool(self.label_binarizer_.y_type_.startswith("multilabel"))


def _columns(Y: Any) -> list[NDArray[np.int64]]:
    """Return the columns of a sparse matrix."""
    by_column = Y.tocsc()
    return [by_column[:, [j]].toarray().ravel() for j in range(Y.shape[1])]
