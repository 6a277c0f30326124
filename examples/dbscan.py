"""Two moons, found by their density, and a few rows of noise."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.cluster import DBSCAN
from gramian.datasets import make_moons

X, _ = make_moons(400, noise=0.06, random_state=0)
X = np.vstack([X, np.random.default_rng(0).uniform([-1.5, -1.0], [2.5, 1.5], (30, 2))])
model = DBSCAN(eps=0.15).fit(X)

figure, ax = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
for label in np.unique(model.labels_):
    is_noise = label == -1
    style = {"color": "grey", "marker": "x"} if is_noise else {"color": f"C{label}"}
    name = "noise" if is_noise else f"cluster {label}"
    ax.scatter(*X[model.labels_ == label].T, s=14, label=name, **style)
ax.legend(loc="upper right")
ax.set_title("Dense rows are clusters of any shape, the others are noise")
figure.savefig("dbscan.svg")
