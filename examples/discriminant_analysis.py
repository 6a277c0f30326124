"""Iris along the two directions that part its classes most, against the spread within them."""

import matplotlib.pyplot as plt

from gramian.datasets import load_iris
from gramian.discriminant_analysis import LinearDiscriminantAnalysis

X, y = load_iris(return_X_y=True)
model = LinearDiscriminantAnalysis()
Z = model.fit_transform(X, y)

figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
for k, colour in enumerate(["tab:blue", "tab:orange", "tab:green"]):
    ax.scatter(*Z[y == k].T, s=14, color=colour)
first, second = model.explained_variance_ratio_
ax.set(xlabel=f"first direction ({first:.1%})", ylabel=f"second direction ({second:.1%})")
ax.set_title("One direction holds almost all that parts the classes")
figure.savefig("discriminant_analysis.svg")
