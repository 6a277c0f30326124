"""Three classes in a row: one against the rest hides the middle class, pairs do not."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.base import BaseEstimator, ClassifierMixin
from gramian.datasets import make_blobs
from gramian.inspection import DecisionBoundaryDisplay
from gramian.linear_model import Ridge
from gramian.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier


class LinearScore(ClassifierMixin, BaseEstimator):
    """Two classes by least squares on -1 and 1."""

    def fit(self, X, y):
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.model_ = Ridge().fit(X, 2 * codes - 1)
        return self

    def decision_function(self, X):
        return self.model_.predict(X)

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


X, y = make_blobs(300, centers=[[-4, -4], [0, 0], [4, 4]], random_state=0)
models = {
    "one against the rest": OneVsRestClassifier(LinearScore()),
    "pairs": OneVsOneClassifier(LinearScore()),
    "output codes": OutputCodeClassifier(LinearScore(), code_size=4, random_state=0),
}
figure, panels = plt.subplots(1, 3, figsize=(9.6, 3.6), layout="constrained", sharey=True)
for axes, (name, model) in zip(panels, models.items(), strict=True):
    model.fit(X, y)
    DecisionBoundaryDisplay.from_estimator(
        model, X, y=y, response_method="predict", ax=axes, grid_resolution=200
    )
    axes.set_xlabel(f"{name}: {model.score(X, y):.0%} right")
figure.savefig("multiclass_masking.svg")
