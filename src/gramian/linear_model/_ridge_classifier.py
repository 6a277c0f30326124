"""Classification by ridge regression on the targets +1 and -1."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._class_weight import class_weights, row_weights
from gramian._label_codes import label_codes
from gramian._labels import type_of_target
from gramian._linear.classifier import LinearClassifierBase
from gramian._tags import tagged
from gramian.linear_model._ridge import RidgeBase
from gramian.params import Anything, param
from gramian.validation import FitData, check_fit, column_or_1d


def _signs(codes: NDArray[np.intp], n_classes: int) -> NDArray[np.float64]:
    """Return +1 for the rows of a class and -1 for others: one column for at most two classes."""
    if n_classes <= 2:
        return np.where(codes[:, None] == 1, 1.0, -1.0)
    signs = np.full((len(codes), n_classes), -1.0)
    signs[np.arange(len(codes)), codes] = 1.0
    return signs


class SignedLabels(LinearClassifierBase):
    """Classifiers whose targets are +1 for rows of a class and -1 for the others."""

    class_weight: Any
    _is_multilabel: bool

    _own_tags = tagged(multi_label=True)

    def _signed_data(self, X: Any, y: Any, sample_weight: Any) -> tuple[FitData, NDArray[Any]]:
        """Return the data with one column of +1 and -1 for each class, and the labels.

        Weights are those of the rows times those of their classes. Sets ``classes_``.
        """
        data = check_fit(self, X, y, sample_weight, multi_output=True, check_finite=False)
        assert data.y is not None
        kind = type_of_target(data.y, input_name="y")
        if "multioutput" in kind or kind in ("continuous", "unknown"):
            raise ValueError(
                f"Unknown label type: {kind}. {type(self).__name__} needs discrete classes, or a "
                "matrix of zeros and ones with one column for each label."
            )
        self._is_multilabel = kind == "multilabel-indicator"
        y = data.y if self._is_multilabel else column_or_1d(data.y, warn=True)
        if self._is_multilabel:
            self.classes_ = np.arange(y.shape[1])
            signs = np.where(y != 0, 1.0, -1.0)
            weight = self._weights_of_labels(y, data.sample_weight)
        else:
            self.classes_, codes = label_codes(y)
            signs = _signs(codes, len(self.classes_))
            weight = row_weights(self.class_weight, self.classes_, codes, data.sample_weight)
        return replace(data, y=signs, sample_weight=weight), y

    def _weights_of_labels(self, y: NDArray[Any], weight: Any) -> Any:
        """Return each row's weight times those of its answers to all labels."""
        if self.class_weight is None:
            return weight
        if self.class_weight != "balanced":
            raise ValueError(
                "With several labels for a row, class_weight must be 'balanced' or None. "
                f"Got {self.class_weight!r}."
            )
        product = np.ones(len(y)) if weight is None else weight
        for label in y.T:
            classes, codes = np.unique(label, return_inverse=True)
            product = product * class_weights("balanced", classes, codes, weight)[codes]
        return product

    def _choose_classes(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Return the class of each row, or for several labels zeros and ones."""
        if self._is_multilabel:
            return (scores > 0).astype(np.int64)
        if len(self.classes_) == 1:
            return np.repeat(self.classes_, len(scores))
        return super()._choose_classes(scores)


class RidgeClassifier(RidgeBase, SignedLabels):
    """Classification by ridge regression.

    Each class gets a target that is +1 for its rows and -1 for the others, and a row is given to
    the class whose regression predicts most. All classes share one Gram matrix, so that the fit is
    among the fastest of all classifiers. Two classes share one target.

    Parameters
    ----------
    alpha : float or array of shape (n_targets,), default=1.0
        Strength of the penalty, >= 0; an array gives one for each class.
    fit_intercept, copy_X, max_iter, tol, solver, positive, random_state
        As for `Ridge`.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, by label; "balanced" gives all classes the same total.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_classes, n_features)
        Coefficients; one vector for two classes.
    intercept_ : float or ndarray of shape (n_targets,)
        Constants; 0.0 if ``fit_intercept=False``.
    classes_ : ndarray of shape (n_classes,)
        The classes; for several labels at once the numbers of the columns.
    certificate_ : Certificate
        Objective, proven lower bound on the optimum, and their gap.
    n_iter_ : ndarray of shape (n_targets,) or None
        Iterations of the iterative solvers.
    solver_ : str
        The solver that gave the result.
    n_features_in_, feature_names_in_, encoding_
        As for `Ridge`.

    Examples
    --------
    >>> from gramian.datasets import load_breast_cancer
    >>> from gramian.linear_model import RidgeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> round(RidgeClassifier().fit(X, y).score(X, y), 3)
    0.96
    """

    class_weight: Any = param(None, Anything())

    def _read(self, X: Any, y: Any, sample_weight: Any) -> FitData:
        return self._signed_data(X, y, sample_weight)[0]
