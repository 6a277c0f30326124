"""The boundary, the margin and the support vectors of a machine with a Gaussian kernel."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.datasets import make_circles
from gramian.svm import SVC

X, y = make_circles(n_samples=100, factor=0.3, noise=0.1, random_state=10)
model = SVC(kernel="rbf", gamma=0.7).fit(X, y)

grid = np.linspace(-1.5, 1.5, 200)
first, second = np.meshgrid(grid, grid)
scores = model.decision_function(np.column_stack([first.ravel(), second.ravel()]))

figure, axes = plt.subplots(figsize=(5.5, 5.0), layout="constrained")
levels = {-1.0: "--", 0.0: "-", 1.0: "--"}
axes.contour(
    first,
    second,
    scores.reshape(first.shape),
    levels=list(levels),
    linestyles=list(levels.values()),
    colors="0.3",
)
for label, marker in enumerate("os"):
    axes.plot(*X[y == label].T, marker, markersize=5, label=f"class {label}")
axes.plot(
    *model.support_vectors_.T, "o", markersize=11, fillstyle="none", color="k", label="support"
)
axes.set(xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False, loc="upper right")
figure.savefig("svm_margin.svg")
