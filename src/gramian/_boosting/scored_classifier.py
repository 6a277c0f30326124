"""Classes from the scores of boosted trees."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian._boosting.inputs import known_codes
from gramian._typing import Floats
from gramian.base import ClassifierMixin

__all__ = ["ScoredClassifierMixin"]


class ScoredClassifierMixin(ClassifierMixin):
    """What classifiers do with scores: one for two classes, else one for each."""

    classes_: NDArray[Any]

    if TYPE_CHECKING:  # of the model that this is mixed into

        def _raw_scores(self, X: Any) -> Floats: ...

        def _staged_raw_scores(self, X: Any) -> Iterator[Floats]: ...

        def _response(self, scores: Floats) -> Floats: ...

    def _read_known_target(self, y: NDArray[Any]) -> Floats:
        return known_codes(self.classes_, y)

    def _decided(self, scores: Floats) -> NDArray[Any]:
        if scores.shape[1] > 1:
            places = scores.argmax(axis=1)
        else:
            places = (scores[:, 0] > 0.0).astype(np.intp)
        labels: NDArray[Any] = self.classes_[places]
        return labels

    def _probabilities(self, scores: Floats) -> Floats:
        probabilities = self._response(scores)
        return probabilities if len(self.classes_) > 1 else np.ones((len(scores), 1))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._decided(self._raw_scores(X))

    def predict_proba(self, X: Any) -> Floats:
        """Predict the probability of each class for each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._probabilities(self._raw_scores(X))

    def decision_function(self, X: Any) -> Floats:
        """Return the score of each row: sums of the leaves of the trees.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            The log-odds of the second of two classes, or a score for each of more.
        """
        scores = self._raw_scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Predict the class of each row after each round.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        for scores in self._staged_raw_scores(X):
            yield self._decided(scores)

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Predict the probabilities after each round.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Yields
        ------
        ndarray of shape (n_samples, n_classes)
        """
        for scores in self._staged_raw_scores(X):
            yield self._probabilities(scores)

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Return the scores after each round.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The rows.

        Yields
        ------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        for scores in self._staged_raw_scores(X):
            yield scores[:, 0] if scores.shape[1] == 1 else scores
