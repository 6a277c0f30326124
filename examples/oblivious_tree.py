"""Where a plain and an oblivious tree of the same depth decide between two half moons."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.datasets import make_moons
from gramian.inspection import DecisionBoundaryDisplay
from gramian.tree import DecisionTreeClassifier, ObliviousTreeClassifier

X, codes = make_moons(300, noise=0.2, random_state=0)
y = np.array(["upper", "lower"])[codes]
models = {
    "plain tree of depth 4": DecisionTreeClassifier(max_depth=4, random_state=0),
    "oblivious tree of depth 4": ObliviousTreeClassifier(max_depth=4),
}

figure, axes = plt.subplots(1, 2, figsize=(9.0, 4.2), layout="constrained")
for (title, model), ax in zip(models.items(), axes, strict=True):
    DecisionBoundaryDisplay.from_estimator(model.fit(X, y), X, y=y, eps=0.3, ax=ax)
    ax.set_xlabel(title)
figure.savefig("oblivious_tree.svg")
