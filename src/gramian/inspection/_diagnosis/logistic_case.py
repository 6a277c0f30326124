"""What the checks of logistic regression look at: design, probabilities, pairs of classes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramian._typing import Floats
from gramian.diagnostics import Design, Separation, check_separation, column_names, one_hot_groups
from gramian.inspection._diagnosis.time_order import is_in_time_order
from gramian.validation import check_sample_weight, column_or_1d, training_matrix

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class ClassPair:
    """The rows of two classes, with the probability of the second given that it is one of them.

    Attributes
    ----------
    label : str
        The two classes.
    rows : ndarray of int
        Positions of the rows in the case.
    y, proba : ndarray of shape (n_rows,)
        1 for the second class, and its probability.
    """

    label: str
    rows: Indices
    y: Floats
    proba: Floats


@dataclass(frozen=True)
class LogisticCase:
    """A fitted logistic regression with the data it is judged on.

    Attributes
    ----------
    model : estimator
        The fitted model.
    names : tuple of str
        Names of the columns of the design.
    X : ndarray or sparse matrix
        Features as the model sees them; rows of weight zero are left out.
    codes : ndarray of int of shape (n_samples,)
        Positions of the classes.
    proba : ndarray of shape (n_samples, n_classes)
        Fitted probabilities.
    weight : ndarray of shape (n_samples,)
        How many rows each row stands for.
    row_numbers : ndarray of int
        Positions of the rows in the data as given.
    in_time_order : bool
        Whether the table itself says that its rows follow one another in time.
    """

    model: Any
    names: tuple[str, ...]
    X: Any
    codes: Indices
    proba: Floats
    weight: Floats
    row_numbers: Indices
    in_time_order: bool

    @classmethod
    def of(cls, model: Any, X: Any, y: Any, sample_weight: ArrayLike | None) -> LogisticCase:
        """Bring model and data together; raise ValueError for an unknown class."""
        matrix = training_matrix(model, X, y, sample_weight)
        target = column_or_1d(y)
        known = np.isin(target, model.classes_)
        if len(target) != matrix.shape[0] or not known.all():
            raise ValueError("diagnose: y needs one of the model's classes for each row of X.")
        codes = np.searchsorted(model.classes_, target).astype(np.int64)
        weight = np.ones(len(codes))
        if sample_weight is not None:
            weight = np.asarray(check_sample_weight(sample_weight, matrix), dtype=np.float64)
        rows = np.flatnonzero(weight)
        proba = _probabilities(model, matrix[rows])
        names, ordered = column_names(model), is_in_time_order(X)
        return cls(model, names, matrix[rows], codes[rows], proba, weight[rows], rows, ordered)

    @property
    def fit_intercept(self) -> bool:
        """Whether the model has a constant."""
        return bool(self.model.fit_intercept)

    @property
    def classes(self) -> list[str]:
        """Names of the classes."""
        return [str(name) for name in self.model.classes_]

    @cached_property
    def counts(self) -> Floats:
        """Sum of the weights of each class."""
        return np.bincount(self.codes, self.weight, len(self.classes)).astype(np.float64)

    @cached_property
    def pairs(self) -> list[ClassPair]:
        """Each class against the first, of which its log-odds are measured."""
        found = []
        for k in range(1, len(self.classes)):
            rows = np.flatnonzero((self.codes == 0) | (self.codes == k))
            both = self.proba[rows, 0] + self.proba[rows, k]
            fraction = np.divide(
                self.proba[rows, k], both, where=both > 0, out=np.full(len(rows), 0.5)
            )
            label = f"{self.classes[k]} against {self.classes[0]}"
            found.append(ClassPair(label, rows, (self.codes[rows] == k) * 1.0, fraction))
        return found

    @cached_property
    def kept_columns(self) -> Indices:
        """Columns left when each one-hot encoded category loses its most frequent level."""
        groups = one_hot_groups(self.model)
        dropped = [
            group[int(np.asarray(self.X[:, group].sum(axis=0)).argmax())] for group in groups
        ]
        return np.delete(np.arange(self.X.shape[1]), dropped)

    @cached_property
    def reference_design(self) -> Design:
        """The design of the `kept_columns`."""
        intercept = self.fit_intercept or len(self.kept_columns) < self.X.shape[1]
        return Design(
            self.X[:, self.kept_columns], sample_weight=self.weight, fit_intercept=intercept
        )

    @cached_property
    def separation(self) -> Separation:
        """Whether the classes are separated."""
        return check_separation(
            self.X, self.codes, fit_intercept=self.fit_intercept, names=self.names
        )

    @property
    def is_penalised(self) -> bool:
        """Whether a penalty keeps the coefficients finite."""
        if not hasattr(self.model, "C"):  # Firth's
            return True
        return bool(np.isfinite(self.model.C)) and self.model.penalty is not None

    @property
    def n_parameters(self) -> int:
        """Number of free coefficients of one class against the first, without the constant."""
        return self.reference_design.n_features

    @cached_property
    def pearson(self) -> Floats:
        """Pearson residuals of not being of the first class."""
        first = np.clip(self.proba[:, 0], 1e-12, 1.0 - 1e-12)
        return ((self.codes > 0) - (1.0 - first)) / np.sqrt(first * (1.0 - first))


def _probabilities(model: Any, X: Any) -> Floats:
    """Return the probabilities of rows as the model sees them."""
    from scipy.special import expit, softmax

    coef = model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_
    eta = np.asarray(X @ np.asarray(coef, dtype=np.float64).T) + np.ravel(model.intercept_)
    if eta.shape[1] == 1:
        return np.column_stack([expit(-eta[:, 0]), expit(eta[:, 0])])
    probabilities: Floats = softmax(eta, axis=1)
    return probabilities
