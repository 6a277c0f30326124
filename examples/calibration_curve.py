"""Reliability diagrams of an over-confident classifier, before and after calibration."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.base import BaseEstimator, ClassifierMixin
from gramian.calibration import CalibratedClassifierCV, CalibrationDisplay
from gramian.frozen import FrozenEstimator
from gramian.model_selection import train_test_split


class Overconfident(ClassifierMixin, BaseEstimator):
    """A classifier whose probabilities are too near to 0 and 1."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        positive = 1 / (1 + np.exp(-3 * X[:, 0]))
        return np.column_stack([1 - positive, positive])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


rng = np.random.default_rng(0)
X = rng.normal(size=(20_000, 1))
y = (rng.random(20_000) < 1 / (1 + np.exp(-X[:, 0]))).astype(int)
X_held, X_test, y_held, y_test = train_test_split(X, y, random_state=0)

model = Overconfident().fit(X, y)
classifiers = {"not calibrated": model}
for method in ("sigmoid", "isotonic"):
    classifiers[method] = CalibratedClassifierCV(FrozenEstimator(model), method=method)
    classifiers[method].fit(X_held, y_held)

figure, axes = plt.subplots(figsize=(6.4, 4.8), layout="constrained")
for name, classifier in classifiers.items():
    CalibrationDisplay.from_estimator(classifier, X_test, y_test, n_bins=12, name=name, ax=axes)
figure.savefig("calibration_curve.svg")
