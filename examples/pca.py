"""Iris along its first two principal components."""

import matplotlib.pyplot as plt

from gramian.datasets import load_iris
from gramian.decomposition import PCA
from gramian.preprocessing import StandardScaler

X, y = load_iris(return_X_y=True)
model = PCA(n_components=2)
Z = model.fit_transform(StandardScaler().fit_transform(X))

figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
for k, colour in enumerate(["tab:blue", "tab:orange", "tab:green"]):
    ax.scatter(*Z[y == k].T, s=14, color=colour)
first, second = model.explained_variance_ratio_
ax.set(xlabel=f"first component ({first:.0%})", ylabel=f"second component ({second:.0%})")
ax.set_title("Two directions hold 96 % of the variance of four columns")
figure.savefig("pca.svg")
