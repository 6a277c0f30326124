"""What classifiers with a probability for each class answer about new rows."""

from typing import Any

from numpy.typing import NDArray

__all__ = ["PosteriorAnswers"]


class PosteriorAnswers:
    """The public methods of classifiers that take classes and probabilities from one native call.

    A subclass writes ``_answer``.
    """

    classes_: NDArray[Any]

    def _answer(self, X: Any, answer: str) -> NDArray[Any]:
        """Return "joint", "log_probability", "probability" or "label" (a number) of each row."""
        raise NotImplementedError

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most likely class of each row.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        codes = self._answer(X, "label")
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    def predict_log_proba(self, X: Any) -> NDArray[Any]:
        """Return the logarithm of the probability of each class.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._answer(X, "log_probability")

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return the probability of each class.

        Parameters
        ----------
        X : table or array of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._answer(X, "probability")
