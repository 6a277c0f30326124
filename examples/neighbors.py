"""Nearest neighbours on two columns of wine: the regions of 1 and of 15 neighbours."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.datasets import load_wine
from gramian.inspection import DecisionBoundaryDisplay
from gramian.neighbors import KNeighborsClassifier
from gramian.preprocessing import StandardScaler

X, y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(np.asarray(X)[:, [0, 6]])  # alcohol and flavanoids
y = np.asarray(y)

figure, axes = plt.subplots(1, 2, figsize=(8.4, 4.0), layout="constrained", sharey=True)
colours = ["tab:blue", "tab:orange", "tab:green"]
for ax, k in zip(axes, (1, 15), strict=True):
    model = KNeighborsClassifier(k).fit(X, y)
    DecisionBoundaryDisplay.from_estimator(
        model, X, ax=ax, response_method="predict", alpha=0.2, multiclass_colors=colours
    )
    for label, colour in zip(model.classes_, colours, strict=True):
        ax.scatter(*X[y == label].T, s=12, color=colour)
    ax.set(xlabel="alcohol, scaled", title=f"{k} neighbour{'s' if k > 1 else ''}")
axes[0].set_ylabel("flavanoids, scaled")
figure.savefig("neighbors.svg")
