"""Two moons: single linkage follows the shapes, Ward's method makes round clusters."""

import matplotlib.pyplot as plt

from gramian.cluster import AgglomerativeClustering
from gramian.datasets import make_moons

X, _ = make_moons(400, noise=0.05, random_state=0)
figure, axes = plt.subplots(1, 2, figsize=(8.0, 3.4), layout="constrained", sharey=True)
for ax, linkage in zip(axes, ("single", "ward"), strict=True):
    labels = AgglomerativeClustering(linkage=linkage).fit_predict(X)
    for label in range(2):
        ax.scatter(*X[labels == label].T, s=12, color=f"C{label}")
    ax.set_title(f'linkage="{linkage}"')
figure.savefig("agglomerative_clustering.svg")
