"""Models made for these tests, in place of the registered ones."""

import warnings

import numpy as np
import pytest

from gramian.base import BaseEstimator, ClassifierMixin, RegressorMixin
from gramian.report import _candidates


class Median(RegressorMixin, BaseEstimator):
    """Predicts the median of the target: close to the baseline."""

    def fit(self, X, y):
        self.median_ = float(np.median(y))
        return self

    def predict(self, X):
        return np.full(X.height, self.median_)


class Line(RegressorMixin, BaseEstimator):
    """Least squares on the first column."""

    def fit(self, X, y):
        self.line_ = np.polyfit(X.to_series(0).to_numpy(), y, 1)
        return self

    def predict(self, X):
        return np.polyval(self.line_, X.to_series(0).to_numpy())


class Broken(RegressorMixin, BaseEstimator):
    """Cannot be fitted."""

    def fit(self, X, y):
        raise ValueError("the <moon> is\nnot right")

    def predict(self, X):
        raise AssertionError("fit must fail first")


class Noisy(Line):
    """Warns at each fit."""

    def fit(self, X, y):
        warnings.warn("this may be wrong", UserWarning, stacklevel=2)
        return super().fit(X, y)


class Threshold(ClassifierMixin, BaseEstimator):
    """Two classes, split at the middle of the first column's class means."""

    def fit(self, X, y):
        x = X.to_series(0).to_numpy()
        self.classes_ = np.unique(y)
        low, high = (x[y == label].mean() for label in self.classes_)
        self.cut_, self.up_ = (low + high) / 2, high > low
        return self

    def predict_proba(self, X):
        is_second = (X.to_series(0).to_numpy() > self.cut_) == self.up_
        share = np.where(is_second, 0.9, 0.1)
        return np.column_stack([1 - share, share])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@pytest.fixture
def use_models(monkeypatch):
    """Replace the registered models by the given ones."""

    def use(*classes):
        def all_estimators(kind):
            return [(cls.__name__, cls) for cls in classes if cls._estimator_type == kind]

        monkeypatch.setattr(_candidates, "all_estimators", all_estimators)

    return use


@pytest.fixture
def models():
    """The models made for these tests, by name."""
    return {cls.__name__: cls for cls in (Broken, Line, Median, Noisy, Threshold)}
