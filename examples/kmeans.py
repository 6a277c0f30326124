"""Wine in three clusters, along its first two principal components."""

import matplotlib.pyplot as plt

from gramian.cluster import KMeans
from gramian.datasets import load_wine
from gramian.decomposition import PCA
from gramian.preprocessing import StandardScaler

X, y = load_wine(return_X_y=True)
Z = StandardScaler().fit_transform(X)
model = KMeans(n_clusters=3, n_init=10, random_state=0).fit(Z)
plane = PCA(n_components=2).fit(Z)

figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
rows, centres = plane.transform(Z), plane.transform(model.cluster_centers_)
for cluster, colour in enumerate(["tab:blue", "tab:orange", "tab:green"]):
    ax.scatter(*rows[model.labels_ == cluster].T, s=14, color=colour)
    ax.scatter(*centres[cluster], s=140, marker="X", color=colour, edgecolor="black")
ax.set(xlabel="first component", ylabel="second component")
ax.set_title("Three clusters of wine, and their centres")
figure.savefig("kmeans.svg")
