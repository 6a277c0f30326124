"""Where a straight and a curved classifier by least squares decide between two half moons."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.base import BaseEstimator, ClassifierMixin
from gramian.datasets import make_moons
from gramian.inspection import DecisionBoundaryDisplay
from gramian.linear_model import Ridge
from gramian.pipeline import make_pipeline
from gramian.preprocessing import PolynomialFeatures


class LeastSquaresClassifier(ClassifierMixin, BaseEstimator):
    """Two classes, told apart by the sign of a regression on -1 and 1."""

    def fit(self, X, y):
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.regression_ = Ridge(alpha=0.01).fit(X, 2.0 * codes - 1.0)
        return self

    def decision_function(self, X):
        return self.regression_.predict(X)

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


X, codes = make_moons(200, noise=0.2, random_state=0)
y = np.array(["upper", "lower"])[codes]
straight = LeastSquaresClassifier()
curved = make_pipeline(PolynomialFeatures(degree=3), LeastSquaresClassifier())

figure, axes = plt.subplots(1, 2, figsize=(9.0, 4.2), layout="constrained")
for model, ax in zip((straight, curved), axes, strict=True):
    DecisionBoundaryDisplay.from_estimator(model.fit(X, y), X, y=y, eps=0.3, ax=ax)
figure.savefig("decision_boundary.svg")
