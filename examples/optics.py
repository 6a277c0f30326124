"""The reachability plot: its valleys are the clusters."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.cluster import OPTICS
from gramian.datasets import make_blobs

X, _ = make_blobs(
    [200, 200, 100], centers=[[0, 0], [1.5, 0], [8, 0]], cluster_std=[0.2, 0.2, 1.0], random_state=0
)
model = OPTICS(min_samples=20, min_cluster_size=50).fit(X)
labels = model.labels_[model.ordering_]
reachability = model.reachability_[model.ordering_]

figure, (plot, rows) = plt.subplots(2, 1, figsize=(6.4, 5.2), layout="constrained")
for label in np.unique(labels):
    color = "grey" if label == -1 else f"C{label}"
    places = np.flatnonzero(labels == label)
    plot.bar(places, reachability[places], width=1.0, color=color)
    name = "noise" if label == -1 else f"cluster {label}"
    rows.scatter(*X[model.labels_ == label].T, s=10, color=color, label=name)
plot.set_ylabel("reachability")
plot.set_xlabel("place in the order")
rows.legend(loc="upper center", ncols=4)
figure.savefig("optics.svg")
