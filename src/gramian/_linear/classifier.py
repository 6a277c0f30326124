"""What linear classifiers share: the classes, the scores of a row, and the choice among them."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._labels import encode_labels
from gramian._linear.regressor import affine
from gramian._tags import tagged
from gramian.base import BaseEstimator, ClassifierMixin
from gramian.validation import check_is_fitted

__all__ = ["LinearClassifierBase", "encode_classes"]


def encode_classes(y: NDArray[Any], estimator: Any) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the classes in order and the position of each row's, or raise if there is only one."""
    classes, codes = encode_labels(y)
    if len(classes) < 2:
        raise ValueError(
            f"{type(estimator).__name__} needs samples of at least 2 classes in the data, but the "
            f"data contains only one class: {classes[0]!r}"
        )
    return classes, codes


class LinearClassifierBase(ClassifierMixin, BaseEstimator):
    """Base of classifiers that choose by ``X @ coef_.T + intercept_``.

    With two classes there is one row of coefficients, and the second class is chosen where the
    score is positive; else one row for each class, and the largest score wins.
    """

    classes_: NDArray[Any]
    coef_: Any
    intercept_: Any

    _own_tags = tagged(sparse=True)

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the score of each row: with two classes of the second, else of every class.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        scores = affine(self, X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._choose_classes(self.decision_function(X))

    def _choose_classes(self, scores: NDArray[Any]) -> NDArray[Any]:
        """Return the class of each row of `decision_function`."""
        chosen = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[chosen]
        return labels

    def densify(self) -> Self:
        """Make ``coef_`` a dense array again, after `sparsify`."""
        check_is_fitted(self, "coef_")
        if not isinstance(self.coef_, np.ndarray):
            self.coef_ = self.coef_.toarray()
        return self

    def sparsify(self) -> Self:
        """Make ``coef_`` a sparse matrix, which pays if most coefficients are zero."""
        from scipy.sparse import csr_matrix

        check_is_fitted(self, "coef_")
        self.coef_ = csr_matrix(self.coef_)
        return self
