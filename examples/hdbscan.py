"""A dense and a thin cluster, found at different densities."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.cluster import HDBSCAN
from gramian.datasets import make_blobs

X, _ = make_blobs(
    [300, 300], centers=[[0.0, 0.0], [8.0, 0.0]], cluster_std=[0.3, 2.0], random_state=0
)
model = HDBSCAN(min_cluster_size=30).fit(X)

figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
for label in np.unique(model.labels_):
    is_noise = label == -1
    style = {"color": "grey", "marker": "x"} if is_noise else {"color": f"C{label}"}
    name = "noise" if is_noise else f"cluster {label}"
    ax.scatter(*X[model.labels_ == label].T, s=12, label=name, **style)
ax.legend(loc="upper right")
ax.set_title("Clusters of different densities")
figure.savefig("hdbscan.svg")
