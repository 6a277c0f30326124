"""Binary classifiers for the digits of a code."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramian._labels import check_classification_targets
from gramian._parts import copy_names, run_parts
from gramian._requests import raise_for_params
from gramian._routing import process_routing
from gramian._rows import require_rows
from gramian.metrics import pairwise_distances_argmin
from gramian.multiclass._binary import BinaryReduction, binary_scores, fit_binary
from gramian.params import REQUIRED, Estimator, Integer, Nothing, RandomState, Real, param
from gramian.validation import check_is_fitted, check_random_state, check_y

_SCORED = Estimator(("fit", "decision_function")) | Estimator(("fit", "predict_proba"))

_MOST_DIGITS = 1_000_000


class OutputCodeClassifier(BinaryReduction):
    """Classes by error-correcting output codes.

    Each class gets a random word of binary digits, and a classifier is fitted for each digit.
    The class whose word is nearest to the classifiers' scores is predicted.

    Parameters
    ----------
    estimator : classifier
        A binary one with ``decision_function`` or ``predict_proba``; copied for each digit.
    code_size : float, default=1.5
        Number of digits, as a multiple of the number of classes.
    random_state : int, RandomState, Generator or None, default=None
        Draws the code.
    n_jobs : int, optional
        Number of workers, through joblib.

    Attributes
    ----------
    estimators_ : list of ``int(n_classes * code_size)`` estimators
        One for each digit.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    code_book_ : ndarray of shape (n_classes, n_digits)
        The words: of -1 and 1 for classifiers with ``decision_function``, of 0 and 1 for others.
    n_features_in_ : int
        Number of columns seen at fit, if the classifiers say so.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if all are strings.

    References
    ----------
    T. G. Dietterich, G. Bakiri (1995). Solving multiclass learning problems via error-correcting
    output codes. Journal of Artificial Intelligence Research 2.

    Examples
    --------
    >>> from gramian.dummy import DummyClassifier
    >>> from gramian.multiclass import OutputCodeClassifier
    >>> model = OutputCodeClassifier(DummyClassifier(), code_size=2, random_state=0)
    >>> model.fit([[0.0]] * 5, ["a", "b", "b", "b", "c"]).predict([[0.0]]).tolist()
    ['b']
    >>> model.code_book_
    array([[1., 1., 1., 1., 0., 1.],
           [0., 1., 1., 0., 1., 1.],
           [1., 1., 0., 0., 0., 1.]])
    """

    estimator: Any = param(REQUIRED, _SCORED, positional=True)
    code_size: float = param(1.5, Real(0.0, closed="neither"))
    random_state: Any = param(None, RandomState())
    n_jobs: int | None = param(None, Integer() | Nothing())
    estimators_: list[Any]
    code_book_: NDArray[np.float64]

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Draw the code and fit a classifier for each digit.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
            Whatever the classifiers take.
        y : array-like of shape (n_samples,)
            The classes.
        **fit_params : dict
            Arguments for the classifiers; only while metadata routing is on.
        """
        raise_for_params(fit_params, self, "fit")
        params = process_routing(self, "fit", fit_params)["estimator"]["fit"]
        labels = check_y(y, estimator=self)
        require_rows(labels, self)
        check_classification_targets(labels)
        classes, codes = np.unique(labels, return_inverse=True)
        n_digits = int(len(classes) * self.code_size)
        if n_digits > _MOST_DIGITS:
            raise ValueError(
                f"code_size={self.code_size} gives {n_digits:.3g} digits, a classifier for each; "
                f"{_MOST_DIGITS} are the most."
            )
        if n_digits == 0:
            raise ValueError(
                f"code_size={self.code_size} gives no digit for {len(classes)} classes; at least "
                f"{1 / max(len(classes), 1):.3g} is needed."
            )
        draws = check_random_state(self.random_state).uniform(size=(len(classes), n_digits))
        low = -1.0 if hasattr(self.estimator, "decision_function") else 0.0
        book = np.where(draws > 0.5, 1.0, low)
        words = book.astype(np.int64)[codes]
        calls = [(self.estimator, X, words[:, k], params) for k in range(n_digits)]
        self.estimators_ = run_parts(fit_binary, calls, self.n_jobs)
        self.code_book_, self.classes_ = book, classes
        copy_names(self.estimators_[0], self)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class whose word is nearest to the scores.

        Parameters
        ----------
        X : table, array or sparse matrix of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        scores = np.column_stack([binary_scores(part, X) for part in self.estimators_])
        nearest = pairwise_distances_argmin(scores.astype(np.float64), self.code_book_)
        return self.classes_[nearest]
